package archive

import (
	"archive/tar"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Bundle is a bundle being filled. Logs are spooled as they come, because the
// documents that stand before them in the tar are only known later; Seal writes
// all in order. A Bundle belongs to one goroutine, which must call Remove in the
// end.
type Bundle struct {
	compression Compression
	logs        spool
	documents   []entry
	entries     []entry
	sealed      spool
}

// entry is one file of the tar; its content is either in content or in the
// spool of logs from off.
type entry struct {
	File
	content []byte
	off     int64
}

// NewBundle starts an empty bundle that spools in dir, the temp directory if
// dir is empty.
func NewBundle(dir string, c Compression) *Bundle {
	return &Bundle{compression: c, logs: spool{dir: dir}, sealed: spool{dir: dir}}
}

// Add appends a document, such as the manifest. Documents stand in the bundle
// in the order of Add, before all logs.
func (b *Bundle) Add(path string, content []byte) {
	sum := sha256.Sum256(content)
	file := File{Path: path, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	b.documents = append(b.documents, entry{File: file, content: content})
}

// AddLog appends a log: all that fill writes. It takes the place of one that was
// added under the same path before. If fill fails, nothing of the log stays in
// the bundle, and its error is returned; AddLog may then be called again.
func (b *Bundle) AddLog(path string, fill func(io.Writer) error) error {
	start, sum := b.logs.size, sha256.New()
	if err := fill(io.MultiWriter(&b.logs, sum)); err != nil {
		if undo := b.logs.truncate(start); undo != nil {
			return fmt.Errorf("%w (and drop it: %w)", err, undo)
		}
		return err
	}
	file := File{Path: path, Size: b.logs.size - start, SHA256: hex.EncodeToString(sum.Sum(nil))}
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool { return e.Path == path })
	b.entries = append(b.entries, entry{File: file, off: start})
	return nil
}

// Sealed is a finished bundle, ready to be put.
type Sealed struct {
	Index  Index
	Size   int64
	MD5    []byte
	SHA256 []byte
	spool  *spool
}

// Seal writes the bundle in its final order, closes it with the index and
// measures it. Files of the index is filled in here. The same content, index
// and time give the same bytes.
func (b *Bundle) Seal(index Index, modTime time.Time) (*Sealed, error) {
	index.Notes = append([]string{}, index.Notes...) // an empty list, not null
	all := slices.Concat(b.documents, b.entries)
	for _, e := range all {
		index.Files = append(index.Files, e.File)
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode index: %w", err)
	}
	all = append(all, entry{File: File{Path: IndexName, Size: int64(len(text))}, content: text})
	md5sum, sha := md5.New(), sha256.New()
	if err := b.write(io.MultiWriter(&b.sealed, md5sum, sha), all, modTime); err != nil {
		return nil, err
	}
	return &Sealed{Index: index, Size: b.sealed.size, MD5: md5sum.Sum(nil), SHA256: sha.Sum(nil), spool: &b.sealed}, nil
}

// write writes all entries and the end of the archive as one compressed stream:
// some readers of gzip and zstd stop at the end of the first of several.
func (b *Bundle) write(w io.Writer, all []entry, modTime time.Time) error {
	compressor := b.compression.compressor(w)
	defer b.compression.release(compressor)
	out := tar.NewWriter(compressor)
	for _, e := range all {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.Path, Size: e.Size, Mode: 0o644,
			ModTime: modTime.UTC().Truncate(time.Second), Format: tar.FormatPAX,
		}
		if err := out.WriteHeader(header); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
		var content io.Reader = bytes.NewReader(e.content)
		if e.content == nil {
			content = b.logs.reader(e.off, e.Size)
		}
		if _, err := io.Copy(out, content); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("finish tar: %w", err)
	}
	if err := compressor.Close(); err != nil {
		return fmt.Errorf("finish compression: %w", err)
	}
	return nil
}

// Remove frees the bundle's memory and files.
func (b *Bundle) Remove() error {
	if err := errors.Join(b.logs.close(), b.sealed.close()); err != nil {
		return fmt.Errorf("close spool: %w", err)
	}
	return nil
}

// Body reads the sealed bundle from its start; each call gives a new reader,
// and a reader can be rewound for a retry.
func (s *Sealed) Body() io.ReadSeeker { return s.spool.reader(0, s.Size) }
