package facts

import (
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// realPod is a pod on the real node whose one container runs a shell script.
func (c *cluster) realPod(name, script string, edits ...func(*corev1.Pod)) *corev1.Pod {
	pod := c.fakePod(name)
	grace := int64(1) // a shell as first process does not end on SIGTERM
	pod.Spec = corev1.PodSpec{
		NodeName:                      c.real,
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: &grace,
		Containers:                    []corev1.Container{shell("main", script)},
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

func shell(name, script string) corev1.Container {
	return corev1.Container{
		Name: name, Image: os.Getenv("TESTBED_IMAGE"), ImagePullPolicy: corev1.PullNever,
		Command: []string{"/bin/sh", "-c", script},
	}
}

// runToEnd makes the pod and waits for its end.
func (c *cluster) runToEnd(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	c.create(t, pod)
	return c.phase(t, pod.Name, corev1.PodSucceeded)
}

// phase waits for the pod's end, which has to be in this phase.
func (c *cluster) phase(t *testing.T, name string, want corev1.PodPhase) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	within(t, 2*patience, fmt.Sprintf("pod %s is %s", name, want), func() error {
		pod = c.pod(t, name)
		switch now := pod.Status.Phase; now {
		case want:
			return nil
		case corev1.PodSucceeded, corev1.PodFailed:
			t.Fatalf("pod %s is %s, want %s: %v", name, now, want, pod.Status)
		}
		return fmt.Errorf("it is %s: %v", pod.Status.Phase, pod.Status.ContainerStatuses)
	})
	return pod
}
