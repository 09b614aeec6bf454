package reclaim

import (
	"errors"
	"fmt"
	"io"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// errOver ends the reading of a log of which RECLAIM_LOG_MAX_BYTES are kept and
// more came: the rest is not even asked for.
var errOver = errors.New("the log is over RECLAIM_LOG_MAX_BYTES")

// upTo lets the first size bytes through to w, exactly, and answers the next
// one with errOver. A size of 0 is no limit.
func upTo(size ByteSize, w io.Writer) io.Writer {
	if size == 0 {
		return w
	}
	return &head{w: w, left: int64(size)}
}

type head struct {
	w    io.Writer
	left int64
}

func (h *head) Write(p []byte) (int, error) {
	keep := min(int64(len(p)), h.left)
	n, err := h.w.Write(p[:keep])
	h.left -= int64(n)
	if err == nil && keep < int64(len(p)) {
		err = errOver
	}
	return n, err
}

// describeHead says what was kept of a log that is over the limit. Its last line
// is cut; if that has lost its timestamp, the one before tells how far it goes.
func (a attempt) describeHead(l *captured, t target) {
	l.Outcome = archive.Truncated
	l.Note = fmt.Sprintf("its first %d bytes were kept, there is more (RECLAIM_LOG_MAX_BYTES)", a.end.size)
	if l.LastTimestamp == "" {
		l.LastTimestamp = stamp(a.end.prev.head)
	}
	if rotated(l.FirstTimestamp, t.startedAt) {
		l.Note += "; it begins long after its container did"
	}
}
