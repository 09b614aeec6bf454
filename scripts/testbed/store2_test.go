package main

import (
	"context"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestStore2 wants the second store to show over https what it was given over
// http, to name the key it encrypts with, and to keep its objects when it is
// killed.
func TestStore2(t *testing.T) {
	b := upForTest(t, testName("second"))
	if t.Failed() {
		return
	}
	bucket := plainBucket
	for name, in := range map[string]*s3.PutObjectInput{
		"plain":   {},
		"aes256":  {ServerSideEncryption: types.ServerSideEncryptionAes256},
		"aws:kms": {ServerSideEncryption: types.ServerSideEncryptionAwsKms, SSEKMSKeyId: aws.String(kmsKey)},
	} {
		in.Bucket, in.Key, in.Body = &bucket, &name, strings.NewReader(name)
		out, err := client(t, b, "http", "store2").PutObject(context.Background(), in)
		if err != nil {
			t.Fatalf("put %s: %v", name, err)
		}
		if aws.ToString(out.SSEKMSKeyId) != aws.ToString(in.SSEKMSKeyId) || out.ServerSideEncryption != in.ServerSideEncryption {
			t.Errorf("%s is said to be encrypted by %q with %q", name, out.ServerSideEncryption, aws.ToString(out.SSEKMSKeyId))
		}
		wantObject(t, client(t, b, "https", "store2-tls"), name)
	}
	if err := signalPart(b.name, "store2", syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := up(context.Background(), b.name, upOptions{}); err != nil {
		t.Fatal(err)
	}
	wantObject(t, client(t, b, "http", "store2"), "plain")
	wantObject(t, client(t, b, "http", "store2"), "aes256")
}

// wantObject reads an object that holds its own name.
func wantObject(t *testing.T, client *s3.Client, name string) {
	t.Helper()
	out, err := client.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String(plainBucket), Key: &name})
	if err != nil {
		t.Fatalf("get %s: %v", name, err)
	}
	defer out.Body.Close()
	if body, err := io.ReadAll(out.Body); err != nil || string(body) != name {
		t.Errorf("%s reads %q, %v", name, body, err)
	}
}

func client(t *testing.T, b *testbed, scheme, part string) *s3.Client {
	t.Helper()
	c, err := b.s3(b.url(scheme, part))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
