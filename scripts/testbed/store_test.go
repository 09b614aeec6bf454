package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestStores wants both stores to keep an object with its tags, and to refuse
// to delete a locked version before its date.
func TestStores(t *testing.T) {
	b := upForTest(t, testName("store"))
	if t.Failed() {
		return
	}
	for _, endpoint := range []string{b.url("http", "store"), b.url("https", "store-tls")} {
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
