package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// aboutPods counts requests to the store whose path or query names pods' bundles.
func (w *stubs) aboutPods() int {
	n := 0
	for _, e := range w.journal.Entries() {
		if e.Server == "store" && strings.Contains(e.Path+e.Query.Get("prefix"), "/pods/") {
			n++
		}
	}
	return n
}

// A pod that stays costs no request while the record of a run of the last hours
// says that it is archived, and one again afterwards.
func TestKeptPodsCostNothing(t *testing.T) {
	const pods = 60
	w := newStubs(t)
	w.env["RECLAIM_DELETE_AFTER"] = "24h"
	w.addPods(pods)
	stay := func(when string, archived, requests int) {
		t.Helper()
		before, all := w.aboutPods(), w.journal.Len()
		e := w.run()
		e.expect(t, 0, when, e.summary.Kept["young"] == pods && e.summary.Archived == archived)
		if n := w.aboutPods() - before; n > requests {
			t.Errorf("%s: %d requests about pods in the store, want %d at most", when, n, requests)
		}
		t.Logf("%s: %d requests, %d about pods in the store", when, w.journal.Len()-all, w.aboutPods()-before)
	}
	stay("archived", pods, 5*pods)
	stay("known by the record", 0, 0)
	w.later(5 * time.Hour)
	stay("still known", 0, 0)
	w.later(7 * time.Hour)
	stay("asked for again", 0, pods)
	stay("known by the record of the second look", 0, 0)
	w.later(30 * time.Hour)
	e := w.run()
	e.expect(t, 0, "each verified and deleted", e.summary.Deleted == pods)
}

// Whatever a record says, and whether it can be read or not, a pod is deleted
// only after its bundle was seen.
func TestHintsProveNothing(t *testing.T) {
	const pods = 40
	for name, c := range map[string]struct {
		spoil    func(*stubs)
		captured int // anew, when they go
	}{
		"bundles are gone": {func(w *stubs) {
			for _, key := range w.store.Bundles() {
				w.store.Remove(key)
			}
		}, pods},
		"bundles are damaged": {func(w *stubs) {
			for _, key := range w.store.Bundles() {
				w.store.Object(key).Body = []byte("x")
			}
		}, pods},
		"no record can be read": {func(w *stubs) {
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				refused := server == "store" && req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, ".ndjson") && !req.URL.Query().Has("tagging")
				if refused {
					archivetest.Refuse(rw, http.StatusForbidden, "AccessDenied")
				}
				return refused
			})
		}, 0},
		"a record is no record": {func(w *stubs) {
			for _, key := range w.store.Keys() {
				if strings.HasSuffix(key, ".ndjson") {
					w.store.Object(key).Body = []byte("<html>")
				}
			}
		}, 0},
		"the list of records does not end": {func(w *stubs) {
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				listed := server == "store" && req.URL.Query().Get("start-after") != ""
				if listed {
					rw.Write([]byte("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"))
				}
				return listed
			})
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.addPods(pods)
			e := w.run("RECLAIM_DELETE_AFTER=24h")
			e.expect(t, 0, "archived", e.summary.Archived == pods)
			c.spoil(w)
			e = w.run("RECLAIM_DELETE_AFTER=24h")
			e.expect(t, 0, "kept", e.summary.Kept["young"] == pods)
			e = w.run()
			e.expect(t, 0, "deleted", e.summary.Deleted == pods && e.summary.Archived == c.captured)
		})
	}
}
