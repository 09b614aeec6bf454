package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// ErrMismatch says that the object under the key is not, byte for byte and tag
// for tag, the bundle that should be there. It is left where it is.
var ErrMismatch = errors.New("the stored bundle does not match")

// ErrUnprotected is the ErrMismatch of a bundle that is whole, and not kept as
// is asked now: its date, tags, lock or encryption. A copy of it can be.
var ErrUnprotected = fmt.Errorf("%w in its protection", ErrMismatch)

// VerifyPut proves an object that was just put: the store's answers are compared
// with what was sent, which Put returned as want.
func (b *Bucket) VerifyPut(ctx context.Context, want Object) (Object, error) {
	got, err := b.head(ctx, want.name, want.class)
	if errors.Is(err, ErrNotFound) {
		return Object{}, mismatch(want, "the store accepted it and does not have it")
	}
	if err != nil {
		return Object{}, err
	}
	got.Key, got.Fresh = want.Key, true
	for name, value := range want.Metadata {
		if got.Metadata[name] != value {
			return Object{}, mismatch(want, "metadata %s is %q, sent was %q", name, got.Metadata[name], value)
		}
	}
	return got, b.Verify(ctx, got)
}

// Verify proves an object that Head found. Its own metadata only says what to
// expect; the proof is what the store computed (the ETag as MD5 of the bytes)
// or else the bytes themselves, read back and hashed.
func (b *Bucket) Verify(ctx context.Context, got Object) error {
	if got.Metadata[metaUID] != got.Key.UID || got.Metadata[metaResourceVersion] != got.Key.ResourceVersion {
		return mismatch(got, "its metadata names another pod or resourceVersion")
	}
	if size, err := strconv.ParseInt(got.Metadata[metaSize], 10, 64); err != nil || size != got.Size {
		return mismatch(got, "it has %d bytes, its metadata says %q", got.Size, got.Metadata[metaSize])
	}
	if got.contentEncoding != "" {
		return mismatch(got, "the store set Content-Encoding %q", got.contentEncoding)
	}
	if err := b.verifyBytes(ctx, got); err != nil {
		return err
	}
	if err := verifyDate(got); err != nil {
		return err
	}
	if err := b.verifyEncryption(got); err != nil {
		return err
	}
	if err := b.verifyLock(ctx, got); err != nil {
		return err
	}
	return b.verifyTags(ctx, got)
}

// verifyDate computes the date anew from the time of archiving.
func verifyDate(got Object) error {
	archivedAt := got.ArchivedAt()
	if archivedAt.IsZero() || got.Metadata[metaRetainUntil] != retainUntil(got.class, archivedAt) {
		return unprotected(got, "retain-until %q does not follow from archived-at %q", got.Metadata[metaRetainUntil], got.Metadata[metaArchivedAt])
	}
	return nil
}

func (b *Bucket) verifyBytes(ctx context.Context, got Object) error {
	md5 := got.Metadata[metaMD5]
	if b.cfg.Verify == VerifyETag && len(md5) == 32 && strings.Trim(got.etag, `"`) == md5 {
		return nil
	}
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &got.name})
	if err != nil {
		return b.explain("read back", "s3:GetObject", got.name, err)
	}
	defer out.Body.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, out.Body)
	if err != nil {
		return fmt.Errorf("read back %s: %w", got.name, err)
	}
	if size != got.Size || hex.EncodeToString(sum.Sum(nil)) != got.Metadata[metaSHA256] {
		return mismatch(got, "the bytes read back have another SHA-256")
	}
	return nil
}

func (b *Bucket) verifyTags(ctx context.Context, got Object) error {
	if !b.cfg.Tagging {
		return nil
	}
	out, err := b.s3.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &b.cfg.Bucket, Key: &got.name})
	if err != nil {
		return b.explain("read tags of", "s3:GetObjectTagging", got.name, err)
	}
	stored := map[string]string{}
	for _, tag := range out.TagSet {
		stored[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	want := tags(got.class, got.ArchivedAt())
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if value := want[key]; stored[key] != value {
			return unprotected(got, "tag %s is %q, want %q (a store without tags needs ARCHIVE_TAGGING=off)", key, stored[key], value)
		}
	}
	return nil
}

func mismatch(o Object, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMismatch, o.name, fmt.Sprintf(format, args...))
}

func unprotected(o Object, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrUnprotected, o.name, fmt.Sprintf(format, args...))
}
