package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	shown := b.shown(pod)

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
	b.readsBack(shown)
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

// Every kind of container on a real node: restarted, native sidecar, ephemeral,
// and one whose log was rotated while it ran.
func TestContainersOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.apply(`
apiVersion: v1
kind: Pod
metadata: {name: restarted}
spec:
  restartPolicy: OnFailure
  volumes: [{name: state, emptyDir: {}}]
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, volumeMounts: [{name: state, mountPath: /state}],
     command: [sh, -c, "echo attempt; test -e /state/ran || { touch /state/ran; exit 1; }"]}
---
apiVersion: v1
kind: Pod
metadata: {name: sidecar}
spec:
  restartPolicy: Never
  initContainers:
  - {name: proxy, image: IMAGE, imagePullPolicy: Never, restartPolicy: Always, command: [sh, -c, "echo proxying; trap 'exit 0' TERM; while true; do sleep 0.1; done"]}
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, command: [echo, done]}
---
apiVersion: v1
kind: Pod
metadata: {name: debugged}
spec:
  restartPolicy: Never
  volumes: [{name: state, emptyDir: {}}]
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, volumeMounts: [{name: state, mountPath: /state}],
     command: [sh, -c, "echo waiting; until test -e /state/done; do sleep 0.1; done"]}
---
apiVersion: v1
kind: Pod
metadata: {name: rotated}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, command: [sh, -c, "yes a line that fills the file | head -n 100000; sleep 25; seq 1 1000"]}
`)
	eventually(t, "the pod to debug runs", func() bool { return b.field("pod/debugged", ".status.phase") == "Running" })
	b.kubectl("patch", "pod", "debugged", "--subresource=ephemeralcontainers", "--type=strategic", "-p",
		`{"spec":{"ephemeralContainers":[{"name":"debugger","image":"`+os.Getenv("TESTBED_IMAGE")+`","imagePullPolicy":"Never",
"command":["sh","-c","echo looking around; touch /state/done"],"volumeMounts":[{"name":"state","mountPath":"/state"}]}]}}`)
	want := map[string]map[string]string{
		"restarted": {"main": "complete", "main previous": "unavailable"},
		"sidecar":   {"main": "complete", "proxy": "complete"},
		"debugged":  {"main": "complete", "debugger": "complete"},
		"rotated":   {"main": "possibly-rotated"},
	}
	logs := map[string][]byte{}
	for pod, containers := range want {
		b.waitEnded("pod/" + pod)
		for c, outcome := range containers {
			if outcome != "unavailable" {
				logs[pod+" "+c] = b.kubectl("logs", pod, "-c", c, "--timestamps")
			}
		}
	}
	shown := b.shown(slices.Collect(maps.Keys(want))...)

	e := b.run()
	e.expect(t, 0, "all deleted", e.summary.Deleted == 4 && e.summary.DeletedWithoutLogs == 1 && e.summary.DeletedWithPartialLogs == 1)
	for pod, containers := range want {
		bundle, _ := b.bundle(pod)
		for c, outcome := range containers {
			name, previous := strings.CutSuffix(c, " previous")
			l, ok := bundle.Log(name, previous)
			if !ok || l.Outcome != outcome {
				t.Errorf("pod %s, container %s: %+v, want %s", pod, c, l, outcome)
			}
			if text := logs[pod+" "+c]; l.Path != "" && (len(text) == 0 || !bytes.Equal(bundle.Files[l.Path], text)) {
				t.Errorf("pod %s, container %s: the log differs from kubectl logs --timestamps", pod, c)
			}
		}
		if len(bundle.Index.Logs) != len(containers) {
			t.Errorf("pod %s: logs %+v", pod, bundle.Index.Logs)
		}
	}
	b.readsBack(shown)
}

// On a real node too, the pod that took the name survives, though it has ended
// as well.
func TestNameReusedOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.reuseName(func(name string) {
		b.apply(`
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, command: [date]}
`)
		b.waitEnded("pod/" + name)
	})
}
