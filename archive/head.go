package archive

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// ErrNotFound says that the store has no such object.
var ErrNotFound = errors.New("no such object")

// Object is an object of the archive in the store, or, from Put, what the store
// must have.
type Object struct {
	// Key names the bundle; it is zero for other objects.
	Key      Key
	Size     int64
	Metadata map[string]string
	// Stored is when the store took it, as a list says; zero if it was not listed.
	Stored time.Time
	// Fresh tells that VerifyPut has proven it, so that this run wrote it.
	Fresh bool

	name            string
	class           Class
	etag            string
	contentEncoding string
	lock            lock
	encryption      encryption
}

// Name is the object's key in the bucket.
func (o Object) Name() string { return o.name }

// ArchivedAt is when the bundle was put; zero if the object does not say.
func (o Object) ArchivedAt() time.Time {
	t, _ := time.Parse(time.RFC3339, o.Metadata[metaArchivedAt])
	return t
}

// RetainUntil is until when the object is kept, by the time at which it was put,
// or stored if its metadata was not asked for; zero for forever.
func (o Object) RetainUntil() time.Time {
	if at := o.ArchivedAt(); !at.IsZero() {
		return o.class.RetainUntil(at)
	}
	return o.class.RetainUntil(o.Stored)
}

// Logs is the worst outcome of the bundle's logs, as its metadata says.
func (o Object) Logs() Outcome { return Outcome(o.Metadata[metaLogs]) }

// Phase is the phase in which the pod ended, as its metadata says.
func (o Object) Phase() string { return o.Metadata[metaPhase] }

// FinishedAt is when the pod ended, as its metadata says, in RFC 3339.
func (o Object) FinishedAt() string { return o.Metadata[metaFinishedAt] }

// Head asks for the bundle under key; ErrNotFound if there is none. Its answer
// proves nothing about the content: see Verify.
func (b *Bucket) Head(ctx context.Context, key Key) (Object, error) {
	o, err := b.head(ctx, b.layout.object(key), key.Class)
	o.Key = key
	return o, err
}

// Look asks for an object that was listed, which may be of another compression
// than today's; ErrNotFound if it is there no more.
func (b *Bucket) Look(ctx context.Context, listed Object) (Object, error) {
	o, err := b.head(ctx, listed.name, listed.class)
	o.Key, o.Stored = listed.Key, listed.Stored
	return o, err
}

func (b *Bucket) head(ctx context.Context, name string, class Class) (Object, error) {
	out, err := b.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.cfg.Bucket, Key: &name})
	if status(err) == http.StatusNotFound {
		return Object{}, ErrNotFound
	}
	if err != nil {
		return Object{}, b.explain("head", "s3:GetObject and s3:ListBucket", name, err)
	}
	return Object{
		Size:            aws.ToInt64(out.ContentLength),
		Metadata:        out.Metadata,
		name:            name,
		class:           class,
		etag:            aws.ToString(out.ETag),
		contentEncoding: aws.ToString(out.ContentEncoding),
		lock:            lock{out.ObjectLockMode, aws.ToTime(out.ObjectLockRetainUntilDate)},
		encryption:      encryption{out.ServerSideEncryption, aws.ToString(out.SSEKMSKeyId)},
	}, nil
}

// status is the HTTP status behind err, 0 if there was no answer.
func status(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}
