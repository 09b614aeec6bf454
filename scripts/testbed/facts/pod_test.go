package facts

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fakePod is a pod on the fake node.
func (c *cluster) fakePod(name string, edits ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.namespace},
		Spec: corev1.PodSpec{
			NodeName:      c.fake,
			RestartPolicy: corev1.RestartPolicyNever,
			Tolerations:   []corev1.Toleration{{Key: "kwok", Operator: corev1.TolerationOpExists}},
			Containers:    []corev1.Container{{Name: "main", Image: "registry.example.com/main:1"}},
		},
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

func (c *cluster) create(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	made, err := c.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (c *cluster) pod(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	pod, err := c.CoreV1().Pods(c.namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// setPhase writes a pod's status as a kubelet would, on a node that has none.
func (c *cluster) setPhase(t *testing.T, name string, phase corev1.PodPhase) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	eventually(t, fmt.Sprintf("status of pod %s is written", name), func() (err error) {
		pod = c.pod(t, name)
		pod.Status.Phase = phase
		pod, err = c.CoreV1().Pods(c.namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
		return err
	})
	return pod
}

// ended makes a pod on the fake node that has run and failed.
func (c *cluster) ended(t *testing.T, name string, edits ...func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	c.create(t, c.fakePod(name, edits...))
	c.setPhase(t, name, corev1.PodRunning)
	return c.setPhase(t, name, corev1.PodFailed)
}

// delete removes the pod as a user would, without conditions.
func (c *cluster) delete(t *testing.T, name string) {
	t.Helper()
	if err := c.CoreV1().Pods(c.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// gone waits until the pod is not there any more.
func (c *cluster) gone(t *testing.T, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("pod %s is gone", name), func() error {
		_, err := c.CoreV1().Pods(c.namespace).Get(t.Context(), name, metav1.GetOptions{})
		return missing(err)
	})
}

// missing turns the error of a GET around: nil for a thing that is not there.
func missing(err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err == nil:
		return fmt.Errorf("it is there")
	}
	return err
}
