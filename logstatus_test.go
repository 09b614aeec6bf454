package main

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// What each answer of the log endpoint does with the pod, within the grace and
// after it: the kind in the status tells who answered, the text only where the
// kubelet gives nothing else.
func TestAnswersOfTheLogEndpoint(t *testing.T) {
	neverRan := func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0] = corev1.ContainerStatus{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}}
	}
	const deletedWithout, deletedNeverRan, kept = "deleted without", "deleted, never ran", "kept"
	for _, c := range []struct {
		name          string
		status        int
		kind, message string
		change        func(*corev1.Pod)
		within, after string
	}{
		{"the pod is gone", 404, "pods", `pods "a" not found`, nil, "gone", "gone"},
		{"the node is gone", 404, "nodes", `nodes "node-1" not found`, nil, deletedWithout, deletedWithout},
		{"the node is gone, told by its name", 404, "pods node-1", `pods "node-1" not found`, nil, deletedWithout, deletedWithout},
		{"the kubelet does not know the pod", 404, "pods/log", "the server could not find the requested resource", nil, kept, deletedWithout},
		{"waiting to start", 400, "", `container "main" in pod "a" is waiting to start: PodInitializing`, neverRan, deletedNeverRan, deletedNeverRan},
		{"waiting to start, its status says that it ran", 400, "", `container "main" in pod "a" is waiting to start: PodInitializing`, nil, deletedWithout, deletedWithout},
		{"not available", 400, "", `container "main" in pod "a" is not available`, neverRan, deletedNeverRan, deletedNeverRan},
		{"terminated", 400, "", `container "main" in pod "a" is terminated`, neverRan, deletedNeverRan, deletedNeverRan},
		{"any other 400", 400, "", "bad", nil, "failed", "failed"},
		{"unauthorized", 401, "", "Unauthorized", nil, "failed", "failed"},
		{"our permission is missing", 403, "pods", "cannot get resource pods/log", nil, "failed", "failed"},
		{"the API server's permission is missing", 403, "pods/log", "Forbidden (user=kube-apiserver, verb=get, resource=nodes)", nil, "failed", "failed"},
		{"handlers are off", 405, "pods/log", "the server does not allow this method", nil, "failed", "failed"},
		{"certificate", 500, "", "remote error: tls: internal error", nil, kept, kept},
		{"a text of a 400 in a 500", 500, "", `container "main" in pod "a" is terminated`, nil, kept, kept},
		{"bad gateway", 502, "", "bad gateway", nil, kept, kept},
		{"unavailable", 503, "", "unavailable", nil, kept, kept},
		{"timeout", 504, "", "timeout", nil, kept, kept},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for grace, want := range map[string]string{"24h": c.within, "1m": c.after} {
				w := newStubs(t)
				w.api.Add(ranPod("a", func(p *corev1.Pod) {
					if c.change != nil {
						c.change(p)
						p.Status.StartTime = &metav1.Time{Time: p.CreationTimestamp.Time}
					}
				}))
				w.onLog(func(rw http.ResponseWriter, _ *http.Request) {
					kind, name, _ := strings.Cut(c.kind, " ")
					reclaimtest.Answer(rw, c.status, metav1.Status{
						TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
						Code: int32(c.status), Message: c.message, Details: &metav1.StatusDetails{Kind: kind, Name: name},
					})
				})
				e := w.run("RECLAIM_LOG_GRACE=" + grace)
				if want == deletedWithout && e.summary.Kept["log-wait"] == 1 {
					e = w.run("RECLAIM_LOG_GRACE=" + grace) // missed twice
				}
				s, code := e.summary, 0
				ok := false
				switch want {
				case "gone":
					ok = s.Gone == 1
				case kept:
					ok = s.Kept["log-wait"] == 1 && s.Provisional == 1
				case "failed":
					code, ok = 3, s.Failed["logs"] == 1 && strings.Contains(e.output, c.message)
				case deletedWithout:
					ok = s.Deleted == 1 && s.DeletedWithoutLogs == 1 && s.Logs["unavailable"] == 1
				case deletedNeverRan:
					ok = s.Deleted == 1 && s.DeletedWithoutLogs == 0 && s.Logs["never-started"] == 1
				}
				e.expect(t, code, want+", the grace being "+grace, ok)
			}
		})
	}
}

// Whether the node is there to answer decides what the end of the grace means;
// one whose state may not be read counts as Ready.
func TestGraceAndTheNode(t *testing.T) {
	for _, c := range []struct {
		node   string
		answer func(rw http.ResponseWriter)
		goes   bool
	}{
		{"Ready", func(rw http.ResponseWriter) {
			reclaimtest.Answer(rw, 200, reclaimtest.Node(corev1.ConditionTrue))
		}, false},
		{"NotReady", func(rw http.ResponseWriter) {
			reclaimtest.Answer(rw, 200, reclaimtest.Node(corev1.ConditionFalse))
		}, true},
		{"Unknown", func(rw http.ResponseWriter) {
			reclaimtest.Answer(rw, 200, reclaimtest.Node(corev1.ConditionUnknown))
		}, true},
		{"without conditions", func(rw http.ResponseWriter) { reclaimtest.Answer(rw, 200, &corev1.Node{}) }, true},
		{"gone", func(rw http.ResponseWriter) { reclaimtest.Refuse(rw, 404, "nodes", "not found") }, true},
		{"not readable", func(rw http.ResponseWriter) { reclaimtest.Refuse(rw, 403, "nodes", "forbidden") }, false},
		{"not readable now", func(rw http.ResponseWriter) { reclaimtest.Refuse(rw, 500, "nodes", "etcd") }, false},
	} {
		t.Run(c.node, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				switch {
				case strings.HasSuffix(req.URL.Path, "/log"):
					reclaimtest.Refuse(rw, 500, "", "dial tcp: i/o timeout")
				case strings.HasSuffix(req.URL.Path, "/nodes/node-1"):
					c.answer(rw)
				default:
					return false
				}
				return true
			})
			e := w.run()
			e.expect(t, 0, "kept within the grace", e.summary.Kept["log-wait"] == 1)
			e = w.run("RECLAIM_LOG_GRACE=1m")
			want := e.summary.Kept["log-wait"] == 1
			if c.goes {
				want = e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1
			}
			e.expect(t, 0, "the node's state decides", want)
		})
	}
}
