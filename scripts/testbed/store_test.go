package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestStores wants every store to keep an object with its tags, to put no
// object over another if asked not to, and to refuse to delete a locked version
// before its date.
func TestStores(t *testing.T) {
	b := upForTest(t, testName("store"))
	if t.Failed() {
		return
	}
	for _, endpoint := range b.endpoints() {
		client, err := b.s3(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		for _, bucket := range []string{plainBucket, versionedBucket, lockedBucket} {
			t.Run(endpoint+"/"+bucket, func(t *testing.T) { storeObject(t, client, bucket) })
		}
	}
}

func storeObject(t *testing.T, client *s3.Client, bucket string) {
	ctx, key := context.Background(), "folder/object"
	put := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("hello"), Tagging: aws.String("retention=7d")}
	if bucket == lockedBucket {
		put.ObjectLockMode = types.ObjectLockModeCompliance
		put.ObjectLockRetainUntilDate = aws.Time(time.Now().Add(time.Hour))
	}
	made, err := client.PutObject(ctx, put)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); err != nil || string(body) != "hello" {
		t.Errorf("the object reads %q, %v", body, err)
	}
	tags, err := client.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})
	if err != nil || len(tags.TagSet) != 1 || *tags.TagSet[0].Value != "7d" {
		t.Errorf("tags: %+v, %v", tags, err)
	}
	put.Body, put.IfNoneMatch = strings.NewReader("other"), aws.String("*")
	if _, err := client.PutObject(ctx, put); statusOf(err) != http.StatusPreconditionFailed {
		t.Errorf("a put over the object, if there is none: %v", err)
	}
	if bucket == plainBucket {
		return
	}
	if made.VersionId == nil {
		t.Fatal("the object has no version")
	}
	_, err = client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key, VersionId: made.VersionId})
	if locked := bucket == lockedBucket; locked != (err != nil) {
		t.Errorf("delete of the version: %v", err)
	}
}

// statusOf is the status of the answer that made the error, or 0.
func statusOf(err error) int {
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}
