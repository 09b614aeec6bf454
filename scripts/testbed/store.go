package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// The buckets that every store of a testbed holds, and who may use them.
const (
	plainBucket     = "testbed"
	versionedBucket = "testbed-versioned"
	lockedBucket    = "testbed-locked"

	accessKey = "testbed"
	secretKey = "testbed-secret-key"
	region    = "us-east-1"
)

// store is an S3 gateway over a folder; store-tls is another, with its own
// folder, behind a certificate of the store's authority. They keep connections
// open, as S3 does and they do not unless told.
func (t *testbed) store() part {
	return part{name: "store", program: "versitygw", args: t.storeArgs("store"), ready: t.answers("http", "store", "/health")}
}

func (t *testbed) storeTLS() part {
	args := append([]string{"--cert", t.pki("store-tls.crt"), "--key", t.pki("store-tls.key")}, t.storeArgs("store-tls")...)
	return part{name: "store-tls", program: "versitygw", args: args, ready: t.answers("https", "store-tls", "/health")}
}

func (t *testbed) storeArgs(name string) []string {
	return []string{
		"--access", accessKey, "--secret", secretKey, "--region", region,
		"--port", t.addr(name), "--health", "/health", "--quiet", "--keep-alive",
		"posix", "--versioning-dir", t.path("data", name+"-versions"), t.path("data", name),
	}
}

func (t *testbed) makeStoreFolders() error {
	for _, d := range []string{"store", "store-versions", "store-tls", "store-tls-versions", "store2"} {
		if err := os.MkdirAll(t.path("data", d), 0o700); err != nil {
			return fmt.Errorf("make store folder: %w", err)
		}
	}
	return nil
}

// endpoints are the stores, each with data of its own.
func (t *testbed) endpoints() []string {
	return []string{t.url("http", "store"), t.url("https", "store-tls"), t.url("http", "store2")}
}

// makeBuckets makes what is missing in every store.
func (t *testbed) makeBuckets(ctx context.Context) error {
	for _, endpoint := range t.endpoints() {
		client, err := t.s3(endpoint)
		if err != nil {
			return fmt.Errorf("make buckets: %w", err)
		}
		for _, bucket := range []string{plainBucket, versionedBucket, lockedBucket} {
			if err := makeBucket(ctx, client, bucket); err != nil {
				return fmt.Errorf("make bucket %s at %s: %w", bucket, endpoint, err)
			}
		}
	}
	return nil
}

func makeBucket(ctx context.Context, client *s3.Client, bucket string) error {
	_, err := client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &bucket})
	var missing *types.NotFound
	if errors.As(err, &missing) {
		_, err = client.CreateBucket(ctx, &s3.CreateBucketInput{
			Bucket:                     &bucket,
			ObjectLockEnabledForBucket: aws.Bool(bucket == lockedBucket),
		})
	}
	if err != nil || bucket != versionedBucket {
		return err
	}
	_, err = client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  &bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	return err
}

func (t *testbed) s3(endpoint string) (*s3.Client, error) {
	text, err := os.ReadFile(t.pki("store-ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return s3.New(s3.Options{
		BaseEndpoint: &endpoint,
		UsePathStyle: true,
		Region:       region,
		Credentials:  credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		HTTPClient:   &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}},
	}), nil
}
