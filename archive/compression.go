package archive

import (
	"io"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is how a bundle's tar is compressed: Zstd or Gzip.
type Compression string

// The compressions a bundle can have.
const (
	Zstd Compression = "zstd"
	Gzip Compression = "gzip"
)

// UnmarshalText refuses every other name.
func (c *Compression) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), string(Zstd), string(Gzip))
	*c = Compression(value)
	return err
}

func (c Compression) extension() string {
	if c == Gzip {
		return ".tar.gz"
	}
	return ".tar.zst"
}

// compressionOf tells the compression by the ending of a bundle's key.
func compressionOf(name string) (Compression, bool) {
	for _, c := range []Compression{Zstd, Gzip} {
		if strings.HasSuffix(name, c.extension()) {
			return c, true
		}
	}
	return "", false
}

func (c Compression) contentType() string {
	if c == Gzip {
		return "application/gzip"
	}
	return "application/zstd"
}

// compressor is an encoder that can be used again.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// mostEncoders is how many there are at most, also on a large node.
const mostEncoders = 4

// encoders are kept for reuse, and no more than there are CPUs: each holds more than a
// MiB, and a bundle is compressed from its spool, so that more of them would gain
// nothing.
type encoders struct {
	create func() compressor
	free   chan compressor // nil stands for one that is not made yet
}

func newEncoders(create func() compressor) encoders {
	e := encoders{create, make(chan compressor, min(mostEncoders, runtime.GOMAXPROCS(0)))}
	for range cap(e.free) {
		e.free <- nil
	}
	return e
}

// compressors make what can be read by everyone. The fastest level of zstd takes half
// the time of the next on logs, which are not smaller by that: BenchmarkBundle.
var compressors = map[Compression]encoders{
	Zstd: newEncoders(func() compressor {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return w
	}),
	Gzip: newEncoders(func() compressor { return gzip.NewWriter(nil) }),
}

// compressor waits until one is free, which release makes it again.
func (c Compression) compressor(w io.Writer) compressor {
	encoder := <-compressors[c].free
	if encoder == nil {
		encoder = compressors[c].create()
	}
	encoder.Reset(w)
	return encoder
}

// release gives a closed or abandoned compressor back.
func (c Compression) release(encoder compressor) {
	encoder.Reset(nil)
	compressors[c].free <- encoder
}
