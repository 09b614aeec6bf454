package archive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// maxBatch is how many objects one DeleteObjects takes:
// docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html.
const maxBatch = 1000

// removers is how many single deletes are under way at once.
const removers = 16

// ErrLocked says that the store keeps an object longer than its date.
var ErrLocked = errors.New("locked")

func isLocked(err error) bool { return errors.Is(err, ErrLocked) }

// remove deletes these versions, at most maxBatch, and tells done of each what
// the store said. A batch that the store refuses is deleted one by one, as is
// what it refuses of a batch. The error is one that all others would share.
func (b *Bucket) remove(ctx context.Context, versions []version, done func(version, error)) error {
	if len(versions) == 0 {
		return nil
	}
	left := versions
	if !b.noBatch.Load() {
		confirmed, err := b.removeBatch(ctx, versions)
		if err != nil {
			return err
		}
		left = nil
		for _, v := range versions {
			if confirmed[v.identity()] {
				done(v, nil)
				continue
			}
			left = append(left, v)
		}
	}
	return b.removeEach(ctx, left, done)
}

// identity names a version in the store's answers, which may leave out the
// version of an object that has only one.
func (v version) identity() [2]string {
	if v.id == "null" {
		return [2]string{v.name, ""}
	}
	return [2]string{v.name, v.id}
}

// removeBatch returns what the store says it has deleted; nothing, if it refuses
// the batch.
func (b *Bucket) removeBatch(ctx context.Context, versions []version) (map[[2]string]bool, error) {
	var batch []types.ObjectIdentifier
	for _, v := range versions {
		batch = append(batch, types.ObjectIdentifier{Key: aws.String(v.name), VersionId: v.idOrNil()})
	}
	out, err := b.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &b.cfg.Bucket, Delete: &types.Delete{Objects: batch}}, withContentMD5)
	switch code := status(err); {
	case code == http.StatusNotImplemented || code == http.StatusMethodNotAllowed:
		b.noBatch.Store(true)
		return nil, nil
	case code >= 400 && code < 500: // some refuse the whole batch for one locked object
		return nil, nil
	case err != nil:
		return nil, b.explain("delete "+strconv.Itoa(len(versions))+" objects of", "s3:DeleteObject", "", err)
	}
	confirmed := map[[2]string]bool{}
	for _, d := range out.Deleted {
		confirmed[version{name: aws.ToString(d.Key), id: aws.ToString(d.VersionId)}.identity()] = true
	}
	return confirmed, nil
}

func (v version) idOrNil() *string {
	if v.id == "" {
		return nil
	}
	return aws.String(v.id)
}

func (b *Bucket) removeEach(ctx context.Context, versions []version, done func(version, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan version)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(removers, len(versions)) {
		workers.Go(func() {
			for v := range work {
				refusal, err := b.removeOne(ctx, v)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done(v, refusal)
				mu.Unlock()
			}
		})
	}
	for _, v := range versions {
		if ctx.Err() != nil {
			break
		}
		work <- v
	}
	close(work)
	workers.Wait()
	return context.Cause(ctx)
}

// removeOne tells apart what concerns this version (refusal) and what would be
// the same for all.
func (b *Bucket) removeOne(ctx context.Context, v version) (refusal, err error) {
	_, err = b.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.cfg.Bucket, Key: &v.name, VersionId: v.idOrNil()})
	code := status(err)
	if err == nil || code == http.StatusNotFound {
		return nil, nil
	}
	if code == 0 {
		return nil, b.explain("delete", "s3:DeleteObject", v.name, err)
	}
	if until, locked := b.lockedUntil(ctx, v); locked {
		return fmt.Errorf("%w %s: %s", ErrLocked, until, v), nil
	}
	err = b.explain("delete", "s3:DeleteObject and s3:DeleteObjectVersion", v.String(), err)
	if code == http.StatusForbidden {
		return nil, err
	}
	return err, nil
}

func (v version) String() string {
	if v.id == "" || v.id == "null" {
		return v.name
	}
	return v.name + " (version " + v.id + ")"
}

// lockedUntil says how long the store keeps a version that it did not delete.
func (b *Bucket) lockedUntil(ctx context.Context, v version) (string, bool) {
	if v.marker {
		return "", false
	}
	head, err := b.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.cfg.Bucket, Key: &v.name, VersionId: v.idOrNil()})
	if err == nil && head.ObjectLockLegalHoldStatus == types.ObjectLockLegalHoldStatusOn {
		return "by a legal hold", true
	}
	var until time.Time
	if err == nil {
		until = aws.ToTime(head.ObjectLockRetainUntilDate)
	}
	if until.IsZero() {
		out, err := b.s3.GetObjectRetention(ctx, &s3.GetObjectRetentionInput{Bucket: &b.cfg.Bucket, Key: &v.name, VersionId: v.idOrNil()})
		if err == nil && out.Retention != nil {
			until = aws.ToTime(out.Retention.RetainUntilDate)
		}
	}
	return "until " + until.UTC().Format(time.RFC3339), until.After(b.now())
}
