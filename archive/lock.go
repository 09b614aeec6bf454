package archive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// ObjectLock is the mode in which bundles are locked until their retain-until
// date; the zero value locks none. A locked object can still be hidden by a
// newer version or a delete marker; its own version cannot be deleted, in
// compliance mode by nobody:
// docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html.
type ObjectLock string

// The lock modes.
const (
	LockOff        ObjectLock = ""
	LockGovernance ObjectLock = "governance"
	LockCompliance ObjectLock = "compliance"
)

// UnmarshalText reads "off", "governance" or "compliance".
func (l *ObjectLock) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), "off", string(LockGovernance), string(LockCompliance))
	if *l = ObjectLock(value); value == "off" {
		*l = LockOff
	}
	return err
}

// mode is the header's form.
func (l ObjectLock) mode() types.ObjectLockMode {
	return types.ObjectLockMode(strings.ToUpper(string(l)))
}

// lock is what the store says of an object's lock.
type lock struct {
	mode  types.ObjectLockMode
	until time.Time
}

// holds tells whether l locks as strictly and as long as is wanted, or more.
func (l lock) holds(want ObjectLock, until time.Time) bool {
	strict := l.mode == want.mode() || l.mode == types.ObjectLockModeCompliance
	return strict && !l.until.Before(until)
}

// preflightLock makes sure that the bucket has Object Lock: else every put
// would be refused, or the lock ignored.
func (b *Bucket) preflightLock(ctx context.Context) error {
	if b.cfg.ObjectLock == LockOff {
		return nil
	}
	out, err := b.s3.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: &b.cfg.Bucket})
	if err == nil && out.ObjectLockConfiguration != nil && out.ObjectLockConfiguration.ObjectLockEnabled == types.ObjectLockEnabledEnabled {
		return nil
	}
	if err == nil || hasCode(err, "ObjectLockConfigurationNotFoundError") {
		return fmt.Errorf("ARCHIVE_OBJECT_LOCK=%s: bucket %s has no Object Lock: enable it on the bucket, or set ARCHIVE_OBJECT_LOCK=off", b.cfg.ObjectLock, b.cfg.Bucket)
	}
	return b.explain("read the Object Lock configuration of", "s3:GetBucketObjectLockConfiguration", "", err)
}

// verifyLock compares the lock with what is asked. A HEAD shows it only to who
// has s3:GetObjectRetention, and on some stores to nobody; then it is asked for.
func (b *Bucket) verifyLock(ctx context.Context, got Object) error {
	if b.cfg.ObjectLock == LockOff {
		return nil
	}
	is, until := got.lock, got.class.RetainUntil(got.ArchivedAt())
	if is.mode == "" {
		out, err := b.s3.GetObjectRetention(ctx, &s3.GetObjectRetentionInput{Bucket: &b.cfg.Bucket, Key: &got.name})
		switch {
		case hasCode(err, "NoSuchObjectLockConfiguration"):
			return unprotected(got, "ARCHIVE_OBJECT_LOCK: it is not locked")
		case err != nil:
			return b.explain("read the lock of", "s3:GetObjectRetention", got.name, err)
		case out.Retention != nil:
			is = lock{types.ObjectLockMode(out.Retention.Mode), aws.ToTime(out.Retention.RetainUntilDate)}
		}
	}
	if !is.holds(b.cfg.ObjectLock, until) {
		return unprotected(got, "ARCHIVE_OBJECT_LOCK: its lock is %q until %s, want %s until %s",
			is.mode, is.until.UTC().Format(time.RFC3339), b.cfg.ObjectLock.mode(), until.Format(time.RFC3339))
	}
	return nil
}
