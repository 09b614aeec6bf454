package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// keptPod archives a pod that may not go yet, with a log in its bundle, and
// gives it a new state: what a Job does that counts its pods. It returns the
// log.
func (w *stubs) keptPod(env ...string) string {
	w.t.Helper()
	pod := w.api.Add(ranPod("a", func(p *corev1.Pod) { p.Finalizers = []string{"batch.kubernetes.io/job-tracking"} }))
	log := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "last")
	w.api.SetLog("default/a", "main", log)
	e := w.run(env...)
	e.expect(w.t, 0, "archived and kept", e.summary.Kept["finalizer"] == 1 && e.summary.Archived == 1)
	w.counted()
	return log
}

func (w *stubs) counted() {
	w.api.Change("default", "a", func(p *corev1.Pod) { p.Finalizers = nil })
}

// loseLogs makes the kubelet answer that it has no log of these containers.
func (w *stubs) loseLogs(containers ...string) {
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		lost := strings.HasSuffix(req.URL.Path, "/log") && slices.Contains(containers, req.URL.Query().Get("container"))
		if lost {
			fmt.Fprint(rw, noSuchLog)
		}
		return lost
	})
}

// newest opens the bundle of the pod "a" with the highest resourceVersion.
func (w *stubs) newest() *archivetest.Opened {
	w.t.Helper()
	keys := w.store.Bundles()
	return w.open(keys[len(keys)-1])
}

func (w *stubs) open(key string) *archivetest.Opened {
	w.t.Helper()
	b, err := archivetest.OpenBundle(key, w.store.Object(key).Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// reads counts the bundles that were listed, and read, for a missing log.
func (w *stubs) reads() (lists, gets int) {
	for _, e := range w.journal.Entries() {
		switch {
		case e.Server == "store" && strings.Contains(e.Query.Get("prefix"), "/pods/"):
			lists++
		case e.Server == "store" && e.Method == http.MethodGet && strings.Contains(e.Path, "/pods/") && !e.Query.Has("tagging"):
			gets++
		}
	}
	return lists, gets
}

// A log that an earlier bundle of the same UID holds is not lost with its node:
// the pod does not wait for it, and the index says where it is from.
func TestMissingLogIsTakenFromAnEarlierBundle(t *testing.T) {
	for _, earlier := range []string{"zstd", "gzip"} {
		t.Run(earlier, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			log := w.keptPod("ARCHIVE_COMPRESSION=" + earlier)
			first := w.store.Bundles()[0]
			if lists, gets := w.reads(); lists != 0 || gets != 0 {
				t.Errorf("%d lists and %d reads though no log is missing", lists, gets)
			}
			w.loseLogs("main")
			e := w.run()
			e.expect(t, 0, "deleted with its log", e.summary.Deleted == 1 && e.summary.Archived == 1 &&
				e.summary.DeletedWithoutLogs == 0 && e.summary.Logs["complete"] == 1)
			b := w.newest()
			l, _ := b.Log("main", false)
			if string(b.Files["logs/main.log"]) != log || l.Outcome != "complete" {
				t.Errorf("the log is %q, the index says %+v", b.Files["logs/main.log"], l)
			}
			if !strings.Contains(l.Note, first) || !strings.Contains(l.Note, noSuchLog) {
				t.Errorf("the note says neither where it is from nor why: %s", l.Note)
			}
			if lists, gets := w.reads(); lists != 1 || gets != 1 {
				t.Errorf("%d lists and %d reads, want one of each", lists, gets)
			}
		})
	}
}

// The class of a pod may have changed since: every configured one is looked at.
func TestEarlierBundleOfAnotherClass(t *testing.T) {
	w := newStubs(t)
	classes := "ARCHIVE_RETENTION=7d,30d,forever"
	log := w.keptPod(classes)
	w.api.Change("default", "a", annotated("pod-reclaimer/retention", "30d"))
	w.loseLogs("main")
	e := w.run(classes)
	e.expect(t, 0, "deleted with its log", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
	key := w.store.Bundles()[0] // 30d stands before 7d
	if !strings.Contains(key, "/30d/") || string(w.open(key).Files["logs/main.log"]) != log {
		t.Errorf("the log is not in the new bundle %s", key)
	}
	if lists, _ := w.reads(); lists != 3 {
		t.Errorf("%d lists, want one for each class", lists)
	}
}

// Of an earlier bundle that fails any check nothing is used, and the new index
// says so. The pod waits as if there were none.
func TestEarlierBundleThatFailsACheck(t *testing.T) {
	for name, spoil := range map[string]func(o *archivetest.Stored){
		"one bit flipped":            func(o *archivetest.Stored) { o.Body[len(o.Body)/2] ^= 1 },
		"one byte short":             func(o *archivetest.Stored) { o.Body = o.Body[:len(o.Body)-1] },
		"a byte more":                func(o *archivetest.Stored) { o.Body = append(o.Body, 0) },
		"empty":                      func(o *archivetest.Stored) { o.Body = nil },
		"something else":             func(o *archivetest.Stored) { o.Body = []byte(strings.Repeat("no bundle", 1000)) },
		"metadata of another UID":    func(o *archivetest.Stored) { o.Metadata["uid"] = "x" },
		"metadata of another state":  func(o *archivetest.Stored) { o.Metadata["resource-version"] = "1" },
		"metadata with another hash": func(o *archivetest.Stored) { o.Metadata["sha256"] = strings.Repeat("0", 64) },
		"metadata with another size": func(o *archivetest.Stored) { o.Metadata["size"] = "1" },
		"no metadata":                func(o *archivetest.Stored) { o.Metadata = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.keptPod()
			first := w.store.Bundles()[0]
			spoil(w.store.Object(first))
			w.loseLogs("main")
			e := w.run()
			e.expect(t, 0, "waiting", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)
			e = w.run("RECLAIM_LOG_GRACE=1m")
			e.expect(t, 0, "deleted without its log", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1)
			for _, key := range w.store.Bundles()[1:] {
				b := w.open(key)
				l, _ := b.Log("main", false)
				noted := slices.ContainsFunc(b.Index.Notes, func(n string) bool { return strings.Contains(n, first) })
				if l.Outcome != "unavailable" || l.Path != "" || len(b.Files["logs/main.log"]) != 0 || !noted {
					t.Errorf("%s: %+v, notes %q", key, l, b.Index.Notes)
				}
			}
		})
	}
}

// A store that refuses to give an earlier bundle out (it was moved to cold
// storage) costs the log; one that only fails now costs the run.
func TestEarlierBundleThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name, query string
		status      int
		failed      int
	}{
		{"in cold storage", "", 403, 0},
		{"gone since it was listed", "", 404, 0},
		{"the store fails", "", 500, 1},
		{"the store fails to list", "list-type", 500, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.keptPod()
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				switch {
				case server == "api" && strings.HasSuffix(req.URL.Path, "/log"):
					fmt.Fprint(rw, noSuchLog)
				case server == "store" && req.Method == http.MethodGet && c.query == "" && strings.Contains(req.URL.Path, "/pods/") && !req.URL.Query().Has("tagging"),
					server == "store" && c.query != "" && strings.Contains(req.URL.Query().Get("prefix"), "/pods/"):
					archivetest.Refuse(rw, c.status, "AsTheTestWants")
				default:
					return false
				}
				return true
			})
			e := w.run()
			e.expect(t, 3*c.failed, "kept", e.summary.Failed["logs"] == c.failed && e.summary.Kept["log-wait"] == 1-c.failed)
		})
	}
}
