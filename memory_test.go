package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// manyPods are pods that are made anew for each answer, so that nothing has to keep
// them, and logs that are made as they are sent. All else is the API server's of the
// world.
type manyPods struct {
	*stubs
	pods, logSize int
	template      []byte
	block         []byte // of a log
	// together is how many logs of main containers wait for each other, begun is
	// closed when they all have begun.
	together int
	logs     atomic.Int64
	begun    chan struct{}
}

const lastLine = "2024-02-29T09:59:59.123456789Z the end\n"

func (w *stubs) manyPods(pods, logSize int) *manyPods {
	pod := ranPod("NAME", withInit, annotated("example.com/config", strings.Repeat("x", 1000)))
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.Namespace, pod.UID, pod.ResourceVersion = "team-SPACE", "00000000-0000-4000-8000-NUMBER", "NUMBER"
	pod.Spec.NodeName = "ip-10-0-0-0.eu-central-1.compute.internal"
	text, err := json.Marshal(pod)
	if err != nil {
		w.t.Fatal(err)
	}
	m := &manyPods{stubs: w, pods: pods, logSize: logSize, template: text, begun: make(chan struct{})}
	r := rand.New(rand.NewPCG(1, 2))
	for len(m.block) < 1<<20 {
		m.block = fmt.Appendf(m.block, "2024-02-29T09:59:30.%09dZ level=info msg=\"request done\" path=/api/v2/orders/%d duration=%dus\n", r.IntN(1e9), r.IntN(1e6), r.IntN(1e6))
	}
	server := httptest.NewServer(m)
	w.t.Cleanup(server.Close)
	w.env["KUBECONFIG"] = reclaimtest.Kubeconfig(w.t, server.URL)
	return m
}

// pod is the i-th pod.
func (m *manyPods) pod(i int) []byte {
	number := fmt.Sprintf("%012d", i)
	item := bytes.ReplaceAll(m.template, []byte("NUMBER"), []byte(number))
	item = bytes.ReplaceAll(item, []byte("SPACE"), fmt.Append(nil, i%100))
	return bytes.ReplaceAll(item, []byte("NAME"), []byte("nightly-report-28391-"+number))
}

func (m *manyPods) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	switch _, number, found := strings.Cut(req.URL.Path, "/pods/nightly-report-28391-"); {
	case req.URL.Path == "/api/v1/pods":
		m.list(rw, req)
	case strings.HasSuffix(req.URL.Path, "/log"):
		m.log(rw, req)
	case found && req.Method == http.MethodGet:
		i, _ := strconv.Atoi(number)
		rw.Header().Set("Content-Type", "application/json")
		rw.Write(m.pod(i))
	default:
		m.api.ServeHTTP(rw, req)
	}
}

func (m *manyPods) list(rw http.ResponseWriter, req *http.Request) {
	from, _ := strconv.Atoi(req.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(req.URL.Query().Get("limit"))
	to, token := min(m.pods, from+limit), ""
	if to < m.pods {
		token = strconv.Itoa(to)
	}
	rw.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(rw, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":%q},"items":[`, token)
	for i := from; i < to; i++ {
		rw.Write(m.pod(i))
		if i < to-1 {
			rw.Write([]byte(","))
		}
	}
	rw.Write([]byte("]}"))
}

func (m *manyPods) log(rw http.ResponseWriter, req *http.Request) {
	if query := req.URL.Query(); query.Get("tailLines") == "" && query.Get("container") == "main" {
		rw.Write(m.block)
		if int(m.logs.Add(1)) == m.together {
			close(m.begun)
		}
		<-m.begun
		for left := m.logSize; left > 0; left -= len(m.block) {
			rw.Write(m.block)
		}
	}
	rw.Write([]byte(lastLine))
}

// peak is how much memory the released program took at most, in MiB, when it has
// listed so many pods, of which it keeps what it needs, and ends; and with so many
// logs of so many bytes in flight.
func peak(t testing.TB, pods, logs, size int) (mib int) {
	w := newStubs(t)
	w.binary = build(t)
	m := w.manyPods(pods, size)
	m.together = logs
	var process atomic.Pointer[os.Process]
	if logs > 0 {
		go func() {
			<-m.begun
			process.Load().Signal(syscall.SIGTERM) // the pods in flight are finished
		}()
	}
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/end.json") && mib == 0 {
			mib = highWater(t, process.Load().Pid)
		}
		return false
	})
	w.journal.Mark()
	env, code := []string{"RECLAIM_DEADLINE=1ns"}, 0
	if logs > 0 {
		env, code = []string{fmt.Sprint("RECLAIM_CONCURRENCY=", logs)}, 143
	}
	cmd, output := w.command(env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process.Store(cmd.Process)
	cmd.Wait() // the exit code is looked at
	e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
	if e.code != code || e.summary.Listed != pods || e.summary.Remaining != pods || e.summary.Archived != logs {
		t.Fatalf("exit code %d, %+v", e.code, e.summary)
	}
	return mib
}

// highWater is the most memory that a process has had so far, in MiB.
func highWater(t testing.TB, pid int) int {
	mib, err := highWaterOf(pid)
	if err != nil {
		t.Error(err)
	}
	return mib
}

// highWaterOf: see highWater. The resource usage of a process says more: it begins
// with that of the process that started it.
func highWaterOf(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0, errors.New("a process that has ended has no memory")
	}
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	return kib >> 10, err
}

// memory says how much memory what takes, and that it is at most so much, in MiB.
func memory(t testing.TB, what string, mib, most int) {
	t.Helper()
	if t.Logf("%s: %d MiB", what, mib); mib > most {
		t.Errorf("%s take %d MiB, want %d at most", what, mib, most)
	}
}

// A tenth of the pods of the benchmark below, which takes a tenth of the time, and
// logs that would not fit.
func TestMemory(t *testing.T) {
	memory(t, "10,000 pods", peak(t, 10_000, 0, 0), 45)
	memory(t, "ten logs of 16 MiB in flight", peak(t, 10, 10, 16<<20), 80)
}

// 100,000 listed pods fit in 100 MiB, and with ten logs of 64 MiB in flight in 192:
//
//	go test -run - -bench Memory .
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		pods, logs := peak(b, 100_000, 0, 0), peak(b, 100_000, 10, 64<<20)
		b.ReportMetric(float64(pods), "MiB")
		b.ReportMetric(float64(logs), "MiB-with-logs")
		memory(b, "100,000 pods", pods, 99)
		memory(b, "100,000 pods, ten logs of 64 MiB in flight", logs, 192)
	}
}
