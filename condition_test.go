package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// A store without conditional writes is found out once; from then on a HEAD is
// the guard. That nothing is overwritten, the check of the invariant shows.
func TestStoreWithoutConditions(t *testing.T) {
	w := newStubs(t)
	strict := archivetest.Strictest()
	strict.Conditions = true
	w.store.Refusing(strict)
	w.addPods(5)
	e := w.run("RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "all deleted", e.summary.Deleted == 5)
	refused := 0
	for _, e := range w.journal.Entries() {
		if e.Status == http.StatusNotImplemented {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d requests were refused, want the first with a condition", refused)
	}
}

// No other refusal is taken for one of the condition: the put is not sent
// without it.
func TestRefusedForAnotherReason(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
	}{
		{400, "InvalidArgument"}, {403, "AccessDenied"}, {405, "MethodNotAllowed"}, {409, "OperationAborted"}, {501, "SomethingElse"},
	} {
		w := newStubs(t)
		w.api.Add(ranPod("a"))
		w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
			refused := req.Header.Get("If-None-Match") != "" && strings.Contains(req.URL.Path, "/pods/")
			if refused {
				archivetest.Refuse(rw, c.status, c.code)
			}
			return refused
		})
		e := w.run()
		e.expect(t, 3, c.code+" named", e.summary.Failed["put"] == 1 && strings.Contains(e.output, c.code))
	}
}

// Another write to the same key was in the way: the put is sent again, but not
// for ever.
func TestConditionConflict(t *testing.T) {
	for _, c := range []struct {
		name      string
		conflicts int64
		code      int
	}{{"twice", 2, 0}, {"always", 1 << 30, 3}} {
		w := newStubs(t)
		w.api.Add(ranPod("a"))
		var left, sent atomic.Int64
		left.Store(c.conflicts)
		w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPut || !strings.Contains(req.URL.Path, "/pods/") {
				return false
			}
			sent.Add(1)
			if left.Add(-1) < 0 {
				return false
			}
			archivetest.Refuse(rw, http.StatusConflict, "ConditionalRequestConflict")
			return true
		})
		e := w.run()
		e.expect(t, c.code, c.name, e.summary.Deleted+e.summary.Failed["put"] == 1 && sent.Load() == 3)
	}
}

// A store that ignores the condition is found out too: what came under the key
// while the logs were read is not replaced.
func TestStoreThatIgnoresConditions(t *testing.T) {
	w := newStubs(t)
	w.store.Refusing(archivetest.Strict{IgnoresConditions: true})
	pod := w.api.Add(ranPod("a"))
	key := fmt.Sprintf("test/pods/7d/default/a/%s_%s.tar.zst", pod.UID, pod.ResourceVersion)
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/log") {
			w.store.Set(key, &archivetest.Stored{Body: []byte("somebody else's")})
		}
		return false
	})
	e := w.run()
	e.expect(t, 0, "deleted", e.summary.Deleted == 1)
	if body := w.store.Object(key).Body; string(body) != "somebody else's" || len(w.store.Bundles()) != 2 {
		t.Errorf("%q is under the key, bundles: %v", body, w.store.Bundles())
	}
}
