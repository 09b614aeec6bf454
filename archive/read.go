package archive

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// ErrMalformed says that what was read is no whole bundle.
var ErrMalformed = errors.New("no whole bundle")

// Limits of what a reader holds in memory, whatever the bundle says.
const (
	maxIndex   = 16 << 20 // bytes of index.json
	maxEntries = 1 << 14  // a manifest that the API server takes cannot name as many containers
	maxName    = 512
)

// Visit is called for each entry of a bundle but the index, in their order. The
// file has path and size, which are safe to use: the path has one directory at
// most and nothing but letters, digits, "-", "_" and "." in it. content need not
// be read.
type Visit func(f File, content io.Reader) error

// ReadBundle reads a bundle to its end, calling visit for each entry, and
// returns its index. It holds one index in memory, and no entry. The input may
// be hostile. The index comes last: what visit was given is proven to be what
// the index says only when ReadBundle returns nil. An error is ErrMalformed, or
// that of r or of visit.
func ReadBundle(r io.Reader, c Compression, visit Visit) (Index, error) {
	in := &source{r: r}
	index, err := readCompressed(in, c, visit)
	if in.err != nil && err != nil {
		return Index{}, in.err
	}
	return index, err
}

// source remembers what went wrong below a decoder.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func readCompressed(r io.Reader, c Compression, visit Visit) (Index, error) {
	plain, err := c.decompressor(bufio.NewReader(r))
	if err != nil {
		return Index{}, malformed("begin to decompress: %w", err)
	}
	defer plain.Close()
	read := &reader{tar: tar.NewReader(plain), seen: map[string]bool{}}
	if err := read.entries(visit); err != nil {
		return Index{}, err
	}
	// whatever stands behind the end would be read by some and not by others
	if n, err := io.CopyN(io.Discard, plain, 1); n > 0 || !errors.Is(err, io.EOF) {
		return Index{}, malformed("%d bytes behind the end of the tar (%v)", n, err)
	}
	return read.index, nil
}

// reader is a bundle being read.
type reader struct {
	tar   *tar.Reader
	files []File
	seen  map[string]bool
	index Index
}

// entries reads all of the tar; the index must be the last entry, and true.
func (b *reader) entries(visit Visit) error {
	for {
		header, err := b.tar.Next()
		if err != nil {
			return malformed("next entry: %w", err)
		}
		if err := b.check(header); err != nil {
			return err
		}
		if header.Name == IndexName {
			break
		}
		if err := b.entry(header, visit); err != nil {
			return err
		}
	}
	if err := b.readIndex(); err != nil {
		return err
	}
	if _, err := b.tar.Next(); !errors.Is(err, io.EOF) {
		return malformed("the index is not the last entry")
	}
	return nil
}

// safeName is the form of all names in a bundle, also of those to come.
var safeName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (b *reader) check(h *tar.Header) error {
	switch {
	case len(h.Name) > maxName || !safeName.MatchString(h.Name):
		return malformed("an entry has the name %.100q", h.Name)
	case h.Typeflag != tar.TypeReg:
		return malformed("%s is no regular file", h.Name)
	case b.seen[h.Name]:
		return malformed("%s is there twice", h.Name)
	case len(b.seen) == maxEntries:
		return malformed("more than %d entries", maxEntries)
	}
	for record := range h.PAXRecords {
		if strings.HasPrefix(record, "GNU.sparse") {
			return malformed("%s has holes", h.Name)
		}
	}
	b.seen[h.Name] = true
	return nil
}

// entry hands one entry out and measures it, also what visit leaves unread.
func (b *reader) entry(h *tar.Header, visit Visit) error {
	sum := sha256.New()
	content := &source{r: io.TeeReader(b.tar, sum)}
	f := File{Path: h.Name, Size: h.Size}
	err := visit(f, content)
	if content.err == nil && err != nil {
		return err
	}
	if content.err == nil {
		_, err = io.Copy(io.Discard, content)
	}
	if err != nil {
		return malformed("read %s: %w", h.Name, err)
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	b.files = append(b.files, f)
	return nil
}

func (b *reader) readIndex() error {
	text, err := io.ReadAll(io.LimitReader(b.tar, maxIndex+1))
	if err != nil {
		return malformed("read the index: %w", err)
	}
	if len(text) > maxIndex {
		return malformed("the index is over %d bytes", maxIndex)
	}
	if err := json.Unmarshal(text, &b.index); err != nil {
		return malformed("decode the index: %w", err)
	}
	if !slices.Equal(b.index.Files, b.files) {
		return malformed("the index names other files, sizes or sums than there are")
	}
	return nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrMalformed, fmt.Errorf(format, args...))
}
