package archive

import (
	"archive/tar"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"
)

// tarBlock is the unit to which tar pads every entry, in bytes.
const tarBlock = 512

// Bundle is a bundle being filled. Logs are compressed as they come, each into
// its own frames of the spool, because the documents that stand before them in
// the tar are only known later; Seal puts them in order. A Bundle belongs to
// one goroutine, which must call Remove in the end.
type Bundle struct {
	compression Compression
	logs        spool
	documents   []entry
	entries     []entry
	sealed      spool
}

// entry is one file of the tar; its compressed content is either in content
// or in the spool between off and end.
type entry struct {
	File
	content  []byte
	off, end int64
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

// AddLog appends a log: all that fill writes. If fill fails, nothing of the log
// stays in the bundle, and its error is returned; AddLog may then be called
// again.
func (b *Bundle) AddLog(path string, fill func(io.Writer) error) (err error) {
	start := b.logs.size
	defer func() {
		if err != nil {
			if undo := b.logs.truncate(start); undo != nil {
				err = fmt.Errorf("%w (and drop it: %w)", err, undo)
			}
		}
	}()
	frame := b.compression.newFrame(&b.logs)
	defer b.compression.release(frame)
	count := &counter{hash: sha256.New()}
	if err := fill(io.MultiWriter(frame, count)); err != nil {
		return err
	}
	if _, err := frame.Write(padding(count.size)); err != nil {
		return fmt.Errorf("compress %s: %w", path, err)
	}
	if err := frame.Close(); err != nil {
		return fmt.Errorf("compress %s: %w", path, err)
	}
	file := File{Path: path, Size: count.size, SHA256: hex.EncodeToString(count.hash.Sum(nil))}
	b.entries = append(b.entries, entry{File: file, off: start, end: b.logs.size})
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
	for _, e := range slices.Concat(b.documents, b.entries) {
		index.Files = append(index.Files, e.File)
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode index: %w", err)
	}
	md5sum, sha := md5.New(), sha256.New()
	w := io.MultiWriter(&b.sealed, md5sum, sha)
	for _, e := range slices.Concat(b.documents, b.entries) {
		if err := b.write(w, e, modTime); err != nil {
			return nil, fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	last := entry{File: File{Path: IndexName, Size: int64(len(text))}, content: text}
	if err := b.write(w, last, modTime); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	if err := b.writeFrame(w, make([]byte, 2*tarBlock)); err != nil {
		return nil, fmt.Errorf("write end of archive: %w", err)
	}
	return &Sealed{Index: index, Size: b.sealed.size, MD5: md5sum.Sum(nil), SHA256: sha.Sum(nil), spool: &b.sealed}, nil
}

// write writes one entry: a document with its header in one frame, a log as
// the header's frame and the frames it was spooled in.
func (b *Bundle) write(w io.Writer, e entry, modTime time.Time) error {
	var block bytes.Buffer
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: e.Path, Size: e.Size, Mode: 0o644,
		ModTime: modTime.UTC().Truncate(time.Second), Format: tar.FormatPAX,
	}
	if err := tar.NewWriter(&block).WriteHeader(header); err != nil {
		return err
	}
	block.Write(e.content)
	if e.content != nil {
		block.Write(padding(e.Size))
	}
	if err := b.writeFrame(w, block.Bytes()); err != nil {
		return err
	}
	_, err := io.Copy(w, b.logs.reader(e.off, e.end-e.off))
	return err
}

func (b *Bundle) writeFrame(w io.Writer, content []byte) error {
	frame := b.compression.newFrame(w)
	defer b.compression.release(frame)
	if _, err := frame.Write(content); err != nil {
		return err
	}
	return frame.Close()
}

// Remove frees the bundle's memory and files.
func (b *Bundle) Remove() error {
	logs, sealed := b.logs.close(), b.sealed.close()
	if logs != nil {
		return fmt.Errorf("close spool: %w", logs)
	}
	if sealed != nil {
		return fmt.Errorf("close spool: %w", sealed)
	}
	return nil
}

// Body reads the sealed bundle from its start; each call gives a new reader,
// and a reader can be rewound for a retry.
func (s *Sealed) Body() io.ReadSeeker { return s.spool.reader(0, s.Size) }

// counter counts and hashes what passes.
type counter struct {
	hash hash.Hash
	size int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.size += int64(len(p))
	return c.hash.Write(p)
}

func padding(size int64) []byte {
	return make([]byte, (tarBlock-size%tarBlock)%tarBlock)
}
