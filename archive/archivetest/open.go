package archivetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Opened is a bundle as a reader finds it.
type Opened struct {
	Files map[string][]byte
	Order []string
	Index Index
}

// Index is the part of index.json that tests look at, written down a second
// time so that a change of the writer's does not go unseen.
type Index struct {
	Schema          int
	Namespace       string
	Pod             string
	UID             string
	ResourceVersion string
	Phase           string
	Class           string
	Files           []struct {
		Path   string
		Size   int64
		SHA256 string
	}
	Logs  []Log
	Notes []string
}

// Log is one container's log in the index.
type Log struct {
	Container string
	Type      string
	Previous  bool
	Outcome   string
	Path      string
	Status    int
	Note      string
}

// Log finds a container's log in the index.
func (o *Opened) Log(container string, previous bool) (Log, bool) {
	for _, l := range o.Index.Logs {
		if l.Container == container && l.Previous == previous {
			return l, true
		}
	}
	return Log{}, false
}

// OpenBundle reads a bundle to its end and checks that it is complete: the
// index is last, and names every other file with its size and hash.
func OpenBundle(key string, content []byte) (*Opened, error) {
	plain, err := decompress(key, content)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	o := &Opened{Files: map[string][]byte{}}
	entries := tar.NewReader(bytes.NewReader(plain))
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read tar: %w", err)
		}
		file, err := io.ReadAll(entries)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", header.Name, err)
		}
		o.Files[header.Name] = file
		o.Order = append(o.Order, header.Name)
	}
	return o, o.check()
}

func (o *Opened) check() error {
	if len(o.Order) == 0 || o.Order[len(o.Order)-1] != "index.json" {
		return errors.New("index.json is not the last entry")
	}
	if err := json.Unmarshal(o.Files["index.json"], &o.Index); err != nil {
		return fmt.Errorf("decode index: %w", err)
	}
	if len(o.Index.Files) != len(o.Order)-1 {
		return fmt.Errorf("the index names %d files, the bundle has %d", len(o.Index.Files), len(o.Order)-1)
	}
	for i, f := range o.Index.Files {
		content := o.Files[f.Path]
		sum := sha256.Sum256(content)
		if o.Order[i] != f.Path || int64(len(content)) != f.Size || hex.EncodeToString(sum[:]) != f.SHA256 {
			return fmt.Errorf("the index is wrong about %s", f.Path)
		}
	}
	for _, l := range o.Index.Logs {
		if _, ok := o.Files[l.Path]; l.Path != "" && !ok {
			return fmt.Errorf("the log %s is not in the bundle", l.Path)
		}
	}
	return nil
}

func decompress(key string, content []byte) ([]byte, error) {
	if strings.HasSuffix(key, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return zstdDecoder.DecodeAll(content, nil)
}

var zstdDecoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) // without a reader it cannot fail
