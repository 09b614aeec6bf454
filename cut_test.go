package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// overHTTP2 serves the API server over TLS and HTTP/2, as real ones are served,
// and lets the program use that.
func (w *stubs) overHTTP2() {
	server := httptest.NewUnstartedServer(w.journal.Record("api", w.api))
	server.EnableHTTP2 = true
	server.StartTLS()
	w.t.Cleanup(server.Close)
	path := reclaimtest.Kubeconfig(w.t, server.URL)
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	insecure := strings.Replace(string(text), `"server":`, `"insecure-skip-tls-verify":true,"server":`, 1)
	if err := os.WriteFile(path, []byte(insecure), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.env["KUBECONFIG"] = path
}

// A stream that breaks in the middle (over HTTP/2: a reset) is fetched again
// from the start. Nothing of the first try is in the log; one that always breaks
// is no log.
func TestCutConnection(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for name, cuts := range map[string]int64{"once": 1, "twice": 2, "always": 1 << 30} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", name, http2), func(t *testing.T) {
				t.Parallel()
				w := newStubs(t)
				if http2 {
					w.overHTTP2()
				}
				pod := w.api.Add(ranPod("a"))
				var lines []string
				for n := range 20_000 {
					lines = append(lines, fmt.Sprintf("line %d of the log", n))
				}
				whole := reclaimtest.Lines(pod.CreationTimestamp.Time, lines...)
				var left atomic.Int64
				left.Store(cuts)
				w.onLog(func(rw http.ResponseWriter, req *http.Request) {
					if (req.ProtoMajor == 2) != http2 {
						t.Errorf("the request came by %s", req.Proto)
					}
					if req.URL.Query().Has("tailLines") || left.Add(-1) < 0 {
						reclaimtest.WriteLog(rw, req, whole)
						return
					}
					fmt.Fprint(rw, whole[:len(whole)*2/3])
					http.NewResponseController(rw).Flush()
					panic(http.ErrAbortHandler)
				})
				e := w.run()
				if name == "always" {
					e.expect(t, 0, "kept, nothing claimed", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)
					if b := w.bundle(); len(b.Files["logs/main.log"]) != 0 {
						t.Error("a part is in the bundle")
					}
					return
				}
				e.expect(t, 0, "the whole log", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
				if string(w.bundle().Files["logs/main.log"]) != whole {
					t.Error("the stored log is not the whole log")
				}
			})
		}
	}
}

// A request that goes silent, wherever it does, ends with the idle timeout.
func TestSilentEverywhere(t *testing.T) {
	for name, silent := range map[string]struct{ tail, begun bool }{
		"before the answer":         {},
		"after the headers":         {begun: true},
		"before the answer's end":   {tail: true},
		"in the middle of the tail": {tail: true, begun: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			pod := w.api.Add(ranPod("a"))
			whole := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "last")
			stop := make(chan struct{})
			t.Cleanup(func() { close(stop) })
			w.onLog(func(rw http.ResponseWriter, req *http.Request) {
				if req.URL.Query().Has("tailLines") != silent.tail {
					reclaimtest.WriteLog(rw, req, whole)
					return
				}
				if silent.begun {
					fmt.Fprint(rw, whole[:35])
					http.NewResponseController(rw).Flush()
				}
				select {
				case <-stop:
				case <-req.Context().Done():
				}
			})
			e := w.run("RECLAIM_LOG_IDLE_TIMEOUT=500ms", "RECLAIM_LOG_GRACE=1m")
			e.expect(t, 0, "kept: the log exists", e.summary.Kept["log-wait"] == 1)
			if l, _ := w.bundle().Log("main", false); l.Outcome == "complete" {
				t.Errorf("the index says %+v", l)
			}
		})
	}
}

// A log that has grown between two answers is measured as it came.
func TestLogThatGrowsBetweenAnswers(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	var answers atomic.Int64
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		// the end that is asked for is a line ahead of the log, until the third try
		lines := strings.Repeat("line,", int(min(answers.Add(1), 5)))
		reclaimtest.WriteLog(rw, req, reclaimtest.Lines(pod.CreationTimestamp.Time, strings.Split(strings.TrimSuffix(lines, ","), ",")...))
	})
	e := w.run()
	e.expect(t, 0, "complete at last", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
	if got := strings.Count(string(w.bundle().Files["logs/main.log"]), "\n"); got != 5 {
		t.Errorf("%d lines", got)
	}
}
