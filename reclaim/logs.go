package reclaim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

const (
	// logTries is how often a log is fetched that does not come whole.
	logTries = 3
	// rotatedAfter is how long after its container's start a log may begin
	// without being taken for the rest of a rotated one.
	rotatedAfter = 10 * time.Second
)

// captured is one log in the bundle, or why it is not there.
type captured struct {
	archive.Log
	verdict verdict
}

// errDiscard drops from the bundle what an attempt has brought.
var errDiscard = errors.New("not the whole log")

// log fetches one log into the bundle, at most logTries times. The error is one
// of the bundle's spool; all that may happen to the log is in its outcome.
func (r *run) log(ctx context.Context, p ref, t target, b *archive.Bundle) (captured, error) {
	l := captured{Log: archive.Log{Container: t.container, Type: t.kind, Previous: t.previous}}
	if p.node == "" {
		l.verdict, l.Outcome, l.Note = final, archive.NeverStarted, "the pod was never scheduled"
		return l, nil
	}
	if r.nodes.open(p.node) {
		l.verdict, l.Outcome, l.Note = unreachable, archive.Unavailable, "not asked: the kubelet of its node could not be reached before"
		return l, nil
	}
	var a attempt
	var sums [][]byte
	for try := 1; try <= logTries; try++ {
		err := b.AddLog(logPath(t), func(w io.Writer) error {
			a = r.attempt(ctx, p, t, w)
			return a.keep(try == logTries)
		})
		if err != nil && !errors.Is(err, errDiscard) {
			return l, err
		}
		sums = append(sums, a.end.sum.Sum(nil))
		if !a.again(ctx) {
			break
		}
	}
	a.describe(&l, p, t, sums)
	r.nodes.answered(p.node, l.verdict != unreachable)
	return l, nil
}

// attempt is what one fetch of a log has brought.
type attempt struct {
	end       *logEnd
	text      string // what came instead of a log
	over      bool   // there is more than RECLAIM_LOG_MAX_BYTES
	confirmed bool   // the end is what tailLines=1 shows
	err       error  // of the request, or of reading its answer
	tailErr   error  // of the request for the end
	spoolErr  error
}

// attempt streams the log once and confirms its end: the API server relays a
// stream that breaks at the kubelet as a clean end, so a clean end proves
// nothing.
func (r *run) attempt(ctx context.Context, p ref, t target, w io.Writer) attempt {
	a := attempt{end: newLogEnd()}
	g := &guard{w: upTo(r.Config.LogMaxBytes, io.MultiWriter(w, a.end))}
	a.err = r.Cluster.stream(ctx, p, t, 0, r.Config.LogIdleTimeout, g)
	if errors.Is(g.err, errOver) {
		a.over, a.err = true, nil
		return a
	}
	if a.err == nil {
		a.text, a.spoolErr = g.finish()
	}
	if g.err != nil {
		a.spoolErr = g.err
	}
	if a.err != nil || a.spoolErr != nil || a.text != "" {
		return a
	}
	a.confirmed, a.tailErr = a.end.confirm(func(lines int) (*logEnd, error) {
		tail := newLogEnd()
		return tail, r.Cluster.stream(ctx, p, t, lines, r.Config.LogIdleTimeout, tail)
	})
	return a
}

// keep tells the bundle, by a nil error, that the log stays in it: confirmed,
// or the best that can be had now.
func (a attempt) keep(last bool) error {
	switch {
	case a.spoolErr != nil:
		return a.spoolErr
	case a.err != nil || a.text != "":
		return errDiscard
	case a.confirmed || a.over || a.tailErr != nil || last:
		return nil
	}
	return errDiscard
}

// again tells whether another fetch may bring more: the end was not confirmed,
// or the connection broke. An answer with a status is an answer.
func (a attempt) again(ctx context.Context) bool {
	if ctx.Err() != nil || a.text != "" || a.confirmed || a.over || a.tailErr != nil {
		return false
	}
	var answer apierrors.APIStatus
	return a.err == nil || !errors.As(a.err, &answer) && !errors.Is(a.err, errIdle)
}

// describe fills in what is known of the log after the last attempt.
func (a attempt) describe(l *captured, p ref, t target, sums [][]byte) {
	switch {
	case a.text != "":
		l.verdict, l.Outcome, l.Status, l.Note = waits, archive.Unavailable, http.StatusOK, a.text
		if t.previous || p.evicted() {
			l.verdict = final
		}
		return
	case a.err != nil:
		verdict, outcome, status := judge(a.err, p.node, t)
		l.verdict, l.Outcome, l.Status, l.Note = verdict, outcome, int(status.Code), status.Message
		return
	}
	l.Status, l.Path = http.StatusOK, logPath(t)
	l.FirstTimestamp, l.LastTimestamp = stamp(a.end.first), stamp(a.end.last().head)
	l.verdict, l.Outcome = final, archive.Complete
	switch {
	case a.over:
		a.describeHead(l, t)
	case !a.confirmed:
		l.Outcome, l.Note, l.verdict = archive.Unconfirmed, "its end could not be confirmed", unreachable
		if a.tailErr == nil && allEqual(sums) {
			l.Note, l.verdict = "fetched several times with the same bytes, but tailLines=1 shows another end", waits
		}
	case a.end.size == 0:
		l.Outcome = archive.Empty
	case rotated(l.FirstTimestamp, t.startedAt):
		l.Outcome = archive.PossiblyRotated
	}
}

// rotated tells whether a log begins so long after its container started that
// its head may have been rotated away: the endpoint serves the current file
// only.
func rotated(first string, startedAt time.Time) bool {
	at, err := time.Parse(time.RFC3339Nano, first)
	return err == nil && startedAt.Unix() > 0 && at.Sub(startedAt) > rotatedAfter
}

func allEqual(sums [][]byte) bool {
	for _, s := range sums {
		if !bytes.Equal(s, sums[0]) {
			return false
		}
	}
	return true
}

// logPath is the log's entry in the bundle.
func logPath(t target) string {
	if t.previous {
		return "logs/" + t.container + ".previous.log"
	}
	return "logs/" + t.container + ".log"
}
