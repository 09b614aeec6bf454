package archive

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Numbers are the keys of all bundles that are there of what key is of, whatever
// its number, the newest first. Provisional ones are counted apart.
func (b *Bucket) Numbers(ctx context.Context, key Key) ([]Key, error) {
	key.Number = 1
	prefix := strings.TrimSuffix(b.layout.object(key), b.layout.extension)
	pages := s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &prefix})
	var all []Key
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, b.explain("list", "s3:ListBucket", prefix, err)
		}
		for _, item := range page.Contents {
			k, err := b.layout.parse(aws.ToString(item.Key))
			if err != nil {
				continue // not a bundle of ours
			}
			if number := k.Number; k == key.numbered(number) {
				all = append(all, k)
			}
		}
	}
	slices.SortFunc(all, func(a, b Key) int { return cmp.Compare(b.Number, a.Number) })
	return all, nil
}

// Newest asks for the bundle of the highest number; ErrNotFound if there is
// none.
func (b *Bucket) Newest(ctx context.Context, key Key) (Object, error) {
	keys, err := b.Numbers(ctx, key)
	if err != nil {
		return Object{}, err
	}
	for _, k := range keys {
		o, err := b.Head(ctx, k)
		if !errors.Is(err, ErrNotFound) {
			return o, err
		}
	}
	return Object{}, ErrNotFound
}
