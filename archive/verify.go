package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// ErrMismatch says that the object under the key is not, byte for byte and tag
// for tag, the bundle that should be there. It is left where it is.
var ErrMismatch = errors.New("the stored bundle does not match")

// VerifyPut proves a bundle that was just put: the store's answers are
// compared with what was sent, which Put returned as want.
func (b *Bucket) VerifyPut(ctx context.Context, want Object) (Object, error) {
	got, err := b.Head(ctx, want.Key)
	if errors.Is(err, ErrNotFound) {
		return Object{}, b.mismatch(want.Key, "the store accepted it and does not have it")
	}
	if err != nil {
		return Object{}, err
	}
	for name, value := range want.Metadata {
		if got.Metadata[name] != value {
			return Object{}, b.mismatch(want.Key, "metadata %s is %q, sent was %q", name, got.Metadata[name], value)
		}
	}
	got.Fresh = true
	return got, b.Verify(ctx, got)
}

// Verify proves a bundle that Head found. Its own metadata only says what to
// expect; the proof is what the store computed (the ETag as MD5 of the bytes)
// or else the bytes themselves, read back and hashed.
func (b *Bucket) Verify(ctx context.Context, got Object) error {
	key := got.Key
	if got.Metadata[metaUID] != key.UID || got.Metadata[metaResourceVersion] != key.ResourceVersion {
		return b.mismatch(key, "its metadata names another pod or resourceVersion")
	}
	if size, err := strconv.ParseInt(got.Metadata[metaSize], 10, 64); err != nil || size != got.Size {
		return b.mismatch(key, "it has %d bytes, its metadata says %q", got.Size, got.Metadata[metaSize])
	}
	if got.contentEncoding != "" {
		return b.mismatch(key, "the store set Content-Encoding %q", got.contentEncoding)
	}
	archivedAt := got.ArchivedAt()
	if archivedAt.IsZero() || got.Metadata[metaRetainUntil] != retainUntil(key.Class, archivedAt) {
		return b.mismatch(key, "retain-until %q does not follow from archived-at %q", got.Metadata[metaRetainUntil], got.Metadata[metaArchivedAt])
	}
	if err := b.verifyBytes(ctx, got); err != nil {
		return err
	}
	return b.verifyTags(ctx, got)
}

func (b *Bucket) verifyBytes(ctx context.Context, got Object) error {
	md5 := got.Metadata[metaMD5]
	if b.cfg.Verify == VerifyETag && len(md5) == 32 && strings.Trim(got.etag, `"`) == md5 {
		return nil
	}
	name := b.layout.object(got.Key)
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &name})
	if err != nil {
		return b.explain("read back", "s3:GetObject", name, err)
	}
	defer out.Body.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, out.Body)
	if err != nil {
		return fmt.Errorf("read back %s: %w", name, err)
	}
	if size != got.Size || hex.EncodeToString(sum.Sum(nil)) != got.Metadata[metaSHA256] {
		return b.mismatch(got.Key, "the bytes read back have another SHA-256")
	}
	return nil
}

func (b *Bucket) verifyTags(ctx context.Context, got Object) error {
	if !b.cfg.Tagging {
		return nil
	}
	name := b.layout.object(got.Key)
	out, err := b.s3.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &b.cfg.Bucket, Key: &name})
	if err != nil {
		return b.explain("read tags of", "s3:GetObjectTagging", name, err)
	}
	stored := map[string]string{}
	for _, tag := range out.TagSet {
		stored[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	for key, value := range tags(got.Key.Class, got.ArchivedAt()) {
		if stored[key] != value {
			return b.mismatch(got.Key, "tag %s is %q, want %q", key, stored[key], value)
		}
	}
	return nil
}

func (b *Bucket) mismatch(key Key, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrMismatch, b.layout.object(key), fmt.Sprintf(format, args...))
}
