package cli

import (
	"bytes"
	"io"
	"time"
)

// lineFilter takes a log as it is stored, each line with its timestamp, and
// writes what "kubectl logs" would have printed of it. It holds no line.
type lineFilter struct {
	w          io.Writer
	timestamps bool
	prefix     string
	// since drops lines from before; zero drops none.
	since time.Time
	// skip drops so many of the lines that are left.
	skip int
	// lines counts those that were neither too old nor skipped.
	lines int

	middle  bool   // in a line, past its timestamp
	drop    bool   // this line
	pending []byte // the beginning of a line, until its timestamp is known
}

// maxTimestamp is longer than any RFC 3339 timestamp and the space after it.
const maxTimestamp = 40

func (f *lineFilter) Write(p []byte) (int, error) {
	var out bytes.Buffer
	for rest := p; len(rest) > 0; {
		if f.middle {
			rest = f.copy(&out, rest)
			continue
		}
		n := bytes.IndexAny(rest, " \n")
		switch {
		case n < 0 && len(f.pending)+len(rest) < maxTimestamp:
			f.pending = append(f.pending, rest...)
			rest = nil
		case n < 0 || rest[n] == '\n': // no timestamp that we know
			f.begin(&out)
		default:
			f.pending = append(f.pending, rest[:n+1]...)
			rest = rest[n+1:]
			f.begin(&out)
		}
	}
	if _, err := f.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the beginning of a last line without a timestamp.
func (f *lineFilter) Close() error {
	if len(f.pending) == 0 {
		return nil
	}
	var out bytes.Buffer
	f.begin(&out)
	_, err := f.w.Write(out.Bytes())
	return err
}

// begin decides on a line by its timestamp, if it has one.
func (f *lineFilter) begin(out *bytes.Buffer) {
	at, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSuffix(f.pending, []byte(" "))))
	f.middle, f.drop = true, err == nil && at.Before(f.since)
	if !f.drop && f.skip > 0 {
		f.skip--
		f.drop = true
	}
	if !f.drop {
		f.lines++
		out.WriteString(f.prefix)
		if f.timestamps || err != nil {
			out.Write(f.pending)
		}
	}
	f.pending = f.pending[:0]
}

// copy writes up to the end of the line and returns what comes after.
func (f *lineFilter) copy(out *bytes.Buffer, text []byte) []byte {
	line := text
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		line = text[:n+1]
		f.middle = false
	}
	if !f.drop {
		out.Write(line)
	}
	return text[len(line):]
}
