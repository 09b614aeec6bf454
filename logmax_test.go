package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A log of exactly the limit is whole; of one that is a byte longer exactly the
// limit is kept, the index says so, and its end is not asked for.
func TestLogMaxBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		over    int
		outcome string
		partial int
	}{
		{"a byte below the limit", -1, "complete", 0},
		{"exactly the limit", 0, "complete", 0},
		{"a byte over the limit", 1, "truncated", 1},
		{"far over the limit", 1 << 20, "truncated", 1},
	} {
		for _, limit := range []int{200, 10 << 10, 3 << 20} {
			t.Run(fmt.Sprintf("%s of %d", c.name, limit), func(t *testing.T) {
				t.Parallel()
				w := newStubs(t)
				pod := w.api.Add(ranPod("a", withInit))
				log := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "last:")
				log = strings.TrimSuffix(log, "\n") + strings.Repeat("x", limit+c.over-len(log)) + "\n"
				w.api.SetLog("default/a", "main", log)
				e := w.run(fmt.Sprintf("RECLAIM_LOG_MAX_BYTES=%d", limit))
				e.expect(t, 0, "deleted, one log "+c.outcome,
					e.summary.Deleted == 1 && e.summary.DeletedWithPartialLogs == c.partial && e.summary.DeletedWithoutLogs == 0)
				b := w.bundle()
				if got := string(b.Files["logs/main.log"]); got != log[:min(limit, len(log))] {
					t.Errorf("%d bytes are kept, and not those of the head", len(got))
				}
				l, _ := b.Log("main", false)
				says := strings.Contains(l.Note, fmt.Sprintf("first %d bytes", limit))
				if l.Outcome != c.outcome || says != (c.partial == 1) {
					t.Errorf("the index says %+v", l)
				}
				if other, _ := b.Log("prepare", false); other.Outcome != "complete" {
					t.Errorf("the short log beside it: %+v", other)
				}
				if n := w.tails("main"); n != 1-c.partial {
					t.Errorf("the end was asked for %d times", n)
				}
			})
		}
	}
}

// tails counts the requests for the end of a container's log.
func (w *world) tails(container string) (n int) {
	for _, e := range w.journal.Entries() {
		if e.Query.Has("tailLines") && e.Query.Get("container") == container {
			n++
		}
	}
	return n
}

// Reading stops at the limit: a log that never ends costs no more than that.
func TestLogWithoutEndIsNotDrained(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	line := reclaimtest.Lines(pod.CreationTimestamp.Time, strings.Repeat("x", 1000))
	var sent atomic.Int64
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		for req.Context().Err() == nil {
			n, err := rw.Write([]byte(line))
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	e := w.run("RECLAIM_LOG_MAX_BYTES=1Mi")
	e.expect(t, 0, "deleted, its log truncated", e.summary.Deleted == 1 && e.summary.Logs["truncated"] == 1)
	if got := len(w.bundle().Files["logs/main.log"]); got != 1<<20 {
		t.Errorf("%d bytes are kept", got)
	}
	w.journal.Settle()
	// what is more lay in the buffers of the connection
	if sent.Load() > 64<<20 {
		t.Errorf("%d MiB were read", sent.Load()>>20)
	}
}

// An error text that came instead of a log is none of its head.
func TestErrorTextOverTheLimit(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.onLog(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, noSuchLog) })
	e := w.run("RECLAIM_LOG_MAX_BYTES=10")
	e.expect(t, 0, "the pod kept, waiting", e.summary.Kept["log-wait"] == 1)
	if l, _ := w.bundle().Log("main", false); l.Outcome != "unavailable" || l.Note != noSuchLog {
		t.Errorf("the index says %+v", l)
	}
}
