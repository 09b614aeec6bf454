package archive

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Copy puts the bundle from, which Verify has found whole, under key too, with a
// retention that counts from now and all that is asked for now; unless something
// is there (ErrExists). It returns what the store must answer, for VerifyPut.
// The bytes do not leave the store, except where it has no CopyObject.
func (b *Bucket) Copy(ctx context.Context, from Object, key Key) (Object, error) {
	to := Object{Key: key, Size: from.Size, name: b.layout.object(key), class: key.Class}
	archivedAt := b.now().UTC().Truncate(time.Second)
	to.Metadata = maps.Clone(from.Metadata)
	to.Metadata[metaArchivedAt] = archivedAt.Format(time.RFC3339)
	to.Metadata[metaRetainUntil] = retainUntil(key.Class, archivedAt)
	if b.noCopy.Load() {
		return b.copyByHand(ctx, from, to)
	}
	with := b.protection(key.Class, archivedAt, false)
	input := &s3.CopyObjectInput{
		Bucket:            &b.cfg.Bucket,
		Key:               &to.name,
		CopySource:        aws.String(copySource(b.cfg.Bucket, from.name)),
		ContentType:       aws.String(b.cfg.Compression.contentType()),
		MetadataDirective: types.MetadataDirectiveReplace,
		Metadata:          to.Metadata,
		Tagging:           with.tagging,
		StorageClass:      with.storageClass,

		ObjectLockMode:            with.lock,
		ObjectLockRetainUntilDate: with.lockUntil,
		ServerSideEncryption:      with.encryption,
		SSEKMSKeyId:               with.kmsKey,
	}
	if with.tagging != nil {
		input.TaggingDirective = types.TaggingDirectiveReplace
	}
	err := b.ifAbsent(ctx, &b.copies, to.name, func(ifNoneMatch *string) error {
		input.IfNoneMatch = ifNoneMatch
		_, err := b.s3.CopyObject(ctx, input)
		return err
	})
	switch code := status(err); {
	case errors.Is(err, ErrExists):
		return Object{}, fmt.Errorf("copy to %s: %w", to.name, err)
	case code == http.StatusNotImplemented || code == http.StatusMethodNotAllowed:
		b.noCopy.Store(true)
		return b.copyByHand(ctx, from, to)
	case err != nil:
		return Object{}, b.explain("copy "+from.name+" to", b.putPermissions(), to.name, err)
	}
	return to, nil
}

// copySource names an object in the form of the header, which is escaped: stores
// differ in what a plus sign means there.
func copySource(bucket, name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	}
	return bucket + "/" + strings.Join(segments, "/")
}

// copyByHand reads the bundle and puts it again; what was read must have the
// hash that the bundle says.
func (b *Bucket) copyByHand(ctx context.Context, from, to Object) (Object, error) {
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &from.name})
	if err != nil {
		return Object{}, b.explain("read", "s3:GetObject", from.name, err)
	}
	defer out.Body.Close()
	content := &spool{dir: b.cfg.SpoolDir}
	defer content.close()
	md5sum, sha := md5.New(), sha256.New()
	if _, err := io.Copy(io.MultiWriter(content, md5sum, sha), out.Body); err != nil {
		return Object{}, fmt.Errorf("read %s: %w", from.name, err)
	}
	if hex.EncodeToString(sha.Sum(nil)) != from.Metadata[metaSHA256] {
		return Object{}, mismatch(from, "the bytes read back have another SHA-256")
	}
	put, err := b.put(ctx, upload{
		name: to.name, class: to.class, contentType: b.cfg.Compression.contentType(), metadata: to.Metadata,
		body: content.reader(0, content.size), size: content.size, md5: md5sum.Sum(nil), sha256: sha.Sum(nil),
	})
	put.Key = to.Key
	return put, err
}
