package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

func (w *stubs) addPods(n int) {
	for i := range n {
		w.api.Add(ranPod(fmt.Sprintf("p-%03d", i), func(p *corev1.Pod) {
			at := p.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Add(-time.Duration(n-i) * time.Second)
			p.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time = at
		}))
	}
}

// Bad input ends the run before any pod is touched, with the exit code and one
// line that says what to change, and shows no secret.
func TestBadInput(t *testing.T) {
	deny := func(permission string) func(*stubs) { return func(w *stubs) { w.api.Deny(permission) } }
	date := func(of string) func(*stubs) {
		return func(w *stubs) {
			w.journal.Before(func(server string, rw http.ResponseWriter, _ *http.Request) bool {
				if server == of {
					rw.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
				}
				return false
			})
		}
	}
	for _, c := range []struct {
		name  string
		env   string
		world func(*stubs)
		code  int
		says  string
	}{
		{name: "unknown variable", env: "RECLAIM_DELET_AFTER=hunter2", code: 2, says: "RECLAIM_DELET_AFTER: unknown variable"},
		{name: "no bucket", env: "ARCHIVE_BUCKET=", code: 2, says: "ARCHIVE_BUCKET: required"},
		{name: "no cluster name", env: "ARCHIVE_CLUSTER= ", code: 2, says: "ARCHIVE_CLUSTER: required"},
		{name: "half a key pair", env: "AWS_SECRET_ACCESS_KEY=", code: 2, says: "AWS_SECRET_ACCESS_KEY: required"},
		{name: "no duration", env: "RECLAIM_DELETE_AFTER=7d", code: 2, says: `RECLAIM_DELETE_AFTER: "7d"`},
		{name: "no class", env: "ARCHIVE_RETENTION=7d,30x", code: 2, says: "ARCHIVE_RETENTION"},
		{name: "no selector", env: "RECLAIM_LABEL_SELECTOR=a in (", code: 2, says: "RECLAIM_LABEL_SELECTOR"},
		{name: "running phase", env: "RECLAIM_PHASES=Running", code: 2, says: "RECLAIM_PHASES"},
		{name: "long prefix", env: "ARCHIVE_PREFIX=" + strings.Repeat("long/", 150), code: 2, says: "ARCHIVE_PREFIX"},
		{name: "no spool", env: "ARCHIVE_SPOOL_DIR=/does/not/exist", code: 2, says: "ARCHIVE_SPOOL_DIR"},
		{name: "no kubeconfig", env: "KUBECONFIG=/does/not/exist", code: 1, says: "KUBECONFIG"},
		{name: "unreachable API server", env: "KUBECONFIG=" + reclaimtest.Kubeconfig(t, "http://127.0.0.1:1"), code: 1, says: "127.0.0.1:1"},
		{name: "unreachable store", env: "AWS_ENDPOINT_URL_S3=http://127.0.0.1:1", code: 1, says: "AWS_ENDPOINT_URL_S3"},
		{name: "may not list pods", world: deny("list pods"), code: 1, says: "permission missing: list pods"},
		{name: "may not get pods", world: deny("get pods"), code: 1, says: "permission missing: get pods"},
		{name: "may not get logs", world: deny("get pods/log"), code: 1, says: "permission missing: get pods/log"},
		{name: "may not delete pods", world: deny("delete pods"), code: 1, says: "permission missing: delete pods"},
		{name: "may not list events", world: deny("list events"), code: 1, says: "permission missing: list events"},
		{name: "may not get namespaces", world: deny("get namespaces"), code: 1, says: "permission missing: get namespaces"},
		{name: "may not get nodes", world: deny("get nodes"), code: 1, says: "permission missing: get nodes;"},
		{name: "may not get an owner", world: deny("get cronjobs.batch"), code: 1, says: "permission missing: get cronjobs.batch"},
		{name: "shards without an index", env: "RECLAIM_SHARDS=3", code: 2, says: "JOB_COMPLETION_INDEX"},
		{name: "index without shards", env: "JOB_COMPLETION_INDEX=1", code: 2, says: "RECLAIM_SHARDS is 1"},
		{name: "no index", env: "JOB_COMPLETION_INDEX=first", code: 2, says: "JOB_COMPLETION_INDEX"},
		{name: "API server's clock", world: date("api"), code: 1, says: "clocks of this machine and of the API server"},
		{name: "store's clock", world: date("store"), code: 1, says: "clocks of this machine and of the store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			if c.world != nil {
				c.world(w)
			}
			var env []string
			if c.env != "" {
				env = append(env, c.env)
			}
			e := w.run(env...)
			e.expect(t, c.code, "the message "+c.says, strings.Contains(e.output, c.says))
			if strings.Contains(e.output, "hunter2") {
				t.Error("the value of an unknown variable is shown")
			}
			if n := w.journal.Count("api", "DELETE", "") + w.journal.Count("store", "PUT", "/pods/"); n != 0 {
				t.Errorf("%d requests that write", n)
			}
		})
	}
}

// A limit on deletes does not keep the others from being archived, and the
// oldest go first.
func TestMaxPods(t *testing.T) {
	w := newStubs(t)
	w.addPods(10)
	e := w.run("RECLAIM_MAX_PODS=3", "RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "three deleted, all archived", e.summary.Deleted == 3 && e.summary.Kept["limit"] == 7 && e.summary.Archived == 10)
	if names := w.api.Names(); names[0] != "default/p-003" {
		t.Errorf("left: %v", names)
	}
	e = w.run("RECLAIM_MAX_PODS=100")
	e.expect(t, 0, "the rest", e.summary.Deleted == 7)
}

// What is left when the deadline comes is the next run's.
func TestDeadline(t *testing.T) {
	w := newStubs(t)
	w.addPods(5)
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/log") {
			time.Sleep(1500 * time.Millisecond)
		}
		return false
	})
	e := w.run("RECLAIM_DEADLINE=1s", "RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "pods remaining", e.summary.Remaining >= 4)
	w.journal.Before(nil)
	e = w.run()
	e.expect(t, 0, "the rest", e.summary.Remaining == 0 && len(w.api.Names()) == 0)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
