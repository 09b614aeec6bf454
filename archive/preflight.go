package archive

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Preflight asks for one key under our prefix. It needs s3:ListBucket, without
// which an absent object would answer 403 like a forbidden one. With
// a lock the bucket must have Object Lock. It returns the store's clock, zero if
// the store does not tell.
func (b *Bucket) Preflight(ctx context.Context) (time.Time, error) {
	if _, err := b.CredentialSource(ctx); err != nil {
		return time.Time{}, err
	}
	prefix := b.layout.root() + "/"
	out, err := b.s3.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &prefix, MaxKeys: aws.Int32(1)})
	if err != nil {
		return time.Time{}, b.explain("list", "s3:ListBucket", prefix, err)
	}
	if err := b.preflightLock(ctx); err != nil {
		return time.Time{}, err
	}
	clock, _ := awsmiddleware.GetServerTime(out.ResultMetadata)
	return clock, nil
}
