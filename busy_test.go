package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// An API server that is busy (429, Retry-After) is asked again, whatever the
// request: no pod fails by it.
func TestBusyAPIServer(t *testing.T) {
	for _, request := range []string{"GET /pods", "GET /log", "GET /pods/a", "GET /events", "GET /namespaces/default", "DELETE /pods/a"} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			method, path, _ := strings.Cut(request, " ")
			var busy atomic.Int64
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				if server != "api" || req.Method != method || !strings.HasSuffix(req.URL.Path, path) || busy.Add(1) > 2 {
					return false
				}
				rw.Header().Set("Retry-After", "0")
				reclaimtest.Refuse(rw, http.StatusTooManyRequests, "", "too many requests")
				return true
			})
			e := w.run()
			e.expect(t, 0, "deleted", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1 && busy.Load() > 2)
		})
	}
}

// A log that came, and whose end could not be confirmed, gives way to the whole
// one of an earlier bundle.
func TestUnconfirmedLogGivesWayToAnEarlierOne(t *testing.T) {
	w := newStubs(t)
	log := w.keptPod()
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Has("tailLines") {
			reclaimtest.WriteLog(rw, req, log)
			return
		}
		reclaimtest.WriteLog(rw, req, log[:len(log)/2])
	})
	e := w.run()
	e.expect(t, 0, "deleted with the whole log", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
	b := w.newest()
	if string(b.Files["logs/main.log"]) != log || strings.Count(strings.Join(b.Order, " "), "logs/main.log") != 1 {
		t.Errorf("%v: %q", b.Order, b.Files["logs/main.log"])
	}
}

// Of a pod that changes all the time only the newest bundles are read.
func TestManyEarlierBundles(t *testing.T) {
	w := newStubs(t)
	w.keptPod()
	first := w.store.Bundles()[0]
	sound := *w.store.Object(first)
	for n := range 30 {
		bad := sound
		bad.Body = []byte("bad")
		w.store.Set(strings.Replace(first, "_1001.", fmt.Sprintf("_1001_%d.", n+2), 1), &bad)
	}
	w.loseLogs("main")
	e := w.run()
	_, gets := w.reads()
	e.expect(t, 0, "waiting, ten read", e.summary.Kept["log-wait"] == 1 && gets == 10)
}
