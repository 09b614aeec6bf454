package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
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

// peak is how much memory the released program takes at most, in MiB, to list so
// many pods: it keeps what it needs of each until the end.
func peak(t testing.TB, pods int) int64 {
	w := newStubs(t)
	w.binary = build(t)
	w.manyPods(pods)
	w.journal.Mark()
	cmd, output := w.command("RECLAIM_DEADLINE=1ns")
	cmd.Run() // the exit code is looked at
	e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
	if e.code != 0 || e.summary.Listed != pods || e.summary.Remaining != pods {
		t.Fatalf("exit code %d, %+v", e.code, e.summary)
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
}

// A tenth of the pods of the benchmark below, which takes a tenth of the time.
func TestMemory(t *testing.T) {
	mib := peak(t, 10_000)
	if t.Logf("10,000 pods take %d MiB", mib); mib > 52 {
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
