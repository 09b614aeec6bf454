package reclaim

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"time"
)

const (
	// stampMax is longer than every RFC 3339 timestamp and the space behind it.
	stampMax = 40
	// maxTail is the most lines that are asked for to see a log's last one whole:
	// at 8 KiB a part, the smallest that a runtime writes, a line of 8 GiB.
	maxTail = 1 << 20
)

// logEnd watches a log pass and remembers how it begins and ends. It holds no
// line in memory, however long.
type logEnd struct {
	size  int64
	sum   hash.Hash
	first []byte // head of the first line
	ends  int    // newlines so far

	line line // the one that has no end yet
	prev line // the one before
}

// line is what is known of one line, its newline included.
type line struct {
	size int64
	head []byte
	sum  hash.Hash
}

func newLogEnd() *logEnd {
	return &logEnd{sum: sha256.New(), line: line{sum: sha256.New()}, prev: line{sum: sha256.New()}}
}

func (e *logEnd) Write(p []byte) (int, error) {
	e.sum.Write(p)
	e.size += int64(len(p))
	e.first = grow(e.first, p, stampMax)
	e.ends += bytes.Count(p, []byte{'\n'})
	last := bytes.LastIndexByte(p, '\n')
	if last < 0 {
		e.line.add(p)
		return len(p), nil
	}
	if before := bytes.LastIndexByte(p[:last], '\n'); before >= 0 {
		e.line.reset()
		e.line.add(p[before+1 : last+1])
	} else {
		e.line.add(p[:last+1])
	}
	e.line, e.prev = e.prev, e.line
	e.line.reset()
	e.line.add(p[last+1:])
	return len(p), nil
}

func (l *line) add(p []byte) {
	l.size += int64(len(p))
	l.head = grow(l.head, p, stampMax)
	l.sum.Write(p)
}

func (l *line) reset() {
	l.size, l.head = 0, l.head[:0]
	l.sum.Reset()
}

// grow appends p to head up to limit bytes.
func grow(head, p []byte, limit int) []byte {
	return append(head, p[:min(len(p), max(0, limit-len(head)))]...)
}

// last is the last line, whether it has an end or not.
func (e *logEnd) last() *line {
	if e.line.size == 0 {
		return &e.prev
	}
	return &e.line
}

// lines is how many lines there are, an unfinished one included.
func (e *logEnd) lines() int {
	if e.line.size > 0 {
		return e.ends + 1
	}
	return e.ends
}

// confirm tells whether this is all of the log: whether its last line is the
// one that the log endpoint gives for tailLines=1, byte for byte, with its
// timestamp. A line that was written in parts (the CRI's P entries) counts as
// as many lines, and an answer that begins with a later part has a timestamp
// there, which the log has not; then more are asked for, until the line is
// whole. An answer that is no log confirms nothing.
func (e *logEnd) confirm(tail func(lines int) (*logEnd, error)) (bool, error) {
	for n := 1; n <= maxTail; n *= 2 {
		answer, err := tail(n)
		if err != nil {
			return false, err
		}
		if e.size == 0 || answer.size == 0 {
			return e.size == answer.size, nil
		}
		mine, theirs := e.last(), answer.last()
		if stampLen(theirs.head) == 0 {
			return false, nil
		}
		if mine.size == theirs.size && bytes.Equal(mine.sum.Sum(nil), theirs.sum.Sum(nil)) {
			return true, nil
		}
		if answer.lines() > 1 || answer.size > mine.size+stampMax {
			return false, nil
		}
	}
	return false, nil
}

// stampLen is how many bytes the timestamp and the space at the start of a line
// take, 0 if there is none. The log endpoint writes RFC 3339 with nanoseconds
// (k8s.io/cri-client pkg/logs).
func stampLen(head []byte) int {
	space := bytes.IndexByte(head, ' ')
	if space < 0 {
		return 0
	}
	if _, err := time.Parse(time.RFC3339Nano, string(head[:space])); err != nil {
		return 0
	}
	return space + 1
}

// stamp is the timestamp at the start of a line, empty if there is none.
func stamp(head []byte) string {
	n := stampLen(head)
	if n == 0 {
		return ""
	}
	return string(head[:n-1])
}
