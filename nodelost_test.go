package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Whatever happens to the node (kubelet frozen, containerd dead in the middle of
// a run, both started again, containers and log files removed behind the
// kubelet's back, the Node deleted), a log that comes back is waited for, one
// that was archived before is taken from there, and none is claimed that is not
// there.
func TestNodeThatFailsOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	mendAtEnd(t)
	for _, name := range []string{"waits", "removed", "unlinked", "archived", "late"} {
		b.nodePod(name, "echo a line of "+name, func(p *corev1.Pod) { p.Labels = map[string]string{"name": name} })
	}
	b.waitAllEnded()
	only := func(names ...string) string {
		return "RECLAIM_LABEL_SELECTOR=name in (" + strings.Join(names, ",") + ")"
	}
	e := b.run(only("unlinked", "archived"), "RECLAIM_DELETE_AFTER=24h")
	e.expect(t, 0, "two archived and young", e.summary.Archived == 2 && e.summary.Kept["young"] == 2)
	b.kubectl("label", "pod", "unlinked", "archived", "changed=since")

	b.testbed("stop", "kubelet")
	e = b.run(only("waits"), "RECLAIM_LOG_IDLE_TIMEOUT=2s")
	b.testbed("cont", "kubelet")
	e.expect(t, 0, "the kubelet being frozen, the pod waits", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 1)

	var once atomic.Bool
	b.onLogOf("waits", func(http.ResponseWriter, *http.Request) bool {
		if !once.Swap(true) {
			b.removeContainer("removed")
			if err := testbed("kill", "containerd"); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	e = b.run(only("waits"), "RECLAIM_LOG_GRACE=24h")
	e.expect(t, 0, "containerd being dead, the pod waits", e.summary.Kept["log-wait"] == 1)
	b.mend()
	b.waitServed("waits")
	if err := os.Remove(b.logFile("unlinked", "main")); err != nil {
		t.Fatal(err)
	}
	e = b.run(only("waits", "removed", "unlinked"))
	e.expect(t, 0, "one log is back, one is in an earlier bundle, one is waited for", e.summary.Deleted == 2 && e.summary.Kept["log-wait"] == 1 && e.summary.Logs["complete"] == 2)
	if note := b.noteOf("unlinked"); !strings.Contains(note, "taken from the bundle") || !strings.Contains(note, "no such file") {
		t.Errorf("the note says %q", note)
	}
	e = b.run(only("removed"), "RECLAIM_LOG_GRACE=1ms")
	e.expect(t, 0, "after the grace it goes without", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1)
	if note := b.noteOf("removed"); !strings.HasPrefix(note, "unable to retrieve container logs") {
		t.Errorf("the note says %q", note)
	}
	for _, pod := range []string{"waits", "unlinked"} {
		if bundle, _ := b.bundle(pod); !strings.HasSuffix(string(bundle.Files["logs/main.log"]), "Z a line of "+pod+"\n") {
			t.Errorf("%s: the log is %q", pod, bundle.Files["logs/main.log"])
		}
	}

	b.kubectl("delete", "node", os.Getenv("TESTBED_NODE"))
	e = b.run(only("archived", "late"))
	e.expect(t, 0, "the Node being gone, both go, one with its log", e.summary.Deleted == 2 && e.summary.DeletedWithoutLogs == 1 && e.summary.Logs["complete"] == 1)
	b.testbed("kill", "kubelet") // it makes its Node only when it starts
	b.mend()
}

// A kubelet that starts again does not know its pods for a moment. The log is
// waited for all that time.
func TestKubeletStartsAgainOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	mendAtEnd(t)
	b.nodePod("a", "echo a line")
	b.waitEnded("pod/a")
	b.testbed("kill", "kubelet")
	mended := make(chan error, 1)
	go func() { mended <- testbed("up", "--node") }()
	for deleted := 0; deleted == 0; {
		e := b.run()
		deleted = e.summary.Deleted
		e.expect(t, 0, "kept until its log comes", deleted+e.summary.Kept["log-wait"] == 1 && e.summary.DeletedWithoutLogs == 0)
		if t.Failed() {
			break
		}
	}
	if err := <-mended; err != nil {
		t.Fatal(err)
	}
	b.outcomes(map[string]string{"a": "main:complete"})
}

// waitServed waits until the kubelet has the pod's log again.
func (b *bed) waitServed(pod string) {
	b.t.Helper()
	eventually(b.t, "the log of "+pod+" is served", func() bool {
		text, err := b.tryKubectl("", "logs", pod)
		return err == nil && bytes.HasPrefix(text, []byte("a line"))
	})
}

// noteOf is what the newest bundle of a pod says of its one log.
func (b *bed) noteOf(pod string) string {
	bundle, _ := b.bundle(pod)
	return bundle.Index.Logs[0].Note
}

// removeContainer takes a pod's ended container out of containerd, of which the
// kubelet is not told.
func (b *bed) removeContainer(pod string) {
	id := strings.TrimPrefix(b.field("pod/"+pod, ".status.containerStatuses[0].containerID"), "containerd://")
	ctr := exec.Command(filepath.Join(os.Getenv("TESTBED_BIN"), "ctr"), "--address", filepath.Join(os.Getenv("TESTBED_DIR"), "containerd.sock"),
		"--namespace", "k8s.io", "containers", "rm", id)
	if output, err := ctr.CombinedOutput(); err != nil {
		b.t.Errorf("remove container %s: %v\n%s", id, err, output)
	}
}
