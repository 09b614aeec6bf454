package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Job whose one pod fails after an init container, kept for a week by its
// ttlSecondsAfterFinished: the pod goes with its evidence safe, and the Job
// still knows that it failed.
func TestFailedJobOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.apply(`
apiVersion: batch/v1
kind: Job
metadata: {name: report}
spec:
  backoffLimit: 0
  ttlSecondsAfterFinished: 600000
  template:
    spec:
      restartPolicy: Never
      initContainers:
      - {name: prepare, image: IMAGE, imagePullPolicy: Never, command: [sh, -c, "for i in 1 2 3; do echo prepare $i; done"]}
      containers:
      - {name: report, image: IMAGE, imagePullPolicy: Never, command: [sh, -c, "echo working; seq 1 1000; echo no newline at the end | tr -d '\\n'; exit 3"]}
`)
	pod := b.podOf("job-name=report")
	b.waitEnded("pod/" + pod)
	before := map[string][]byte{
		"logs/prepare.log": b.kubectl("logs", pod, "-c", "prepare", "--timestamps"),
		"logs/report.log":  b.kubectl("logs", pod, "-c", "report", "--timestamps"),
	}
	manifest := b.kubectl("get", "pod", pod, "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}")

	e := b.run()
	e.expect(t, 0, "the pod archived and deleted", e.summary.Deleted == 1 && e.summary.Archived == 1 && e.summary.Logs["complete"] == 2)

	bundle, put := b.bundle(pod)
	for path, want := range before {
		if len(want) == 0 || !bytes.Equal(bundle.Files[path], want) {
			t.Errorf("%s differs from kubectl logs --timestamps:\n%q\n%q", path, bundle.Files[path], want)
		}
	}
	if got := bundle.Index.UID + " " + bundle.Index.ResourceVersion; got != string(manifest) {
		t.Errorf("the bundle is of %s, the pod was %s", got, manifest)
	}
	if bundle.Files["owners/Job.report.json"] == nil || bundle.Files["events.json"] == nil {
		t.Errorf("owner or events are missing: %v", bundle.Order)
	}
	if b.field("pod/"+pod, ".metadata.name") != "" {
		t.Error("the pod is still there")
	}
	if failed := b.field("job/report", ".status.failed"); failed != "1" {
		t.Errorf("the Job says that %q pods failed, want 1", failed)
	}
	if again := b.podsOf("job-name=report"); len(again) != 0 {
		t.Errorf("the Job made new pods: %v", again)
	}
	opensWithTar(t, put.Path, put.Body, before)
}

// opensWithTar unpacks a bundle as a person without this program would.
func opensWithTar(t *testing.T, key string, content []byte, want map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.Base(key))
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("tar", "-xf", file, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, output)
	}
	for path, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("tar gives another %s: %v", path, err)
		}
	}
}

// podsOf are the names of the pods with a label.
func (b *bed) podsOf(selector string) []string {
	b.t.Helper()
	return strings.Fields(string(b.kubectl("get", "pods", "-l", selector, "-o", "jsonpath={.items[*].metadata.name}")))
}

// podOf waits for the one pod with a label.
func (b *bed) podOf(selector string) string {
	b.t.Helper()
	var pods []string
	eventually(b.t, "a pod with "+selector, func() bool {
		pods = b.podsOf(selector)
		return len(pods) == 1
	})
	return pods[0]
}
