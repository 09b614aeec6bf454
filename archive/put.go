package archive

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
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
// returns what the store must answer from now on, for Verify. The error of a
// request whose outcome is unknown does not mean that nothing was written.
func (b *Bucket) Put(ctx context.Context, key Key, s *Sealed) (Object, error) {
	if s.Size > maxObject {
		return Object{}, fmt.Errorf("put %s: the bundle has %d bytes, one object takes at most %d", b.layout.object(key), s.Size, int64(maxObject))
	}
	archivedAt := b.now().UTC().Truncate(time.Second)
	want := Object{Key: key, Size: s.Size, Metadata: map[string]string{
		metaUID:             key.UID,
		metaResourceVersion: key.ResourceVersion,
		metaSize:            strconv.FormatInt(s.Size, 10),
		metaMD5:             hex.EncodeToString(s.MD5),
		metaSHA256:          hex.EncodeToString(s.SHA256),
		metaSchema:          strconv.Itoa(Schema),
		metaFinishedAt:      s.Index.FinishedAt.UTC().Format(time.RFC3339),
		metaArchivedAt:      archivedAt.Format(time.RFC3339),
		metaRetainUntil:     retainUntil(key.Class, archivedAt),
		metaPhase:           s.Index.Phase,
		metaLogs:            string(Worst(s.Index.Logs)),
	}}
	input := &s3.PutObjectInput{
		Bucket:        &b.cfg.Bucket,
		Key:           aws.String(b.layout.object(key)),
		Body:          s.Body(),
		ContentLength: &s.Size,
		ContentMD5:    aws.String(base64.StdEncoding.EncodeToString(s.MD5)),
		ContentType:   aws.String(b.cfg.Compression.contentType()),
		IfNoneMatch:   aws.String("*"),
		Metadata:      want.Metadata,
	}
	if b.cfg.Tagging {
		input.Tagging = aws.String(encodeTags(tags(key.Class, archivedAt)))
	}
	ctx = v4.SetPayloadHash(ctx, hex.EncodeToString(s.SHA256))
	_, err := b.s3.PutObject(ctx, input)
	if hasCode(err, "PreconditionFailed") {
		return Object{}, fmt.Errorf("put %s: %w", *input.Key, ErrExists)
	}
	if err != nil {
		return Object{}, b.explain("put", "s3:PutObject", *input.Key, err)
	}
	return want, nil
}
