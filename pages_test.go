package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// onPage lets f answer list requests for pods; it returns false to let them pass.
func (w *stubs) onPage(f func(rw http.ResponseWriter, token string) bool) {
	w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		return server == "api" && strings.HasSuffix(req.URL.Path, "/pods") && f(rw, req.URL.Query().Get("continue"))
	})
}

func expired(rw http.ResponseWriter, token string) {
	reclaimtest.Answer(rw, http.StatusGone, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "the token is too old", ListMeta: metav1.ListMeta{Continue: token},
	})
}

// A token that expires in the middle of a list (410) is replaced by the one in
// the answer; without one the list starts again. No pod is done twice, none is
// left out.
func TestExpiredListToken(t *testing.T) {
	for name, token := range map[string]string{"with a new token that repeats a pod": "1", "without a token": ""} {
		t.Run(name, func(t *testing.T) {
			w := newStubs(t)
			w.addPods(6)
			w.api.PageSize = 2
			var once atomic.Bool
			w.onPage(func(rw http.ResponseWriter, at string) bool {
				if at != "2" || once.Swap(true) {
					return false
				}
				expired(rw, token)
				return true
			})
			e := w.run()
			e.expect(t, 0, "six distinct pods", e.summary.Listed == 6 && e.summary.Deleted == 6)
		})
	}
}

// A list that never ends well is a failed run, though what was listed is done.
func TestListThatKeepsExpiring(t *testing.T) {
	w := newStubs(t)
	w.addPods(6)
	w.api.PageSize = 2
	w.onPage(func(rw http.ResponseWriter, at string) bool {
		if at == "2" {
			expired(rw, "")
		}
		return at == "2"
	})
	e := w.run()
	e.expect(t, 1, "what was listed is done", e.summary.Listed == 2 && e.summary.Deleted == 2)
}

// An empty page with a token is not the end, and a server that ignores selector
// and limit does no harm.
func TestOddPages(t *testing.T) {
	w := newStubs(t)
	w.addPods(3)
	running := ranPod("running", func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
	w.onPage(func(rw http.ResponseWriter, at string) bool {
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		switch at {
		case "":
			list.Continue = "empty"
		case "empty":
			list.Items, list.Continue = []corev1.Pod{*running}, "0"
		default:
			return false
		}
		reclaimtest.Answer(rw, http.StatusOK, list)
		return true
	})
	e := w.run()
	e.expect(t, 0, "three pods, not the running one", e.summary.Listed == 3 && e.summary.Deleted == 3)
}
