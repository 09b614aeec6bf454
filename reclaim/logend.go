package reclaim

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"time"
)

const (
	// endWindow is how many of a log's last bytes are kept for comparison.
	endWindow = 64 << 10
	// stampMax is longer than every RFC 3339 timestamp and the space behind it.
	stampMax = 40
)

// logEnd watches a log pass and remembers how it begins and ends. It holds no
// line in memory, however long.
type logEnd struct {
	size   int64
	sum    hash.Hash
	window []byte
	first  []byte // head of the first line

	lineStart int64 // where the line begins that has no end yet
	lineHead  []byte
	prevStart int64 // where the line before it begins
	prevHead  []byte
}

func newLogEnd() *logEnd { return &logEnd{sum: sha256.New()} }

func (e *logEnd) Write(p []byte) (int, error) {
	e.sum.Write(p)
	e.first = grow(e.first, p, stampMax)
	if last := bytes.LastIndexByte(p, '\n'); last < 0 {
		e.lineHead = grow(e.lineHead, p, stampMax)
	} else {
		if before := bytes.LastIndexByte(p[:last], '\n'); before < 0 {
			e.prevStart, e.prevHead = e.lineStart, grow(e.lineHead, p[:last], stampMax)
		} else {
			e.prevStart, e.prevHead = e.size+int64(before)+1, grow(nil, p[before+1:last], stampMax)
		}
		e.lineStart, e.lineHead = e.size+int64(last)+1, grow(nil, p[last+1:], stampMax)
	}
	e.size += int64(len(p))
	e.window = append(e.window, p[max(0, len(p)-endWindow):]...)
	e.window = e.window[max(0, len(e.window)-endWindow):]
	return len(p), nil
}

// grow appends p to head up to limit bytes.
func grow(head, p []byte, limit int) []byte {
	return append(head, p[:min(len(p), max(0, limit-len(head)))]...)
}

// lastLine is the size of the last line, its newline included, and its head.
func (e *logEnd) lastLine() (int64, []byte) {
	if e.lineStart == e.size {
		return e.size - e.prevStart, e.prevHead
	}
	return e.size - e.lineStart, e.lineHead
}

// endsWith tells whether the log ends with the whole of answer, which is what
// the log endpoint gives for tailLines=1. Where one line was written in parts
// (the CRI's P entries) the answer is the last part with its own timestamp,
// which the log, that has one for the whole line, does not have; only then the
// timestamp is left aside.
func (e *logEnd) endsWith(answer *logEnd) bool {
	if answer.size == 0 || answer.size > e.size+stampMax {
		return answer.size == e.size
	}
	if answer.size <= e.size && tailEqual(e.window, answer.window) {
		return true
	}
	line, _ := e.lastLine()
	stamp := stampLen(answer.first)
	if stamp == 0 || line <= answer.size-int64(stamp) || answer.size == int64(stamp) {
		return false
	}
	part := answer.window
	if answer.size == int64(len(part)) {
		part = part[stamp:]
	}
	return tailEqual(e.window, part)
}

// tailEqual compares the last bytes of both, as many as the shorter window of
// the two can show.
func tailEqual(log, answer []byte) bool {
	if len(answer) > len(log) {
		return false
	}
	return bytes.HasSuffix(log, answer)
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
