package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// filtered is what the filter makes of a log that comes in pieces of any size.
func filtered(t *testing.T, f lineFilter, text string) (string, int) {
	t.Helper()
	var want string
	lines := 0
	for n, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
		var out bytes.Buffer
		filter := f
		filter.w = &out
		if _, err := io.Copy(&filter, reader); err != nil {
			t.Fatal(err)
		}
		if err := filter.Close(); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			want = out.String()
		}
		if out.String() != want {
			t.Errorf("in other pieces %q becomes %q, not %q", text, out.String(), want)
		}
		lines = filter.lines
	}
	return want, lines
}

func TestLineFilter(t *testing.T) {
	stamp := func(second int) string { return fmt.Sprintf("2026-12-07T09:00:%02d.123456789Z ", second) }
	two := stamp(1) + "one\n" + stamp(2) + "two\n"
	since := time.Date(2026, 12, 7, 9, 0, 2, 0, time.UTC)
	for name, c := range map[string]struct {
		filter     lineFilter
		text, want string
		lines      int
	}{
		"nothing":                   {lineFilter{}, "", "", 0},
		"two lines":                 {lineFilter{}, two, "one\ntwo\n", 2},
		"with timestamps":           {lineFilter{timestamps: true}, two, two, 2},
		"with a prefix":             {lineFilter{prefix: "[p] "}, two, "[p] one\n[p] two\n", 2},
		"since":                     {lineFilter{since: since}, two, "two\n", 1},
		"skip":                      {lineFilter{skip: 1}, two, "two\n", 1},
		"skip after since":          {lineFilter{since: since, skip: 1}, two + stamp(3) + "three\n", "three\n", 1},
		"no newline at the end":     {lineFilter{}, two + stamp(3) + "three", "one\ntwo\nthree", 3},
		"an empty line":             {lineFilter{}, stamp(1) + "\n" + stamp(2) + "x\n", "\nx\n", 2},
		"an empty last line":        {lineFilter{}, stamp(1), "", 1},
		"no timestamp":              {lineFilter{}, "bare line\n" + two, "bare line\none\ntwo\n", 3},
		"no timestamp and no space": {lineFilter{}, "bare\n\n" + two, "bare\n\none\ntwo\n", 4},
		"a last bare word":          {lineFilter{}, two + "bare", "one\ntwo\nbare", 3},
		"a long bare word":          {lineFilter{}, strings.Repeat("x", 100) + " y\n", strings.Repeat("x", 100) + " y\n", 1},
		"a stamp in the middle":     {lineFilter{}, stamp(1) + stamp(2) + "\n", stamp(2) + "\n", 1},
		"another zone":              {lineFilter{}, "2026-12-07T10:00:00.5+01:00 x\n", "x\n", 1},
		"no text":                   {lineFilter{}, stamp(1) + "\x00\xff\r\n", "\x00\xff\r\n", 1},
	} {
		if got, lines := filtered(t, c.filter, c.text); got != c.want || lines != c.lines {
			t.Errorf("%s: %q, %d lines, want %q, %d", name, got, lines, c.want, c.lines)
		}
	}
}

// A line without end is not held.
func TestLineFilterHoldsNoLine(t *testing.T) {
	filter := lineFilter{w: io.Discard}
	for range 1000 {
		filter.Write(bytes.Repeat([]byte("x"), 1<<16))
		if len(filter.pending) > maxTimestamp {
			t.Fatalf("%d bytes are held", len(filter.pending))
		}
	}
}

func TestEscaper(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":             "plain\ttext\n",
		"ümläut 漢字 🙂\n":             "ümläut 漢字 🙂\n",
		"\x1b[31mred\x1b[0m":        `\x1b[31mred\x1b[0m`,
		"\x1b]0;title\x07":          `\x1b]0;title\x07`,
		"dos\r\nlines\r\n":          "dos\r\nlines\r\n",
		"over\rwrite":               `over\x0dwrite`,
		"ends with \r":              `ends with \x0d`,
		"8-bit \x9b31m \xff":        `8-bit \x9b31m \xff`,
		"C1 \u009b31m":              `C1 \u009b31m`,
		"bidi \u202e and \u2066":    `bidi \u202e and \u2066`,
		"tag \U000e0041":            `tag \U000e0041`,
		"null \x00, del \x7f":       `null \x00, del \x7f`,
		"cut \xe6\xbc":              `cut \xe6\xbc`,
		"cut in between \xe6\xbc\n": `cut in between \xe6\xbc` + "\n",
	} {
		for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			var out bytes.Buffer
			e := &escaper{w: &out}
			if _, err := io.Copy(struct{ io.Writer }{e}, reader); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(); err != nil || out.String() != want {
				t.Errorf("%q: %q, want %q, %v", text, out.String(), want, err)
			}
		}
	}
}

func FuzzEscaper(f *testing.F) {
	f.Add([]byte("\x1b[31m\r\n\xe6\xbc\xa2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		e := &escaper{w: &out}
		e.Write(text[:len(text)/2])
		e.Write(text[len(text)/2:])
		e.Close()
		for _, b := range out.Bytes() {
			if b < 0x20 && b != '\n' && b != '\t' && b != '\r' || b == 0x7f {
				t.Fatalf("%q becomes %q", text, out.String())
			}
		}
	})
}
