package main

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

func annotated(name, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Annotations = map[string]string{name: value} }
}

// Every reason to keep or skip a pod, in one cluster: kept ones are archived,
// skipped ones are not.
func TestKeptAndSkipped(t *testing.T) {
	w := newStubs(t)
	now := metav1.Now()
	for _, pod := range []*corev1.Pod{
		ranPod("held", annotated("pod-reclaimer/hold", "true")),
		ranPod("bad", annotated("pod-reclaimer/hold", "yes please")),
		ranPod("too-long", annotated("pod-reclaimer/retention", "10000d")),
		ranPod("finalizer", func(p *corev1.Pod) { p.Finalizers = []string{"batch.kubernetes.io/job-tracking"} }),
		ranPod("terminating", func(p *corev1.Pod) { p.DeletionTimestamp = &now }),
		ranPod("young", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = now }),
		ranPod("gone-namespace", func(p *corev1.Pod) { p.Namespace = "held-namespace" }),
		ranPod("workflow", func(p *corev1.Pod) {
			yes := true
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "argoproj.io/v1alpha1", Kind: "Workflow", Name: "w", UID: "u", Controller: &yes}}
		}),
		ranPod("static", annotated(corev1.MirrorPodAnnotationKey, "x")),
		ranPod("running", func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}),
		ranPod("elsewhere", func(p *corev1.Pod) { p.Namespace = "kube-system" }),
	} {
		w.api.Add(pod)
	}
	w.api.Set("/api/v1/namespaces/held-namespace", &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"pod-reclaimer/hold": "true"}},
	})
	e := w.run("RECLAIM_DELETE_AFTER=10m", "RECLAIM_EXCLUDE_NAMESPACES= kube-system ,")
	kept := map[string]int{"hold": 2, "bad-annotation": 2, "finalizer": 1, "terminating": 1, "young": 1}
	skipped := map[string]int{"owner-kind": 1, "mirror": 1, "container-running": 1, "namespace": 1}
	e.expect(t, 0, "every reason", equal(e.summary.Kept, kept) && equal(e.summary.Skipped, skipped) && e.summary.Archived == 7)
	if n := w.journal.Count("api", "DELETE", ""); n != 0 {
		t.Errorf("%d deletes", n)
	}
	if got := len(w.store.Bundles()); got != 7 {
		t.Errorf("%d bundles, want 7", got)
	}
}

func equal(a, b map[string]int) bool {
	for k := range b {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// A namespace that cannot be read may hold its pods: they are archived and kept.
func TestUnreadableNamespace(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/namespaces/default") {
			reclaimtest.Refuse(rw, http.StatusForbidden, "namespaces", "not allowed")
			return true
		}
		return false
	})
	e := w.run()
	e.expect(t, 0, "archived and kept", e.summary.Kept["bad-annotation"] == 1 && e.summary.Archived == 1)
}

// A delete that a finalizer holds up is pending, and the next run does not
// archive the same state again.
func TestFinalizerThatComesWithTheDelete(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		if server == "api" && req.Method == http.MethodDelete {
			reclaimtest.Answer(rw, http.StatusOK, ranPod("a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/x"} }))
			return true
		}
		return false
	})
	e := w.run()
	e.expect(t, 0, "one pending", e.summary.Pending == 1 && e.summary.Deleted == 0)
	e = w.run()
	e.expect(t, 0, "pending again, not archived again", e.summary.Pending == 1 && e.summary.Archived == 0)
	if got := len(w.store.Bundles()); got != 1 {
		t.Errorf("%d bundles", got)
	}
}

// The name may be another pod's at any moment: the new one stays, and its log
// is never taken for the old one's.
func TestNameReused(t *testing.T) {
	for moment, at := range map[string]func(*http.Request) bool{
		"before the log":    func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/log") },
		"before the get":    func(r *http.Request) bool { return r.Method == "GET" && strings.HasSuffix(r.URL.Path, "/pods/a") },
		"before the delete": func(r *http.Request) bool { return r.Method == "DELETE" },
	} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			var once atomic.Bool
			w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
				if at(req) && !once.Swap(true) {
					w.api.Remove("default", "a")
					w.api.Add(ranPod("a"))
				}
				return false
			})
			e := w.run()
			e.expect(t, 0, "one gone", e.summary.Gone == 1 && e.summary.Deleted == 0)
			if names := w.api.Names(); !slices.Equal(names, []string{"default/a"}) {
				t.Errorf("pods: %v", names)
			}
			if moment != "before the delete" && len(w.store.Bundles()) != 0 {
				t.Errorf("another pod's log was archived: %v", w.store.Bundles())
			}
		})
	}
}

// A pod that changes between its bundle and its delete is kept; the next run
// archives the new state.
func TestChangedBeforeTheDelete(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	var once atomic.Bool
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodDelete && !once.Swap(true) {
			w.api.Change("default", "a", func(p *corev1.Pod) { p.Labels = map[string]string{"new": "label"} })
		}
		return false
	})
	e := w.run()
	e.expect(t, 0, "one kept: changed", e.summary.Kept["changed"] == 1)
	e = w.run()
	e.expect(t, 0, "deleted, archived once more", e.summary.Deleted == 1 && e.summary.Archived == 1)
	if got := len(w.store.Bundles()); got != 2 {
		t.Errorf("%d bundles, want one for each resourceVersion", got)
	}
}

// A pod that somebody else deletes in the middle is gone, no failure.
func TestPodThatVanishes(t *testing.T) {
	for _, suffix := range []string{"/log", "/pods/a"} {
		w := newStubs(t)
		w.api.Add(ranPod("a"))
		w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
			if strings.HasSuffix(req.URL.Path, suffix) {
				w.api.Remove("default", "a")
			}
			return false
		})
		e := w.run()
		e.expect(t, 0, "one gone", e.summary.Gone == 1)
	}
}
