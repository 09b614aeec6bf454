package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodePod makes a pod on the real node whose container "main" runs a script.
func (b *bed) nodePod(name, script string, edits ...func(*corev1.Pod)) {
	b.t.Helper()
	grace := int64(1) // a shell as first process does not end on SIGTERM
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			NodeName: os.Getenv("TESTBED_NODE"), RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{shell("main", script)},
		},
	}
	for _, edit := range edits {
		edit(pod)
	}
	text, err := json.Marshal(pod)
	if err != nil {
		b.t.Fatal(err)
	}
	b.kubectlIn(string(text), "create", "-f", "-") // apply would add its own annotation, as large as the pod
}

func shell(name, script string) corev1.Container {
	return corev1.Container{
		Name: name, Image: os.Getenv("TESTBED_IMAGE"), ImagePullPolicy: corev1.PullNever, Command: []string{"sh", "-c", script},
	}
}

// withData gives the container an empty directory at /data, or the host's
// directory if that is not empty.
func withData(source corev1.VolumeSource) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "data", VolumeSource: source})
		main := &p.Spec.Containers[0]
		main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "data", MountPath: "/data"})
	}
}

// waitAllEnded waits until no pod of the namespace runs any more.
func (b *bed) waitAllEnded() {
	b.t.Helper()
	eventually(b.t, "all pods have ended", func() bool {
		phases := string(b.kubectl("get", "pods", "-o", "jsonpath={.items[*].status.phase}"))
		return !strings.Contains(phases, "Pending") && !strings.Contains(phases, "Running")
	})
}

// logFile is the current log file of a container on the node.
func (b *bed) logFile(pod, container string) string {
	b.t.Helper()
	dir := fmt.Sprintf("%s_%s_%s", b.namespace, pod, b.field("pod/"+pod, ".metadata.uid"))
	files, err := filepath.Glob(filepath.Join(os.Getenv("TESTBED_POD_LOGS_DIR"), dir, container, "*.log"))
	if err != nil || len(files) != 1 {
		b.t.Fatalf("log files of %s %s: %v, %v", pod, container, files, err)
	}
	return files[0]
}

// writeLogFile makes the log of an ended container what a runtime would have
// written, had it written fast enough not to be rotated: a line for each text,
// in parts of at most 16 KiB.
func (b *bed) writeLogFile(pod string, lines func(yield func(string) bool)) {
	b.t.Helper()
	path := b.logFile(pod, "main")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer file.Close()
	const part = 16 << 10
	w := bufio.NewWriterSize(file, 1<<20)
	at := b.field("pod/"+pod, ".status.containerStatuses[0].state.terminated.startedAt")
	at = strings.TrimSuffix(at, "Z")
	n := 0
	for line := range lines {
		for len(line) > part {
			n++
			fmt.Fprintf(w, "%s.%09dZ stdout P %s\n", at, n, line[:part])
			line = line[part:]
		}
		n++
		fmt.Fprintf(w, "%s.%09dZ stdout F %s\n", at, n, line)
	}
	if err := w.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

// testbed runs the testbed's own program on the testbed of the environment.
func (b *bed) testbed(args ...string) {
	b.t.Helper()
	if err := testbed(args...); err != nil {
		b.t.Fatal(err)
	}
}

func testbed(args ...string) error {
	program, err := testbedProgram()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, append(args, "--name", os.Getenv("TESTBED_NAME"))...)
	cmd.Dir = testbedDir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("testbed %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// testbedProgram is the testbed's program, as its script builds it: what the
// script does beside takes longer than many a verb.
var testbedProgram = sync.OnceValues(func() (string, error) {
	if output, err := exec.Command(filepath.Join(testbedDir, "testbed"), "-h").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the testbed's program: %w\n%s", err, output)
	}
	return filepath.Abs("bin/testbed")
})

const testbedDir = "scripts/testbed"

// mend starts what is dead and lets go on what is frozen, and returns when the
// node is well.
func (b *bed) mend() {
	b.t.Helper()
	b.testbed("up", "--node")
}

// mendAtEnd mends the node when the test ends, if it failed before it did.
func mendAtEnd(t *testing.T) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		if err := testbed("up", "--node"); err != nil {
			t.Error(err)
		}
	})
}

// outcomes compares what the newest bundle of each pod says of its logs, as
// "container:outcome", "container(previous):outcome".
func (b *bed) outcomes(want map[string]string) {
	b.t.Helper()
	for pod, logs := range want {
		bundle, _ := b.bundle(pod)
		var got []string
		for _, l := range bundle.Index.Logs {
			name := l.Container
			if l.Previous {
				name += "(previous)"
			}
			got = append(got, name+":"+l.Outcome)
		}
		if strings.Join(got, " ") != logs {
			b.t.Errorf("pod %s: %s, want %s; %+v", pod, strings.Join(got, " "), logs, bundle.Index.Logs)
		}
	}
}
