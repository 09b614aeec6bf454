package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// stubs is a world of servers in memory, for faults.
type stubs struct {
	*world
	api   *reclaimtest.Server
	store *archivetest.Store
}

func newStubs(t testing.TB) *stubs {
	t.Helper()
	j := &archivetest.Journal{}
	api, store := reclaimtest.NewServer(t, j), archivetest.NewStore(t, j)
	return &stubs{world: newWorld(t, j, api.URL, store.URL, store.Bucket), api: api, store: store}
}

// ranPod is a pod of one container that ran and ended an hour ago.
func ranPod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	begun := metav1.NewTime(time.Now().Add(-2 * time.Hour).Truncate(time.Second))
	ended := metav1.NewTime(begun.Add(time.Hour))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, CreationTimestamp: begun},
		Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", ContainerID: "containerd://1",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, StartedAt: begun, FinishedAt: ended, ContainerID: "containerd://1"}},
		}}},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func TestArchiveAndDelete(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("job-1"))
	log := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "last")
	w.api.SetLog("default/job-1", "main", log)

	e := w.run()
	e.expect(t, 0, "one pod archived and deleted", e.summary.Deleted == 1 && e.summary.Archived == 1 && e.summary.Logs["complete"] == 1)
	if names := w.api.Names(); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
	key := fmt.Sprintf("test/pods/7d/default/job-1/%s_%s.tar.zst", pod.UID, pod.ResourceVersion)
	if got := w.store.Bundles(); len(got) != 1 || got[0] != key {
		t.Fatalf("bundles %v, want %s", got, key)
	}
	b, err := archivetest.OpenBundle(key, w.store.Object(key).Body)
	if err != nil {
		t.Fatal(err)
	}
	if string(b.Files["logs/main.log"]) != log {
		t.Errorf("the log is %q", b.Files["logs/main.log"])
	}

	again := w.run()
	again.expect(t, 0, "nothing to do", again.summary.Listed == 0)
}

// A pod costs at most eight requests when it is archived and deleted at once,
// and three when it was archived before.
func TestRequestsForOnePod(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	requests := func() (n int) {
		for _, e := range w.journal.Entries() {
			if strings.Contains(e.Path, "/pods/") {
				n++
			}
		}
		return n
	}
	w.run("RECLAIM_DELETE_AFTER=24h")
	if n := requests(); n != 7 {
		t.Errorf("archiving took %d requests, want 7", n)
	}
	w.run()
	if n := requests(); n != 7+3 {
		t.Errorf("deleting an archived pod took %d requests, want 3", n-7)
	}
	w.api.Add(ranPod("b"))
	w.run()
	if n := requests(); n != 10+8 {
		t.Errorf("archiving and deleting took %d requests, want 8", n-10)
	}
}

// Whatever step fails, the pod stays, and the next run does it.
func TestNoDeleteAfterAnyFailure(t *testing.T) {
	for _, c := range []struct {
		step, server, method, pathEnd string
		status                        int
	}{
		{"head", "store", "HEAD", ".tar.zst", 403},
		{"head", "store", "HEAD", ".tar.zst", 500},
		{"logs", "api", "GET", "/log", 403},
		{"logs", "api", "GET", "/log", 400},
		{"get", "api", "GET", "/pods/a", 403},
		{"get", "api", "GET", "/pods/a", 500},
		{"collect", "api", "GET", "/events", 500},
		{"put", "store", "PUT", ".tar.zst", 403},
		{"put", "store", "PUT", ".tar.zst", 501},
		{"verify", "store", "GET", ".tar.zst", 403},
		{"delete", "api", "DELETE", "/pods/a", 403},
		{"delete", "api", "DELETE", "/pods/a", 500},
	} {
		t.Run(fmt.Sprintf("%s %d", c.step, c.status), func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				if server != c.server || req.Method != c.method || !strings.HasSuffix(req.URL.Path, c.pathEnd) {
					return false
				}
				if server == "api" {
					reclaimtest.Refuse(rw, c.status, "pods", "as the test wants it")
				} else {
					archivetest.Refuse(rw, c.status, "AsTheTestWants")
				}
				return true
			})
			e := w.run()
			e.expect(t, 3, "a failure at "+c.step, e.summary.Failed[c.step] == 1)
			if len(w.api.Names()) != 1 {
				t.Error("the pod is gone")
			}
			w.journal.Before(nil)
			e = w.run()
			e.expect(t, 0, "the pod done by the next run", e.summary.Deleted == 1)
			if len(w.store.Bundles()) != 1 {
				t.Errorf("archived twice: %v", w.store.Bundles())
			}
		})
	}
}

func TestStoreThatKeepsNothing(t *testing.T) {
	for _, c := range []struct {
		part string
		code int
	}{
		{"/pods/", 3},
		{"/start.json", 1},
	} {
		w := newStubs(t)
		w.api.Add(ranPod("a"))
		w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
			return req.Method == http.MethodPut && strings.Contains(req.URL.Path, c.part)
		})
		e := w.run()
		e.expect(t, c.code, "no pod deleted", e.summary.Deleted == 0 && len(w.api.Names()) == 1)
	}
}

// A put whose answer was lost is repeated by the SDK and refused by the
// condition: what is there is verified, and it is ours. Likewise if no answer
// comes at all.
func TestLostAnswerOfPut(t *testing.T) {
	for _, key := range []string{"/pods/", "/start.json", "/end.json", "/cluster.json"} {
		for _, answers := range []int64{1, 3} {
			t.Run(fmt.Sprintf("%s, %d lost", key, answers), func(t *testing.T) {
				t.Parallel()
				w := newStubs(t)
				w.api.Add(ranPod("a"))
				var lost atomic.Int64
				w.journal.After(func(_ string, req *http.Request) {
					if req.Method == http.MethodPut && strings.Contains(req.URL.Path, key) && lost.Add(1) <= answers {
						panic(http.ErrAbortHandler)
					}
				})
				e := w.run()
				e.expect(t, 0, "the pod deleted", e.summary.Deleted == 1 && lost.Load() >= answers)
				if got := len(w.store.Bundles()); got != 1 {
					t.Errorf("%d bundles", got)
				}
			})
		}
	}
}

// withInit gives a pod an init container that ran.
func withInit(pod *corev1.Pod) {
	s := *pod.Status.ContainerStatuses[0].DeepCopy()
	s.Name = "prepare"
	pod.Spec.InitContainers = append(pod.Spec.InitContainers, corev1.Container{Name: s.Name})
	pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, s)
}

// changeAfterList gives the pod "a" a new resourceVersion between its first log
// and its GET.
func (w *stubs) changeAfterList() {
	var once sync.Once
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/log") {
			once.Do(func() {
				w.api.Change("default", "a", func(pod *corev1.Pod) { pod.Labels = map[string]string{"changed": "yes"} })
			})
		}
		return false
	})
}

// A store that is busy is asked again, with the whole body; one that stays busy
// fails the pod, and says so.
func TestBusyStore(t *testing.T) {
	for name, busy := range map[string]int64{"twice": 2, "always": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			var left atomic.Int64
			left.Store(busy)
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPut || !strings.Contains(req.URL.Path, "/pods/") || left.Add(-1) < 0 {
					return false
				}
				archivetest.Refuse(rw, http.StatusServiceUnavailable, "SlowDown")
				return true
			})
			e := w.run()
			if name == "twice" {
				e.expect(t, 0, "one deleted", e.summary.Deleted == 1)
				return
			}
			e.expect(t, 3, "SlowDown named", e.summary.Failed["put"] == 1 && strings.Contains(e.output, "SlowDown"))
		})
	}
}
