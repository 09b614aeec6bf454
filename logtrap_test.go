package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

const noSuchLog = "unable to retrieve container logs for containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// onLog lets f answer the log requests for container "main" of any pod.
func (w *stubs) onLog(f func(rw http.ResponseWriter, req *http.Request)) {
	w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		if server != "api" || !strings.HasSuffix(req.URL.Path, "/log") || req.URL.Query().Get("container") != "main" {
			return false
		}
		f(rw, req)
		return true
	})
}

// bundle opens the one bundle in the store.
func (w *stubs) bundle() *archivetest.Opened {
	w.t.Helper()
	keys := w.store.Bundles()
	if len(keys) != 1 {
		w.t.Fatalf("want one bundle, there are %v", keys)
	}
	b, err := archivetest.OpenBundle(keys[0], w.store.Object(keys[0]).Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// An error text in a 200 body is not a log: the pod waits for its log, with a
// provisional bundle in the store, and goes without it only after the grace. A
// real log that has the same text in it is kept as it is.
func TestErrorTextIsNoLog(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a", withInit))
	real := reclaimtest.Lines(pod.CreationTimestamp.Time, "before", noSuchLog, "after")
	w.api.SetLog("default/a", "prepare", real)
	w.onLog(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, noSuchLog) })

	e := w.run()
	e.expect(t, 0, "the pod kept, waiting", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)
	if keys := w.store.Bundles(); len(keys) != 1 || !strings.HasSuffix(keys[0], "_nologs.tar.zst") {
		t.Fatalf("bundles: %v", keys)
	}
	b := w.bundle()
	if l, _ := b.Log("main", false); l.Outcome != "unavailable" || l.Note != noSuchLog || l.Path != "" {
		t.Errorf("the missing log: %+v", l)
	}
	if l, _ := b.Log("prepare", false); l.Outcome != "complete" || string(b.Files["logs/prepare.log"]) != real {
		t.Errorf("the real log: %+v", l)
	}
	e = w.run()
	e.expect(t, 0, "the pod kept, one provisional bundle", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 0)

	e = w.run("RECLAIM_LOG_GRACE=1m")
	e.expect(t, 0, "the pod deleted without its log", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1)
}

// A pod that is older than the grace when it is first seen does not lose its log
// to a container runtime that is away for that moment: a log must be missed twice,
// unless there is no grace.
func TestOneLookIsNotEnough(t *testing.T) {
	for grace, want := range map[string]string{"1m": "complete", "0": "unavailable"} {
		t.Run(grace, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			var away atomic.Bool
			away.Store(true)
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				if !away.Load() || !strings.HasSuffix(req.URL.Path, "/log") {
					return false
				}
				fmt.Fprint(rw, noSuchLog)
				return true
			})
			e := w.run("RECLAIM_LOG_GRACE=" + grace)
			away.Store(false)
			if grace != "0" {
				e.expect(t, 0, "kept, with a provisional bundle", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)
				e = w.run("RECLAIM_LOG_GRACE=" + grace)
			}
			e.expect(t, 0, "deleted", e.summary.Deleted == 1 && e.summary.Logs[want] == 1)
		})
	}
}

// A previous instance that the kubelet no longer has, and the logs of an
// evicted pod, never come back: such pods do not wait.
func TestLogsThatNeverComeBack(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"evicted": func(p *corev1.Pod) { p.Status.Reason = "Evicted" },
		"previous instance": func(p *corev1.Pod) {
			s := &p.Status.ContainerStatuses[0]
			s.RestartCount, s.LastTerminationState = 1, s.State
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			pod := w.api.Add(ranPod("a", change))
			w.onLog(func(rw http.ResponseWriter, req *http.Request) {
				if name == "evicted" || req.URL.Query().Get("previous") == "true" {
					fmt.Fprint(rw, noSuchLog)
					return
				}
				reclaimtest.WriteLog(rw, req, reclaimtest.Lines(pod.CreationTimestamp.Time, "now"))
			})
			e := w.run()
			e.expect(t, 0, "the pod deleted, a log unavailable",
				e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1 && e.summary.Logs["unavailable"] == 1)
		})
	}
}

// The API server relays a broken stream as a clean end. What came is not the
// log, however often it comes.
func TestCleanEndInTheMiddle(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	whole := reclaimtest.Lines(pod.CreationTimestamp.Time, strings.Split(strings.Repeat("a line of the log,", 5000), ",")...)
	var cuts atomic.Int64
	cuts.Store(2)
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		text := whole
		if !req.URL.Query().Has("tailLines") && cuts.Add(-1) >= 0 {
			text = whole[:len(whole)/3]
		}
		reclaimtest.WriteLog(rw, req, text)
	})
	e := w.run()
	e.expect(t, 0, "the whole log at the third try", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
	if string(w.bundle().Files["logs/main.log"]) != whole {
		t.Error("the stored log is not the whole log")
	}
}

func TestAlwaysCutLog(t *testing.T) {
	for name, answer := range map[string]func(rw http.ResponseWriter, req *http.Request, whole string){
		// another length each time: nothing can be concluded from the bytes
		"clean end": func() func(http.ResponseWriter, *http.Request, string) {
			var n atomic.Int64
			return func(rw http.ResponseWriter, req *http.Request, whole string) {
				if !req.URL.Query().Has("tailLines") {
					whole = whole[:len(whole)/3+int(n.Add(1))*100]
				}
				reclaimtest.WriteLog(rw, req, whole)
			}
		}(),
		"connection cut": func(rw http.ResponseWriter, req *http.Request, whole string) {
			if req.URL.Query().Has("tailLines") {
				reclaimtest.WriteLog(rw, req, whole)
				return
			}
			fmt.Fprint(rw, whole[:len(whole)/3])
			http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			pod := w.api.Add(ranPod("a"))
			whole := reclaimtest.Lines(pod.CreationTimestamp.Time, strings.Split(strings.Repeat("a line of the log,", 5000), ",")...)
			w.onLog(func(rw http.ResponseWriter, req *http.Request) { answer(rw, req, whole) })
			e := w.run()
			e.expect(t, 0, "the pod kept", e.summary.Kept["log-wait"] == 1)
			// also after the grace: those logs exist
			e = w.run("RECLAIM_LOG_GRACE=1m")
			e.expect(t, 0, "the pod kept", e.summary.Kept["log-wait"] == 1)
			for _, e := range w.journal.Entries() {
				if strings.HasSuffix(e.Path, "/log") && e.Method == "GET" && e.Query.Get("follow") != "" {
					t.Error("a log was followed")
				}
			}
		})
	}
}

// The same short bytes three times, against an end that never comes: after the
// grace they are archived for what they are.
func TestUnconfirmedLog(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	whole := reclaimtest.Lines(pod.CreationTimestamp.Time, "one", "two", "three")
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		text := whole
		if !req.URL.Query().Has("tailLines") {
			text = whole[:len(whole)/2]
		}
		reclaimtest.WriteLog(rw, req, text)
	})
	e := w.runPastGrace()
	e.expect(t, 0, "the pod deleted with a partial log",
		e.summary.Deleted == 1 && e.summary.Logs["unconfirmed"] == 1 && e.summary.DeletedWithPartialLogs == 1)
}

// One request that goes silent costs its own pod the run, and no other.
func TestSilentLogRequest(t *testing.T) {
	w := newStubs(t)
	for _, name := range []string{"a", "silent", "slow"} {
		w.api.Add(ranPod(name, func(p *corev1.Pod) { p.Spec.NodeName = "node-" + name }))
	}
	begun := time.Now().Add(-2 * time.Hour)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	w.onLog(func(rw http.ResponseWriter, req *http.Request) {
		text := reclaimtest.Lines(begun, strings.Split(strings.Repeat("line,", 20), ",")...)
		switch {
		case strings.Contains(req.URL.Path, "/silent/"):
			fmt.Fprint(rw, text[:10])
			http.NewResponseController(rw).Flush()
			select {
			case <-stop:
			case <-req.Context().Done():
			}
		case strings.Contains(req.URL.Path, "/slow/") && !req.URL.Query().Has("tailLines"):
			for line := range strings.SplitAfterSeq(text, "\n") {
				fmt.Fprint(rw, line)
				http.NewResponseController(rw).Flush()
				time.Sleep(200 * time.Millisecond)
			}
		default:
			reclaimtest.WriteLog(rw, req, text)
		}
	})
	e := w.run("RECLAIM_LOG_IDLE_TIMEOUT=4s")
	e.expect(t, 0, "one pod waiting, two deleted", e.summary.Kept["log-wait"] == 1 && e.summary.Deleted == 2)
}

// Logs are bytes: what is archived has the hash of what was served.
func TestBinaryLog(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a", withInit))
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	at := pod.CreationTimestamp.Add(time.Second).UTC().Format(time.RFC3339Nano)
	binary := string(all) + "\xc3\x28" + strings.Repeat("\x00", 4096) + "\na\r\nb"
	binary = at + " " + strings.ReplaceAll(binary, "\n", "\n"+at+" ")
	w.api.SetLog("default/a", "main", binary)
	w.api.SetLog("default/a", "prepare", "")
	e := w.run()
	e.expect(t, 0, "a complete and an empty log", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1 && e.summary.Logs["empty"] == 1)
	b := w.bundle()
	if sha256.Sum256(b.Files["logs/main.log"]) != sha256.Sum256([]byte(binary)) {
		t.Error("the bytes were changed")
	}
	if empty, ok := b.Files["logs/prepare.log"]; !ok || len(empty) != 0 {
		t.Errorf("the empty log: %q %v", empty, ok)
	}
}

// A node that cannot be reached keeps its pods, also after the grace, unless it
// is NotReady or the logs are not required; and after three such answers its
// other pods are not asked for.
func TestUnreachableKubelet(t *testing.T) {
	w := newStubs(t)
	for n := range 6 {
		w.api.Add(ranPod(fmt.Sprintf("p-%d", n)))
	}
	w.onLog(func(rw http.ResponseWriter, _ *http.Request) {
		reclaimtest.Refuse(rw, http.StatusInternalServerError, "", `Get "https://10.0.0.1:10250/containerLogs/": dial tcp 10.0.0.1:10250: i/o timeout`)
	})
	e := w.run("RECLAIM_LOG_GRACE=1m", "RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "all pods kept", e.summary.Kept["log-wait"] == 6)
	if n := w.journal.Count("api", "GET", "/log"); n != 3 {
		t.Errorf("%d log requests to a dead kubelet, want 3", n)
	}
	w.api.Set("/api/v1/nodes/node-1", reclaimtest.Node(corev1.ConditionUnknown))
	e = w.run()
	e.expect(t, 0, "all pods kept within the grace", e.summary.Kept["log-wait"] == 6)
	e = w.run("RECLAIM_LOG_GRACE=1m", "RECLAIM_MAX_PODS=2")
	e.expect(t, 0, "two pods deleted, the node being NotReady", e.summary.Deleted == 2 && e.summary.Kept["limit"] == 4)
}

func TestLogsNotRequired(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.onLog(func(rw http.ResponseWriter, _ *http.Request) {
		reclaimtest.Refuse(rw, http.StatusInternalServerError, "", "dial tcp: connection refused")
	})
	e := w.run("RECLAIM_LOGS_REQUIRED=false")
	e.expect(t, 0, "the pod kept within the grace", e.summary.Kept["log-wait"] == 1)
	e = w.run("RECLAIM_LOGS_REQUIRED=false", "RECLAIM_LOG_GRACE=1m")
	e.expect(t, 0, "the pod deleted without its log", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1)
}
