package main

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A pod that stays after its delete, terminating, is archived in that state once
// more, kept, and neither archived nor deleted again: others wait for it.
func TestPodThatStaysTerminating(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		if server != "api" || req.Method != http.MethodDelete {
			return false
		}
		// the finalizer comes with the delete, as an admission plugin may add it
		w.api.Change("default", "a", func(p *corev1.Pod) {
			now := metav1.Now()
			p.Finalizers, p.DeletionTimestamp = []string{"batch.kubernetes.io/job-tracking"}, &now
		})
		reclaimtest.Answer(rw, http.StatusOK, ranPod("a", func(p *corev1.Pod) { p.Finalizers = []string{"batch.kubernetes.io/job-tracking"} }))
		return true
	})
	e := w.run()
	e.expect(t, 0, "pending, not deleted", e.summary.Pending == 1 && e.summary.Deleted == 0 && e.summary.Archived == 1)
	for _, archived := range []int{1, 0} {
		e = w.run()
		e.expect(t, 0, "kept", e.summary.Kept["finalizer"] == 1 && e.summary.Deleted == 0 && e.summary.Archived == archived)
	}
	if n := w.journal.Count("api", "DELETE", ""); n != 1 {
		t.Errorf("%d deletes", n)
	}
	w.api.Change("default", "a", func(p *corev1.Pod) { p.Finalizers = nil })
	e = w.run()
	e.expect(t, 0, "kept", e.summary.Kept["terminating"] == 1)
}
