package chaostest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// bucket is the store as the observer sees it, past all proxies.
type bucket struct {
	name string
	s3   *s3.Client
}

func openBucket(endpoint, name string) *bucket {
	return &bucket{name: name, s3: s3.New(s3.Options{
		BaseEndpoint: &endpoint, UsePathStyle: true, Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), ""),
	})}
}

// object is what the store has under a key.
type object struct {
	key      string
	body     []byte
	metadata map[string]string
	tags     map[string]string
}

// keys are all below prefix.
func (b *bucket) keys(prefix string) ([]string, error) {
	var keys []string
	pages := s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		for _, o := range page.Contents {
			keys = append(keys, aws.ToString(o.Key))
		}
	}
	return keys, nil
}

func (b *bucket) get(key string) (*object, error) {
	out, err := b.s3.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	defer out.Body.Close()
	o := &object{key: key, metadata: out.Metadata, tags: map[string]string{}}
	if o.body, err = io.ReadAll(out.Body); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	tagging, err := b.s3.GetObjectTagging(context.Background(), &s3.GetObjectTaggingInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("get tags of %s: %w", key, err)
	}
	for _, tag := range tagging.TagSet {
		o.tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return o, nil
}

// put stores something unless something is there, as a store would that keeps
// something else than it was sent.
func (b *bucket) put(key string, body []byte, metadata map[string]string, tagging string) error {
	_, err := b.s3.PutObject(context.Background(), &s3.PutObjectInput{
		Bucket: &b.name, Key: &key, Body: bytes.NewReader(body), Metadata: metadata, Tagging: &tagging, IfNoneMatch: aws.String("*"),
	})
	return err
}
