package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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
func TestListThatNeverEndsWell(t *testing.T) {
	for name, c := range map[string]struct {
		at     string
		answer func(http.ResponseWriter)
		listed int
	}{
		"410 without a token for ever":             {"2", func(rw http.ResponseWriter) { expired(rw, "") }, 2},
		"410 with a token that has expired, too":   {"2", func(rw http.ResponseWriter) { expired(rw, "2") }, 2},
		"410 of the first page for ever":           {"", func(rw http.ResponseWriter) { expired(rw, "") }, 0},
		"410 by somebody else":                     {"4", func(rw http.ResponseWriter) { rw.WriteHeader(http.StatusGone) }, 4},
		"500 in the middle":                        {"4", func(rw http.ResponseWriter) { reclaimtest.Refuse(rw, 500, "pods", "etcdserver: request timed out") }, 4},
		"403 in the middle":                        {"2", func(rw http.ResponseWriter) { reclaimtest.Refuse(rw, 403, "pods", "no more") }, 2},
		"no JSON":                                  {"2", func(rw http.ResponseWriter) { rw.Write([]byte("<html>")) }, 2},
		"the same token again and again":           {"2", func(rw http.ResponseWriter) { reclaimtest.Answer(rw, 200, pageOf("2")) }, 2},
		"tokens that lead around":                  {"4", func(rw http.ResponseWriter) { reclaimtest.Answer(rw, 200, pageOf("2")) }, 4},
		"a 410 that leads to the beginning, again": {"4", func(rw http.ResponseWriter) { expired(rw, "0") }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.addPods(6)
			w.api.PageSize = 2
			w.onPage(func(rw http.ResponseWriter, at string) bool {
				if at == c.at {
					c.answer(rw)
				}
				return at == c.at
			})
			e := w.run()
			e.expect(t, 1, "what was listed is done", e.summary.Listed == c.listed && e.summary.Deleted == c.listed)
		})
	}
}

// Pages that bring nothing and always promise more end the list: empty ones, and
// ones whose pods are known already.
func TestEndlessPages(t *testing.T) {
	for name, again := range map[string]bool{"empty": false, "with a pod that was there before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.addPods(3)
			w.api.PageSize = 2
			page := pageOf("")
			if again {
				page.Items = []corev1.Pod{*w.api.Pod("default", "p-000")}
			}
			var tokens atomic.Int64
			w.onPage(func(rw http.ResponseWriter, at string) bool {
				if at == "" {
					return false
				}
				page := page
				page.Continue = fmt.Sprint("more-", tokens.Add(1))
				reclaimtest.Answer(rw, http.StatusOK, page)
				return true
			})
			e := w.run()
			e.expect(t, 1, "what was listed is done", e.summary.Listed == 2 && e.summary.Deleted == 2)
		})
	}
}

// pageOf is a page with these pods and this token.
func pageOf(token string, pods ...corev1.Pod) corev1.PodList {
	return corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1", Continue: token}, Items: pods}
}

// An empty page with a token is not the end, and a server that ignores selector
// and limit does no harm.
func TestOddPages(t *testing.T) {
	w := newStubs(t)
	w.addPods(3)
	running := ranPod("running", func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
	w.onPage(func(rw http.ResponseWriter, at string) bool {
		switch at {
		case "":
			reclaimtest.Answer(rw, http.StatusOK, pageOf("empty"))
		case "empty":
			reclaimtest.Answer(rw, http.StatusOK, pageOf("0", *running))
		}
		return at == "" || at == "empty"
	})
	e := w.run()
	e.expect(t, 0, "three pods, not the running one", e.summary.Listed == 3 && e.summary.Deleted == 3)
}

// A server that answers with more than was asked for, all at once.
func TestPageOverTheLimit(t *testing.T) {
	w := newStubs(t)
	const pods = 501 // one more than a page
	var all []corev1.Pod
	for i := range pods {
		all = append(all, *ranPod(fmt.Sprintf("p-%03d", i), func(p *corev1.Pod) { p.UID = types.UID(fmt.Sprint("uid-", i)) }))
	}
	w.onPage(func(rw http.ResponseWriter, _ string) bool {
		reclaimtest.Answer(rw, http.StatusOK, pageOf("", all...))
		return true
	})
	e := w.run("RECLAIM_DRY_RUN=true")
	e.expect(t, 0, "all of them", e.summary.Listed == pods && e.summary.Deleted == pods)
}

// Pods come and go between pages: one that is gone is gone, one that comes
// where the list has been is the next run's, and one of the same name is another.
func TestPodsThatComeAndGoBetweenPages(t *testing.T) {
	w := newStubs(t)
	w.addPods(6)
	w.api.PageSize = 2
	var once sync.Once
	w.onPage(func(_ http.ResponseWriter, at string) bool {
		if at == "2" {
			once.Do(func() {
				w.api.Remove("default", "p-000") // the token counts pods: p-002 is passed over
				w.api.Remove("default", "p-001")
				w.api.Add(ranPod("p-001"))
				w.api.Add(ranPod("p-999"))
			})
		}
		return false
	})
	e := w.run()
	e.expect(t, 0, "two gone, four deleted", e.summary.Listed == 6 && e.summary.Gone == 2 && e.summary.Deleted == 4)
	e = w.run()
	e.expect(t, 0, "those that were passed over", e.summary.Listed == 2 && e.summary.Deleted == 2)
}
