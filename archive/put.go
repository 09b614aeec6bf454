package archive

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// maxObject is the largest object that one PutObject may carry, in bytes:
// docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html.
const maxObject = 5 << 30

// ErrExists says that the key was taken, by an earlier run or by our own try
// whose answer was lost. Verify what is there.
var ErrExists = errors.New("the key already exists")

// Names of the user metadata of a bundle; all values are ASCII.
const (
	metaUID             = "uid"
	metaResourceVersion = "resource-version"
	metaSize            = "size"
	metaMD5             = "md5"
	metaSHA256          = "sha256"
	metaSchema          = "schema"
	metaFinishedAt      = "finished-at"
	metaArchivedAt      = "archived-at"
	metaRetainUntil     = "retain-until"
	metaPhase           = "phase"
	metaLogs            = "logs"
)

// Put writes the bundle under key unless something is there (ErrExists), and
// returns what the store must answer from now on, for VerifyPut. The error of a
// request whose outcome is unknown does not mean that nothing was written.
func (b *Bucket) Put(ctx context.Context, key Key, s *Sealed) (Object, error) {
	o, err := b.put(ctx, upload{
		name:        b.layout.object(key),
		class:       key.Class,
		contentType: b.cfg.Compression.contentType(),
		body:        s.Body(),
		size:        s.Size,
		md5:         s.MD5,
		sha256:      s.SHA256,
		metadata: map[string]string{
			metaUID:             key.UID,
			metaResourceVersion: key.ResourceVersion,
			metaFinishedAt:      s.Index.FinishedAt.UTC().Format(time.RFC3339),
			metaSchema:          strconv.Itoa(Schema),
			metaPhase:           s.Index.Phase,
			metaLogs:            string(Worst(s.Index.Logs)),
		},
	})
	o.Key = key
	return o, err
}

// upload is one object to put under its retention, with what its body was
// measured to be.
type upload struct {
	name        string
	class       Class
	contentType string
	body        io.ReadSeeker
	size        int64
	md5, sha256 []byte
	metadata    map[string]string
	// permanent is an object without retention, which no lifecycle rule for
	// bundles shall match.
	permanent bool
}

// document is the upload of a small object that is not a bundle.
func document(name, contentType string, class Class, text []byte) upload {
	md5sum, sha := md5.Sum(text), sha256.Sum256(text)
	return upload{
		name: name, class: class, contentType: contentType, metadata: map[string]string{metaSchema: strconv.Itoa(Schema)},
		body: bytes.NewReader(text), size: int64(len(text)), md5: md5sum[:], sha256: sha[:],
	}
}

func (b *Bucket) put(ctx context.Context, u upload) (Object, error) {
	if u.size > maxObject {
		return Object{}, fmt.Errorf("put %s: it has %d bytes, one object takes at most %d", u.name, u.size, int64(maxObject))
	}
	archivedAt := b.now().UTC().Truncate(time.Second)
	u.metadata[metaSize] = strconv.FormatInt(u.size, 10)
	u.metadata[metaMD5] = hex.EncodeToString(u.md5)
	u.metadata[metaSHA256] = hex.EncodeToString(u.sha256)
	u.metadata[metaArchivedAt] = archivedAt.Format(time.RFC3339)
	u.metadata[metaRetainUntil] = retainUntil(u.class, archivedAt)
	with := b.protection(u.class, archivedAt, u.permanent)
	input := &s3.PutObjectInput{
		Bucket:        &b.cfg.Bucket,
		Key:           &u.name,
		Body:          u.body,
		ContentLength: &u.size,
		ContentMD5:    aws.String(base64.StdEncoding.EncodeToString(u.md5)),
		ContentType:   &u.contentType,
		Metadata:      u.metadata,
		Tagging:       with.tagging,
		StorageClass:  with.storageClass,

		ObjectLockMode:            with.lock,
		ObjectLockRetainUntilDate: with.lockUntil,
		ServerSideEncryption:      with.encryption,
		SSEKMSKeyId:               with.kmsKey,
	}
	ctx = v4.SetPayloadHash(ctx, hex.EncodeToString(u.sha256))
	err := b.ifAbsent(ctx, &b.puts, u.name, func(ifNoneMatch *string) error {
		if _, err := u.body.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("rewind: %w", err)
		}
		input.IfNoneMatch = ifNoneMatch
		_, err := b.s3.PutObject(ctx, input)
		return err
	})
	if errors.Is(err, ErrExists) {
		return Object{}, fmt.Errorf("put %s: %w", u.name, err)
	}
	if err != nil {
		return Object{}, b.explain("put", b.putPermissions(), u.name, err)
	}
	return Object{Size: u.size, Metadata: u.metadata, name: u.name, class: u.class}, nil
}

// putPermissions are those that a put or a copy needs.
func (b *Bucket) putPermissions() string {
	needs := "s3:PutObject"
	if b.cfg.Tagging {
		needs += ", s3:PutObjectTagging"
	}
	if b.cfg.ObjectLock != LockOff {
		needs += ", s3:PutObjectRetention"
	}
	if b.cfg.SSE == SSEKMS {
		needs += ", kms:GenerateDataKey, kms:Decrypt"
	}
	return needs
}
