package archive

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var compressions = []Compression{Zstd, Gzip}

// decompress reads with a decoder that is not the writer's own: for gzip the
// standard library's.
func decompress(t testing.TB, c Compression, r io.Reader) []byte {
	t.Helper()
	if c == Gzip {
		d, err := stdgzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		return readAll(t, d)
	}
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return readAll(t, d)
}

func readAll(t testing.TB, r io.Reader) []byte {
	t.Helper()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestCompressionUnmarshalText(t *testing.T) {
	for _, text := range []string{"zstd", "gzip"} {
		var c Compression
		if err := c.UnmarshalText([]byte(text)); err != nil || string(c) != text {
			t.Errorf("%q: %q, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "Zstd", "GZIP", "gz", "zst", "none", "lz4", " zstd"} {
		var c Compression
		if err := c.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %q", text, c)
		}
	}
}

func TestCompressionNames(t *testing.T) {
	for _, tt := range []struct {
		c                      Compression
		extension, contentType string
	}{
		{Zstd, ".tar.zst", "application/zstd"},
		{Gzip, ".tar.gz", "application/gzip"},
	} {
		if got := tt.c.extension(); got != tt.extension {
			t.Errorf("%s: extension %q, want %q", tt.c, got, tt.extension)
		}
		if got := tt.c.contentType(); got != tt.contentType {
			t.Errorf("%s: content type %q, want %q", tt.c, got, tt.contentType)
		}
	}
}

// brokenWriter takes some bytes, then fails.
type brokenWriter struct{ left int }

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestCompressorTellsThatItsWriterFailed(t *testing.T) {
	for _, c := range compressions {
		for _, content := range [][]byte{[]byte("small"), noise(1, 3<<20)} {
			f := c.compressor(&brokenWriter{})
			_, err := f.Write(content)
			if err == nil {
				err = f.Close()
			}
			if !errors.Is(err, errBroken) {
				t.Errorf("%s, %d bytes: error %v", c, len(content), err)
			}
			c.release(f)
		}
	}
}

func TestCompressorIsCleanAfterAnAbandonedOne(t *testing.T) {
	for _, c := range compressions {
		f := c.compressor(&brokenWriter{left: 1 << 10})
		defer c.release(f)
		f.Write(noise(1, 3<<20)) // fails, and must not be seen again
		var out bytes.Buffer
		f.Reset(nil)
		f.Reset(&out)
		if _, err := f.Write([]byte("clean")); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if err := f.Close(); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if got := decompress(t, c, &out); string(got) != "clean" {
			t.Errorf("%s: got %q", c, got)
		}
	}
}
