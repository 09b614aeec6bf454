package archive

import (
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// protection is what an object is stored with beside its bytes. What is not
// asked for is nil or empty, and then no header is sent: some stores refuse an
// empty one.
type protection struct {
	tagging      *string
	lock         types.ObjectLockMode
	lockUntil    *time.Time
	encryption   types.ServerSideEncryption
	kmsKey       *string
	storageClass types.StorageClass
}

// protection is that of an object of this class that is archived now. A
// permanent object has no retention: no tags, no lock.
func (b *Bucket) protection(class Class, archivedAt time.Time, permanent bool) protection {
	p := protection{
		encryption:   types.ServerSideEncryption(b.cfg.SSE),
		storageClass: types.StorageClass(b.cfg.StorageClass),
	}
	if b.cfg.KMSKeyID != "" {
		p.kmsKey = &b.cfg.KMSKeyID
	}
	if permanent {
		return p
	}
	if b.cfg.Tagging {
		p.tagging = aws.String(encodeTags(tags(class, archivedAt)))
	}
	if b.cfg.ObjectLock != LockOff {
		p.lock, p.lockUntil = b.cfg.ObjectLock.mode(), aws.Time(class.RetainUntil(archivedAt))
	}
	return p
}

// validateProtection refuses what a store would refuse, or could not give back.
func (c Config) validateProtection() []error {
	var problems []error
	if c.ObjectLock != LockOff && slices.ContainsFunc(c.Retention, Class.Forever) {
		problems = append(problems, errors.New("ARCHIVE_OBJECT_LOCK: a lock needs a date, and ARCHIVE_RETENTION has the class forever"))
	}
	if c.KMSKeyID != "" && c.SSE != SSEKMS {
		problems = append(problems, errors.New("ARCHIVE_KMS_KEY_ID: only with ARCHIVE_SSE=aws:kms"))
	}
	if c.StorageClass == "GLACIER" || c.StorageClass == "DEEP_ARCHIVE" {
		problems = append(problems, errors.New("ARCHIVE_STORAGE_CLASS: objects of this class cannot be read back or copied at once; move them there by a lifecycle rule"))
	}
	return problems
}
