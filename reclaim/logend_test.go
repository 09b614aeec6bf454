package reclaim

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// stampAt is the n-th of timestamps that are all different, with the space
// behind it.
func stampAt(n int) string {
	return now.Add(time.Duration(n)*time.Second+time.Nanosecond).Format("2006-01-02T15:04:05.000000000Z07:00") + " "
}

// logLines is a log of these lines, each with its own timestamp.
func logLines(lines ...string) string {
	var log strings.Builder
	for i, line := range lines {
		log.WriteString(stampAt(i) + line)
	}
	return log.String()
}

// watched lets text pass in pieces of at most chunk bytes.
func watched(text string, chunk int) *logEnd {
	e := newLogEnd()
	for part := range slices.Chunk([]byte(text), max(1, chunk)) {
		e.Write(part)
	}
	return e
}

// confirmed tells whether log is taken for whole, by this answer to tailLines,
// however many are asked for.
func confirmed(log, answer string) bool {
	return confirmedBy(log, func(int) string { return answer })
}

// confirmedBy tells it by what the endpoint answers to each tailLines.
func confirmedBy(log string, answer func(lines int) string) bool {
	ok, _ := watched(log, 1<<15).confirm(func(lines int) (*logEnd, error) { return watched(answer(lines), 1<<15), nil })
	return ok
}

// tailOf is the endpoint over a log whose last line was written in parts of
// this size: each counts as a line, and one that begins an answer has a
// timestamp of its own.
func tailOf(before, stamp, text string, size int) func(int) string {
	var parts []string
	for part := range slices.Chunk([]byte(text), size) {
		parts = append(parts, string(part))
	}
	return func(lines int) string {
		if lines > len(parts) {
			return lastLineOf(before) + stamp + text
		}
		if lines == len(parts) {
			return stamp + text
		}
		return stampAt(100+lines) + strings.Join(parts[len(parts)-lines:], "")
	}
}

// lastLineOf is what the log endpoint answers to tailLines=1.
func lastLineOf(log string) string {
	return log[strings.LastIndexByte(strings.TrimSuffix(log, "\n"), '\n')+1:]
}

func TestConfirm(t *testing.T) {
	const glued = `failed to read log file "/var/log/pods/main/0.log": input/output error`
	mib := strings.Repeat("0123456789abcdef", 1<<16)
	short := logLines("one\n", "two\n", "three\n")
	for _, tt := range []struct {
		name, log, answer string
		want              bool
	}{
		{"whole", short, stampAt(2) + "three\n", true},
		{"one line", logLines("one\n"), stampAt(0) + "one\n", true},
		{"no newline at the end", logLines("one\n", "two"), stampAt(1) + "two", true},
		{"only one line, without a newline", logLines("one"), stampAt(0) + "one", true},
		{"both empty", "", "", true},
		{"an empty last line", logLines("one\n", "\n"), stampAt(1) + "\n", true},
		{"CR, NUL and invalid UTF-8", logLines("one\n", "a\r\x00\xc3\x28\n"), stampAt(1) + "a\r\x00\xc3\x28\n", true},

		{"cut before the last line", logLines("one\n", "two\n"), stampAt(2) + "three\n", false},
		{"cut in the last line", logLines("one\n", "tw"), stampAt(1) + "two\n", false},
		{"cut before the newline", logLines("one\n", "two"), stampAt(1) + "two\n", false},
		{"the whole is empty, the answer is not", "", stampAt(0) + "one\n", false},
		{"the answer is empty, the log is not", short, "", false},
		{"the answer is longer than the log", logLines("one\n"), stampAt(1) + strings.Repeat("x", 1000) + "\n", false},
		{"the same text at another time", logLines("same\n", "same\n"), stampAt(2) + "same\n", false},
		{"the same text at another time, only one line", logLines("same\n"), stampAt(2) + "same\n", false},

		{"an error behind a whole log", short + glued, stampAt(2) + "three\n", false},
		{"an error behind a cut log", logLines("one\n", "tw") + glued, stampAt(2) + "three\n", false},
		{"an error behind the log, and as the answer", short + glued, glued, false},
		{"an error as the answer", short, glued, false},
		{"an error that comes in the answer too", short + glued, stampAt(2) + "three\n" + glued, false},

		{"a line of 1 MiB", logLines("one\n", mib+"\n"), stampAt(1) + mib + "\n", true},
		{"a line of 1 MiB, no newline", logLines("one\n", mib), stampAt(1) + mib, true},
		{"a line of 1 MiB, cut by a byte", logLines("one\n", mib), stampAt(1) + mib + "\n", false},
		{"a line of 1 MiB, cut in the middle", logLines("one\n", mib[:1<<19]), stampAt(1) + mib + "\n", false},
		{"lines of 1 MiB, cut before the last", logLines(mib+"\n", mib+"\n"), stampAt(2) + mib + "\n", false},
	} {
		if got := confirmed(tt.log, tt.answer); got != tt.want {
			t.Errorf("%s: confirmed %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The CRI splits long lines into parts of 16 KiB or less.
func TestConfirmLineInParts(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 5000)
	same := strings.Repeat("a", 80_000)
	before := logLines("one\n", "two\n")
	for _, tt := range []struct {
		name, stored, text string
		want               bool
	}{
		{"whole", before + stampAt(2) + text + "\n", text + "\n", true},
		{"whole, no newline", before + stampAt(2) + text, text, true},
		{"whole, the only line", stampAt(2) + text + "\n", text + "\n", true},
		{"cut before the last part", before + stampAt(2) + text[:65_536], text, false},
		{"cut in the first part", before + stampAt(2) + text[:100], text, false},
		{"cut before the line", before, text + "\n", false},
		{"the same letter, cut anywhere", before + stampAt(2) + same[:50_000], same, false},
		{"the same letter, whole", before + stampAt(2) + same, same, true},
		{"another text of the same length", before + stampAt(2) + "x" + text[1:], text, false},
	} {
		for _, size := range []int{8 << 10, 16 << 10} {
			if got := confirmedBy(tt.stored, tailOf(before, stampAt(2), tt.text, size)); got != tt.want {
				t.Errorf("%s, parts of %d: confirmed %v, want %v", tt.name, size, got, tt.want)
			}
		}
	}
}

// cuts tries all that a broken stream can leave of a log.
func cuts(t *testing.T, whole string) {
	t.Helper()
	answer := lastLineOf(whole)
	if !confirmed(whole, answer) {
		t.Errorf("%q: the whole log is not confirmed", whole)
	}
	for n := range len(whole) {
		if confirmed(whole[:n], answer) {
			t.Errorf("%q is confirmed as the whole of %q", whole[:n], whole)
			return
		}
	}
}

func TestNoCutLogIsConfirmed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
	}{
		{"different lines", []string{"one\n", "two\n", "three\n"}},
		{"the same line again", []string{"tick\n", "tick\n", "tick\n"}},
		{"no newline at the end", []string{"tick\n", "tick\n", "tick"}},
		{"a last line with which others end", []string{"not ok\n", "also ok\n", "ok\n"}},
		{"the same, without a newline", []string{"baba\n", "ba"}},
		{"an empty last line", []string{"one\n", "two\n", "\n"}},
		{"only empty lines", []string{"\n", "\n", "\n"}},
		{"a last line of one letter", []string{"}}\n", "{}\n", "}\n"}},
		{"a last line of one letter, no newline", []string{"}}\n", "{}\n", "}"}},
		{"a longer last line", []string{"a\n", "aa\n", "aaa\n"}},
		{"one line", []string{"one\n"}},
		{"a line that looks like two", []string{"x " + stampAt(1) + "y\n", "y\n"}},
		{"blanks", []string{" \n", "  \n", " \n"}},
	} {
		t.Run(tt.name, func(t *testing.T) { cuts(t, logLines(tt.lines...)) })
	}
}

func FuzzCutLog(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree\n"))
	f.Add([]byte("tick\ntick\ntick"))
	f.Add([]byte("not ok\nok\n"))
	f.Add([]byte("one\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<10 || len(content) == 0 {
			t.Skip("an empty log, or too many cuts")
		}
		cuts(t, logLines(strings.SplitAfter(strings.TrimSuffix(string(content), "\n"), "\n")...))
	})
}

func TestLogEndRemembers(t *testing.T) {
	for _, tt := range []struct {
		name, log         string
		first, last       string
		lastSize, newline int64
	}{
		{"empty", "", "", "", 0, 0},
		{"one line", logLines("one\n"), stampAt(0), stampAt(0), 35, 0},
		{"no newline at the end", logLines("one\n", "two"), stampAt(0), stampAt(1), 34, 0},
		{"several", logLines("one\n", "two\n", "three\n"), stampAt(0), stampAt(2), 37, 0},
	} {
		e := watched(tt.log, 10)
		size, head := e.last().size, e.last().head
		if stamp(e.first) != strings.TrimSpace(tt.first) || stamp(head) != strings.TrimSpace(tt.last) {
			t.Errorf("%s: from %q to %q", tt.name, stamp(e.first), stamp(head))
		}
		if want := int64(len(lastLineOf(tt.log))); size != want {
			t.Errorf("%s: the last line has %d bytes, want %d", tt.name, size, want)
		}
		if sum := sha256.Sum256([]byte(tt.log)); !bytes.Equal(e.sum.Sum(nil), sum[:]) {
			t.Errorf("%s: another hash", tt.name)
		}
	}
}

// state is all that a logEnd remembers.
func (e *logEnd) state() string {
	l := e.last()
	return fmt.Sprintf("%d %x %q %d %d %q %x", e.size, e.sum.Sum(nil), e.first, e.lines(), l.size, l.head, l.sum.Sum(nil))
}

func FuzzLogEndInChunks(f *testing.F) {
	f.Add([]byte(logLines("one\n", "two\n", "three")), uint64(1), uint16(5))
	f.Add([]byte("\n\n\n"), uint64(2), uint16(1))
	f.Add([]byte{}, uint64(3), uint16(0))
	f.Add(bytes.Repeat([]byte("0123456789\n"), 20_000), uint64(4), uint16(40_000))
	f.Add(bytes.Repeat([]byte("x"), 200_000), uint64(5), uint16(65_535))
	f.Fuzz(func(t *testing.T, content []byte, seed uint64, most uint16) {
		random := rand.New(rand.NewPCG(seed, 0))
		e := newLogEnd()
		for left := content; len(left) > 0; {
			n := min(len(left), random.IntN(int(most)+2))
			part := slices.Clone(left[:n])
			if written, err := e.Write(part); written != n || err != nil {
				t.Fatalf("Write = %d, %v", written, err)
			}
			clear(part) // a writer must not keep what it was lent
			left = left[n:]
		}
		if got, want := e.state(), watched(string(content), len(content)).state(); got != want {
			t.Errorf("in chunks: %s\nat once:   %s", got, want)
		}
		if len(e.first) > stampMax || len(e.line.head) > stampMax || len(e.prev.head) > stampMax {
			t.Error("more is held in memory than was promised")
		}
	})
}

func TestStamp(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"UTC", "2026-11-30T12:00:00.123456789Z text", "2026-11-30T12:00:00.123456789Z"},
		{"another zone", "2026-11-30T12:00:00.123456789+05:30 text", "2026-11-30T12:00:00.123456789+05:30"},
		{"no fraction", "2026-11-30T12:00:00Z text", "2026-11-30T12:00:00Z"},
		{"nothing behind it", "2026-11-30T12:00:00Z ", "2026-11-30T12:00:00Z"},
		{"no space behind it", "2026-11-30T12:00:00Z", ""},
		{"a space before it", " 2026-11-30T12:00:00Z text", ""},
		{"not a date", "2026-13-30T12:00:00Z text", ""},
		{"only a date", "2026-11-30 12:00:00Z text", ""},
		{"empty", "", ""},
		{"an error text", "unable to retrieve container logs for containerd://x", ""},
	} {
		if got := stamp([]byte(tt.line)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
