package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A log is taken from an earlier bundle only if it is of the very same container
// instance, and as whole there as it can be had.
func TestOnlyTheSameInstancesLogIsReused(t *testing.T) {
	anotherID := func(s *corev1.ContainerStatus) {
		s.ContainerID, s.State.Terminated.ContainerID = "containerd://2", "containerd://2"
	}
	for _, c := range []struct {
		name string
		// log is what the earlier run is served, whole if it is empty.
		log    func(rw http.ResponseWriter, req *http.Request, whole string)
		change func(*corev1.ContainerStatus)
		env    string
		reused string // outcome of the log of the instance "containerd://1"; empty: not reused
	}{
		{name: "the same", reused: "complete"},
		{name: "another instance", change: anotherID},
		{name: "an instance without an ID", change: func(s *corev1.ContainerStatus) { s.ContainerID, s.State.Terminated.ContainerID = "", "" }},
		{name: "the instance is now the previous one", reused: "complete", change: func(s *corev1.ContainerStatus) {
			s.LastTerminationState, s.RestartCount = *s.State.DeepCopy(), 1
			anotherID(s)
		}},
		{name: "it was empty", reused: "empty", log: func(http.ResponseWriter, *http.Request, string) {}},
		{name: "it was possibly rotated", reused: "possibly-rotated", log: func(rw http.ResponseWriter, req *http.Request, whole string) {
			reclaimtest.WriteLog(rw, req, "2999"+whole[4:])
		}},
		{name: "it was unconfirmed", log: func(rw http.ResponseWriter, req *http.Request, whole string) {
			if !req.URL.Query().Has("tailLines") {
				whole = whole[:len(whole)/2]
			}
			reclaimtest.WriteLog(rw, req, whole)
		}},
		{name: "only its head was kept", env: "RECLAIM_LOG_MAX_BYTES=50"},
		{name: "it was unavailable", log: func(rw http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(rw, noSuchLog) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			begun := ranPod("a").CreationTimestamp.Time
			whole := reclaimtest.Lines(begun, strings.Repeat("x", 40), "last")
			w.onLog(func(rw http.ResponseWriter, req *http.Request) {
				if c.log == nil {
					reclaimtest.WriteLog(rw, req, whole)
					return
				}
				c.log(rw, req, whole)
			})
			w.api.Add(ranPod("a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/wait"} }))
			e := w.runPastGrace(c.env)
			e.expect(t, 0, "archived", e.summary.Archived == 1 && e.summary.Kept["finalizer"] == 1)
			w.api.Change("default", "a", func(p *corev1.Pod) {
				p.Finalizers = nil
				if c.change != nil {
					c.change(&p.Status.ContainerStatuses[0])
				}
			})
			w.loseLogs("main")
			e = w.runPastGrace()
			without := 1
			if c.reused != "" && !strings.Contains(c.name, "previous") {
				without = 0
			}
			e.expect(t, 0, "deleted", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == without && (c.reused == "" || e.summary.Logs[c.reused] == 1))
			if c.reused == "" && e.summary.Logs["unavailable"] != 1 {
				t.Errorf("logs: %v", e.summary.Logs)
			}
			b := w.newest()
			if l, _ := b.Log("main", strings.Contains(c.name, "previous")); c.reused != "" && (l.Outcome != c.reused || l.Path == "") {
				t.Errorf("the index says %+v", l)
			}
		})
	}
}

// A pod that waits need not lose a log that it once had: the provisional bundle
// holds it. It is read when it can end the wait, and when the wait is over.
func TestLogsFromAProvisionalBundle(t *testing.T) {
	twoContainers := func() (*stubs, string) {
		w := newStubs(t)
		pod := w.api.Add(ranPod("a", withInit, func(p *corev1.Pod) {
			s := &p.Status.InitContainerStatuses[0]
			s.ContainerID, s.State.Terminated.ContainerID = "containerd://0", "containerd://0"
		}))
		log := reclaimtest.Lines(pod.CreationTimestamp.Time, "prepared")
		w.api.SetLog("default/a", "prepare", log)
		w.loseLogs("main")
		e := w.run()
		e.expect(t, 0, "waiting for one log", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)
		return w, log
	}
	t.Run("the other log comes", func(t *testing.T) {
		w, log := twoContainers()
		w.loseLogs("prepare")
		e := w.run()
		e.expect(t, 0, "deleted with both logs", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 2 && e.summary.DeletedWithoutLogs == 0)
		if key := w.store.Bundles()[0]; strings.Contains(key, "_nologs") || string(w.open(key).Files["logs/prepare.log"]) != log {
			t.Errorf("the log is not in %s", key)
		}
	})
	t.Run("none comes", func(t *testing.T) {
		w, log := twoContainers()
		w.loseLogs("prepare", "main")
		e := w.run()
		_, gets := w.reads()
		e.expect(t, 0, "waiting, and nothing read", e.summary.Kept["log-wait"] == 1 && gets == 0)
		e = w.run("RECLAIM_LOG_GRACE=1m")
		e.expect(t, 0, "deleted with one log", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1 && e.summary.Logs["unavailable"] == 1)
		if string(w.open(w.store.Bundles()[0]).Files["logs/prepare.log"]) != log {
			t.Error("the log is not in the last bundle")
		}
	})
}
