package archive

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// version is one version of an object, or a delete marker, which hides those
// before it.
type version struct {
	name   string
	id     string // empty where the store has no versions
	stored time.Time
	size   int64
	marker bool
}

// versionPage is one answer of a list; next asks for the one after, and is nil
// if this is the last.
type versionPage struct {
	versions []version
	next     func(context.Context) (versionPage, error)
}

// versions calls visit for every version and delete marker under prefix, in
// pages. A page is visited when the next has been asked for: the place from which
// a list goes on must be there still, whatever visit deletes. A store without
// versions is asked for its objects.
func (b *Bucket) versions(ctx context.Context, prefix string, visit func([]version) error) error {
	page, err := b.versionPage(ctx, prefix, nil, nil)
	if withoutVersions(err) || err == nil && len(page.versions) == 0 && page.next == nil {
		page, err = b.objectPage(ctx, prefix, "", nil)
	}
	for err == nil && page.next != nil {
		var following versionPage
		if following, err = page.next(ctx); err != nil {
			return err
		}
		if err := visit(page.versions); err != nil {
			return err
		}
		page = following
	}
	if err != nil {
		return err
	}
	return visit(page.versions)
}

// withoutVersions tells whether the store cannot list versions.
func withoutVersions(err error) bool {
	code := status(err)
	return code == http.StatusNotImplemented || code == http.StatusMethodNotAllowed || hasCode(err, "NotImplemented")
}

func (b *Bucket) versionPage(ctx context.Context, prefix string, key, id *string) (versionPage, error) {
	out, err := b.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &b.cfg.Bucket, Prefix: &prefix, KeyMarker: key, VersionIdMarker: id})
	if err != nil {
		return versionPage{}, b.explain("list versions of", "s3:ListBucketVersions", prefix, err)
	}
	var page versionPage
	for _, v := range out.Versions {
		page.versions = append(page.versions, version{
			name: aws.ToString(v.Key), id: aws.ToString(v.VersionId), stored: aws.ToTime(v.LastModified), size: aws.ToInt64(v.Size),
		})
	}
	for _, m := range out.DeleteMarkers {
		page.versions = append(page.versions, version{
			name: aws.ToString(m.Key), id: aws.ToString(m.VersionId), stored: aws.ToTime(m.LastModified), marker: true,
		})
	}
	if aws.ToBool(out.IsTruncated) {
		page.next = func(ctx context.Context) (versionPage, error) {
			return b.versionPage(ctx, prefix, out.NextKeyMarker, out.NextVersionIdMarker)
		}
	}
	return page, page.check(prefix)
}

// objects calls visit with each key under prefix; with those after a key, if it is
// not empty and the store does as it is told.
func (b *Bucket) objects(ctx context.Context, prefix, after string, visit func(name string) error) error {
	page, err := b.objectPage(ctx, prefix, after, nil)
	for err == nil {
		for _, v := range page.versions {
			if err := visit(v.name); err != nil {
				return err
			}
		}
		if page.next == nil {
			return nil
		}
		page, err = page.next(ctx)
	}
	return err
}

// objectPage is a page of objects, for stores without versions and for who asks for
// none.
func (b *Bucket) objectPage(ctx context.Context, prefix, after string, token *string) (versionPage, error) {
	input := s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &prefix, ContinuationToken: token}
	if after != "" {
		input.StartAfter = &after
	}
	out, err := b.s3.ListObjectsV2(ctx, &input)
	if err != nil {
		return versionPage{}, b.explain("list", "s3:ListBucket", prefix, err)
	}
	var page versionPage
	for _, o := range out.Contents {
		page.versions = append(page.versions, version{name: aws.ToString(o.Key), stored: aws.ToTime(o.LastModified), size: aws.ToInt64(o.Size)})
	}
	if aws.ToBool(out.IsTruncated) {
		page.next = func(ctx context.Context) (versionPage, error) {
			return b.objectPage(ctx, prefix, after, out.NextContinuationToken)
		}
	}
	return page, page.check(prefix)
}

// check refuses a list that does not say how old something is.
func (p versionPage) check(prefix string) error {
	for _, v := range p.versions {
		if v.stored.IsZero() {
			return fmt.Errorf("list %s: the store does not say when %q was stored", prefix, v.name)
		}
	}
	return nil
}
