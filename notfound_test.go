package main

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A 404 that is no Status comes from something between us and the API server,
// and says nothing of the object: no pod counts as gone by it, no node, and no
// namespace as one that holds nothing.
func TestNotFoundBySomebodyElse(t *testing.T) {
	for _, c := range []struct {
		name, method, path string
		code               int
		want               func(summary) bool
	}{
		{"the pod", "GET", "/pods/a", 3, func(s summary) bool { return s.Failed["get"] == 1 }},
		{"the pod, when it is deleted", "DELETE", "/pods/a", 3, func(s summary) bool { return s.Failed["delete"] == 1 }},
		{"its namespace", "GET", "/namespaces/default", 0, func(s summary) bool { return s.Kept["bad-annotation"] == 1 && s.Archived == 1 }},
		{"its node", "GET", "/nodes/node-1", 0, func(s summary) bool { return s.Kept["log-wait"] == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			w.api.Set("/api/v1/namespaces/default", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{}})
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				if c.name == "its node" && strings.HasSuffix(req.URL.Path, "/log") {
					reclaimtest.Refuse(rw, http.StatusInternalServerError, "", "dial tcp: i/o timeout")
					return true
				}
				between := req.Method == c.method && strings.HasSuffix(req.URL.Path, c.path)
				if between {
					http.Error(rw, "<html>no such page</html>", http.StatusNotFound)
				}
				return between
			})
			e := w.run("RECLAIM_LOG_GRACE=1m")
			e.expect(t, c.code, "nothing concluded from it", c.want(e.summary) && len(w.api.Names()) == 1)
		})
	}
}
