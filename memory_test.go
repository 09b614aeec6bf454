package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// manyPods serves a list of so many pods, made page by page, and leaves the rest
// to the API server of the world. Nothing is written down.
func (w *stubs) manyPods(pods int) {
	pod := ranPod("NAME", withInit, annotated("example.com/config", strings.Repeat("x", 1000)))
	pod.Namespace, pod.UID, pod.ResourceVersion = "team-SPACE", "00000000-0000-4000-8000-NUMBER", "NUMBER"
	pod.Spec.NodeName = "ip-10-0-0-0.eu-central-1.compute.internal"
	text, err := json.Marshal(pod)
	if err != nil {
		w.t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/api/v1/pods" {
			w.api.ServeHTTP(rw, req)
			return
		}
		from, _ := strconv.Atoi(req.URL.Query().Get("continue"))
		limit, _ := strconv.Atoi(req.URL.Query().Get("limit"))
		to, token := min(pods, from+limit), ""
		if to < pods {
			token = strconv.Itoa(to)
		}
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":%q},"items":[`, token)
		for i := from; i < to; i++ {
			number := fmt.Sprintf("%012d", i)
			item := bytes.ReplaceAll(text, []byte("NUMBER"), []byte(number))
			item = bytes.ReplaceAll(item, []byte("SPACE"), fmt.Append(nil, i%100))
			rw.Write(bytes.ReplaceAll(item, []byte("NAME"), []byte("nightly-report-28391-"+number)))
			if i < to-1 {
				rw.Write([]byte(","))
			}
		}
		rw.Write([]byte("]}"))
	}))
	w.t.Cleanup(server.Close)
	w.env["KUBECONFIG"] = reclaimtest.Kubeconfig(w.t, server.URL)
}

// peak is how much memory the released program took at most, in MiB, when it has
// listed so many pods, of which it keeps what it needs, and ends.
func peak(t testing.TB, pods int) (mib int) {
	w := newStubs(t)
	w.binary = build(t)
	w.manyPods(pods)
	var process atomic.Pointer[os.Process]
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/end.json") && mib == 0 {
			mib = highWater(t, process.Load().Pid)
		}
		return false
	})
	w.journal.Mark()
	cmd, output := w.command("RECLAIM_DEADLINE=1ns")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process.Store(cmd.Process)
	cmd.Wait() // the exit code is looked at
	e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
	if e.code != 0 || e.summary.Listed != pods || e.summary.Remaining != pods {
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

// A tenth of the pods of the benchmark below, which takes a tenth of the time.
func TestMemory(t *testing.T) {
	mib := peak(t, 10_000)
	if t.Logf("10,000 pods take %d MiB", mib); mib > 45 {
		t.Error("that is too much")
	}
}

// 100,000 listed pods fit in 100 MiB: go test -run - -bench Memory .
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		mib := peak(b, 100_000)
		b.ReportMetric(float64(mib), "MiB")
		if mib >= 100 {
			b.Errorf("100,000 pods take %d MiB", mib)
		}
	}
}
