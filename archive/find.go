package archive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Find lists the bundles of one pod, of any resourceVersion, number and
// compression, in one class: the newest first, provisional ones after all
// others. An Object found has no metadata; see Head and Read. What lies under
// the pod's keys and is no bundle is passed over.
func (b *Bucket) Find(ctx context.Context, class Class, namespace, pod, uid string) ([]Object, error) {
	prefix := b.layout.pod(Key{Class: class, Namespace: namespace, Pod: pod}) + uid + "_"
	var found []Object
	pages := s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, b.explain("list", "s3:ListBucket", prefix, err)
		}
		for _, o := range page.Contents {
			name := aws.ToString(o.Key)
			if key, err := b.layout.parseAny(name); err == nil {
				found = append(found, Object{Key: key, Size: aws.ToInt64(o.Size), Stored: aws.ToTime(o.LastModified), name: name, class: class})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Object) int { return Newer(x.Key, y.Key) })
	return found, nil
}

// Newer orders keys of one UID as Find does; for use with slices.SortFunc. A
// resourceVersion is a decimal number; numbers without leading zeros compare by
// length first.
func Newer(x, y Key) int {
	return cmp.Or(
		compareBool(x.Provisional, y.Provisional),
		cmp.Compare(len(y.ResourceVersion), len(x.ResourceVersion)),
		strings.Compare(y.ResourceVersion, x.ResourceVersion),
		cmp.Compare(y.Number, x.Number),
	)
}

// compareBool puts false first.
func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}
