package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// ErrRefused says that the store has the object and does not give it out: it
// was moved to a storage class that must be restored first, or a permission is
// missing.
var ErrRefused = errors.New("the store does not give the object out")

// Read reads a bundle that Find or Head found, like ReadBundle, and proves it as
// it passes: the bytes by the size and the SHA-256 in its metadata, its content
// by its index, both by its key. What visit was given is proven only when Read
// returns nil. An error is ErrNotFound, ErrRefused, ErrMismatch for a bundle
// that is not what it should be, that of visit, or that of the request.
func (b *Bucket) Read(ctx context.Context, o Object, visit Visit) (Index, error) {
	return b.save(ctx, o, io.Discard, visit)
}

// Save is Read, and writes the bundle to w as it is stored.
func (b *Bucket) Save(ctx context.Context, o Object, w io.Writer) (Index, error) {
	return b.save(ctx, o, w, func(File, io.Reader) error { return nil })
}

func (b *Bucket) save(ctx context.Context, o Object, w io.Writer, visit Visit) (Index, error) {
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &o.name})
	switch status(err) {
	case http.StatusNotFound:
		return Index{}, fmt.Errorf("read %s: %w", o.name, ErrNotFound)
	case http.StatusForbidden:
		return Index{}, fmt.Errorf("%w: %w", ErrRefused, b.explain("read", "s3:GetObject", o.name, err))
	}
	if err != nil {
		return Index{}, b.explain("read", "s3:GetObject", o.name, err)
	}
	defer out.Body.Close()
	o.Metadata = out.Metadata
	if o.Metadata[metaUID] != o.Key.UID || o.Metadata[metaResourceVersion] != o.Key.ResourceVersion {
		return Index{}, mismatch(o, "its metadata names another pod or resourceVersion")
	}
	compression, _ := compressionOf(o.name)
	sum := sha256.New()
	counted := &counter{r: io.TeeReader(out.Body, io.MultiWriter(sum, w))}
	index, err := ReadBundle(counted, compression, visit)
	if errors.Is(err, ErrMalformed) {
		return Index{}, mismatch(o, "%v", err)
	}
	if err != nil {
		return Index{}, fmt.Errorf("read %s: %w", o.name, err)
	}
	if _, err := io.Copy(io.Discard, counted); err != nil {
		return Index{}, fmt.Errorf("read %s: %w", o.name, err)
	}
	if strconv.FormatInt(counted.n, 10) != o.Metadata[metaSize] || hex.EncodeToString(sum.Sum(nil)) != o.Metadata[metaSHA256] {
		return Index{}, mismatch(o, "its bytes have another length or SHA-256 than its metadata says")
	}
	if index.UID != o.Key.UID || index.ResourceVersion != o.Key.ResourceVersion || index.Namespace != o.Key.Namespace || index.Pod != o.Key.Pod {
		return Index{}, mismatch(o, "its index names another pod or resourceVersion")
	}
	return index, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
