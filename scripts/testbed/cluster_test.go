package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestFailingPart wants the name of the part and the end of its log.
func TestFailingPart(t *testing.T) {
	b := newTestbed(testName("fail"))
	t.Cleanup(func() { os.RemoveAll(b.dir) })
	if err := b.makeFolders(); err != nil {
		t.Fatal(err)
	}
	if err := b.load(); err != nil {
		t.Fatal(err)
	}
	b.Bin = t.TempDir()
	program := "#!/bin/sh\nfor i in $(seq 30); do echo line $i; done\nexit 7\n"
	if err := os.WriteFile(filepath.Join(b.Bin, "kwok"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	never := func(context.Context) error { return os.ErrNotExist }
	err := b.ensure(context.Background(), part{name: "kwok", ready: never})
	if err == nil {
		t.Fatal("a part that ends at once is taken for ready")
	}
	text := err.Error()
	if !strings.Contains(text, "start kwok: it ended (exit status 7)") || !strings.Contains(text, "line 30") ||
		!strings.Contains(text, "line 11\n") || strings.Contains(text, "line 10\n") {
		t.Errorf("the message does not name the part or not just the last 20 lines of its log:\n%s", text)
	}
}

// TestRepair kills and freezes parts; `up` brings them back to the same place
// with the same data.
func TestRepair(t *testing.T) {
	b := upForTest(t, testName("repair"))
	if t.Failed() {
		return
	}
	first := b.environment()
	for _, part := range []string{"etcd", "store", "kwok"} {
		if err := signalPart(b.name, part, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if err := signalPart(b.name, "kube-apiserver", syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := signalPart(b.name, "etcd", syscall.SIGKILL); err == nil {
		t.Error("a dead part is killed again and nothing is said")
	}
	again, err := up(context.Background(), b.name, upOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if again != first {
		t.Errorf("the environment changed from\n%s\nto\n%s", first, again)
	}
	if b.Node {
		repairNode(t, b)
	}
}

// repairNode kills the node's programs; their containers live on, and `up`
// returns when the kubelet answers for them again.
func repairNode(t *testing.T, b *testbed) {
	t.Helper()
	runJob(t, b)
	for _, part := range []string{"kubelet", "containerd"} {
		if err := signalPart(b.name, part, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := up(context.Background(), b.name, upOptions{}); err != nil {
		t.Fatal(err)
	}
	runJob(t, b)
}

// TestSeed seeds some pods and reads their logs by way of the API server.
func TestSeed(t *testing.T) {
	b := upForTest(t, testName("seed"))
	if t.Failed() {
		return
	}
	ctx := context.Background()
	o := seedOptions{pods: 200, big: 1, empty: 1, namespaces: 2, workers: 16, seed: 1}
	for range 2 { // the second call finds everything there
		if err := b.seed(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	client, err := b.clientset()
	if err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + kwokNode})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 202 {
		t.Errorf("there are %d pods, want 202", len(pods.Items))
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed || pod.DeletionTimestamp != nil {
			t.Errorf("pod %s/%s has phase %s", pod.Namespace, pod.Name, pod.Status.Phase)
		}
		wantLog(t, client, pod)
	}
	if err := b.unseed(ctx); err != nil {
		t.Error(err)
	}
}

func wantLog(t *testing.T, client kubernetes.Interface, pod corev1.Pod) {
	t.Helper()
	for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		log, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: c.Name}).DoRaw(context.Background())
		if err != nil {
			t.Fatalf("log of %s/%s %s: %v", pod.Namespace, pod.Name, c.Name, err)
		}
		least, most := 13<<10, 14<<10
		switch pod.Namespace {
		case "seed-big-0":
			least, most = 1<<20, 1<<20+200
		case emptyNamespace:
			least, most = 0, 0
		}
		if len(log) < least || len(log) > most {
			t.Errorf("log of %s/%s %s has %d bytes", pod.Namespace, pod.Name, c.Name, len(log))
		}
	}
}

// runJob runs a Job of two containers on the real node and wants it to fail
// with both logs readable.
func runJob(t *testing.T, b *testbed) {
	t.Helper()
	ctx := context.Background()
	client, err := b.clientset()
	if err != nil {
		t.Fatal(err)
	}
	job, err := client.BatchV1().Jobs("default").Create(ctx, twoContainerJob(), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Job has failed", func() bool {
		now, err := client.BatchV1().Jobs("default").Get(ctx, job.Name, metav1.GetOptions{})
		return err == nil && now.Status.Failed == 1
	})
	pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + job.Name})
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("pods of the Job: %d, %v", len(pods.Items), err)
	}
	for _, c := range []string{"one", "two"} {
		log, err := client.CoreV1().Pods("default").GetLogs(pods.Items[0].Name, &corev1.PodLogOptions{Container: c}).DoRaw(ctx)
		if err != nil || string(log) != "hello from "+c+"\n" {
			t.Errorf("log of container %s: %q, %v", c, log, err)
		}
	}
}

func twoContainerJob() *batchv1.Job {
	none := int32(0)
	run := func(name, end string) corev1.Container {
		return corev1.Container{
			Name: name, Image: busyboxImage, ImagePullPolicy: corev1.PullNever,
			Command: []string{"sh", "-c", "echo hello from " + name + "; " + end},
		}
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "two-"},
		Spec: batchv1.JobSpec{BackoffLimit: &none, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{run("one", "exit 3"), run("two", "exit 0")},
		}}},
	}
}
