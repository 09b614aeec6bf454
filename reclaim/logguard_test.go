package reclaim

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// inBand are the texts that the kubelet puts into a body of status 200.
var inBand = []string{
	"unable to retrieve container logs for containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	`failed to try resolving symlinks in path "/var/log/pods/shop_report/main/0.log": lstat /var/log/pods: no such file or directory`,
	`failed to open log file "/var/log/pods/main/0.log": permission denied`,
	`failed to get parse function: unsupported log format: "\x00"`,
	"container status is nil",
}

// guarded lets body pass in these pieces.
func guarded(t *testing.T, parts ...[]byte) (passed, text string) {
	t.Helper()
	var out bytes.Buffer
	g := &guard{w: &out}
	for _, part := range parts {
		if n, err := g.Write(part); n != len(part) || err != nil {
			t.Fatalf("Write = %d, %v, want %d", n, err, len(part))
		}
	}
	text, err := g.finish()
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), text
}

// everySplit gives body in two pieces, cut at every position, and byte by byte.
func everySplit(t *testing.T, body string, check func(passed, text string)) {
	t.Helper()
	for n := range len(body) + 1 {
		check(guarded(t, []byte(body[:n]), []byte(body[n:])))
	}
	check(guarded(t, slices.Collect(slices.Chunk([]byte(body), 1))...))
}

func TestGuardStopsErrorTexts(t *testing.T) {
	for _, body := range append(slices.Clone(inBand),
		"x",
		" ",
		"\n",
		"   three blanks",
		"nospace",
		strings.Repeat("x", stampMax-1),
		strings.Repeat("x", stampMax),
		strings.Repeat("x", 500),
		"2026-11-30T12:00:00.000000001Z", // a timestamp and nothing behind it is no line
		"2026-11-30T12:00:00.000000001Z\ttext",
		"\n2026-11-30T12:00:00.000000001Z text\n",
		" 2026-11-30T12:00:00.000000001Z text\n",
		"2026-11-30 text",
		"12:00:00 text",
		"\"2026-11-30T12:00:00.000000001Z text\n",
	) {
		everySplit(t, body, func(passed, text string) {
			if passed != "" {
				t.Errorf("%q: let %q through", body, passed)
			}
			if text != body {
				t.Errorf("%q: the text is %q", body, text)
			}
		})
	}
}

func TestGuardLetsLogsPass(t *testing.T) {
	for _, log := range []string{
		"",
		logLines("one\n", "two\n"),
		logLines(inBand[0]+"\n", inBand[1]+"\n", inBand[2]), // a program that logs such errors
		logLines("one\n") + inBand[0],                       // glued to the end: not the guard's to find
		logLines(""),
		logLines("\n"),
		logLines("\x00\xff\xc3\x28\r\n\x00"),
		logLines(strings.Repeat("x", 300)),
		"2026-11-30T12:00:00+05:30 text",
	} {
		everySplit(t, log, func(passed, text string) {
			if passed != log || text != "" {
				t.Errorf("%q: passed %q, text %q", log, passed, text)
			}
		})
	}
}

func TestGuardHoldsBoundedText(t *testing.T) {
	var parts [][]byte
	for range 1000 {
		parts = append(parts, bytes.Repeat([]byte("no log "), 1000))
	}
	passed, text := guarded(t, parts...)
	if passed != "" || len(text) != noteMax {
		t.Errorf("passed %d bytes, text of %d bytes, want 0 and %d", len(passed), len(text), noteMax)
	}
}

func TestGuardTextIsValid(t *testing.T) {
	for _, body := range []string{"\xff\xfe no log", "no log \xc3\x28", strings.Repeat("ü", noteMax)} {
		_, text := guarded(t, []byte(body))
		if !utf8.ValidString(text) || text == "" {
			t.Errorf("text %q", text)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestGuardTellsThatItsWriterFailed(t *testing.T) {
	for _, log := range []string{logLines("one\n"), logLines("")} {
		g := &guard{w: brokenWriter{}}
		_, err := g.Write([]byte(log))
		if err == nil {
			_, err = g.finish()
		}
		if !errors.Is(err, errBroken) || !errors.Is(g.err, errBroken) {
			t.Errorf("%q: errors %v and %v", log, err, g.err)
		}
	}
}

func FuzzGuard(f *testing.F) {
	f.Add([]byte(logLines("one\n", "two\n")), uint8(3))
	f.Add([]byte(inBand[0]), uint8(40))
	f.Add([]byte("2026-11-30T12:00:00Z "), uint8(0))
	f.Fuzz(func(t *testing.T, body []byte, chunk uint8) {
		passed, text := guarded(t, slices.Collect(slices.Chunk(body, int(chunk)+1))...)
		begins := stampLen(body[:min(len(body), stampMax)]) > 0
		switch {
		case begins && (passed != string(body) || text != ""):
			t.Errorf("a log: %d of %d bytes passed, text %q", len(passed), len(body), text)
		case !begins && passed != "":
			t.Errorf("no log: %q passed", passed)
		case !begins && len(body) > 0 && text == "":
			t.Error("no log, and no text")
		}
	})
}
