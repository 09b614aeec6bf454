package main

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
)

// endedPod makes a pod on the testbed's fake node that has run and failed.
func (b *bed) endedPod(name string) {
	b.t.Helper()
	b.apply(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},
"spec":{"nodeName":%q,"containers":[{"name":"main","image":"example/main:1"}]}}`, name, os.Getenv("TESTBED_KWOK_NODE")))
	b.failPod(name)
}

// A pod of the same name, made after the list by somebody else, survives: the
// real API server compares UID and resourceVersion.
func TestNameReusedOnRealCluster(t *testing.T) {
	b := newBed(t)
	b.reuseName(b.endedPod)
}

// reuseName lets another pod take the name "a" just before the delete.
func (b *bed) reuseName(makePod func(name string)) {
	b.t.Helper()
	makePod("a")
	old := b.field("pod/a", ".metadata.uid")
	var once atomic.Bool
	b.journal.Before(func(server string, _ http.ResponseWriter, req *http.Request) bool {
		if server == "api" && req.Method == http.MethodDelete && !once.Swap(true) {
			b.kubectl("delete", "pod", "a", "--wait=true", "--grace-period=0")
			makePod("a")
		}
		return false
	})
	e := b.run()
	e.expect(b.t, 0, "one gone", e.summary.Gone == 1 && e.summary.Deleted == 0)
	if uid := b.field("pod/a", ".metadata.uid"); uid == "" || uid == old {
		b.t.Errorf("the new pod did not survive: %q", uid)
	}
}

// The real API server's finalizers, holds and changes.
func TestKeptOnRealCluster(t *testing.T) {
	b := newBed(t)
	for _, name := range []string{"plain", "held", "finalizer"} {
		b.endedPod(name)
	}
	b.kubectl("annotate", "pod", "held", "pod-reclaimer/hold=true")
	b.kubectl("patch", "pod", "finalizer", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/wait"]}}`)
	e := b.run()
	e.expect(t, 0, "one deleted, two kept", e.summary.Deleted == 1 && e.summary.Kept["hold"] == 1 && e.summary.Kept["finalizer"] == 1 && e.summary.Archived == 3)
	b.kubectl("annotate", "pod", "held", "pod-reclaimer/hold-")
	b.kubectl("patch", "pod", "finalizer", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	e = b.run()
	e.expect(t, 0, "both deleted, their new state archived", e.summary.Deleted == 2 && e.summary.Archived == 2)
}

// Hundreds of pods of all shapes: no error, and little memory.
func TestManyPodsOnRealCluster(t *testing.T) {
	b := newBed(t)
	b.testbed("seed", "--pods", "500", "--namespaces", "2")
	t.Cleanup(func() { b.testbed("seed", "--clean") })
	b.env["RECLAIM_NAMESPACES"] = "seed-0,seed-1"
	b.binary = build(t)

	b.journal.Mark()
	cmd, output := b.command()
	cmd.Run()
	e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
	if len(e.output) > 5000 {
		e.output = "..." + e.output[len(e.output)-5000:]
	}
	e.expect(t, 0, "500 deleted", e.summary.Listed == 500 && e.summary.Deleted == 500 && e.summary.Archived == 500)
	rss := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	t.Logf("peak RSS %d MiB", rss>>10)
	if rss > 128<<10 {
		t.Errorf("peak RSS %d MiB, want under 128", rss>>10)
	}
}
