package facts

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The scheduler lets go of a pod's CPU, memory and GPU when its phase turns
// terminal, not when it is deleted.
func TestRequestsOfAFailedPodAreFreedAtOnce(t *testing.T) {
	t.Parallel()
	c := connect(t)
	node := c.nodeForOne(t)

	c.create(t, c.largePod("first", node))
	c.scheduled(t, "first")
	c.setPhase(t, "first", corev1.PodRunning)
	c.create(t, c.largePod("second", node))
	c.unschedulable(t, "second")

	first := c.setPhase(t, "first", corev1.PodFailed)
	c.scheduled(t, "second")
	if now := c.pod(t, "first"); now.UID != first.UID || now.DeletionTimestamp != nil {
		t.Errorf("the failed pod is not what it was: %v", now.ObjectMeta)
	}
}

// A running pod that is being terminated on a node that does not answer is what
// people mistake for the above.
func TestRequestsOfARunningPodBeingTerminatedStillCount(t *testing.T) {
	t.Parallel()
	c := connect(t)
	node := c.nodeForOne(t)

	c.create(t, c.largePod("first", node))
	c.scheduled(t, "first")
	c.setPhase(t, "first", corev1.PodRunning)
	c.delete(t, "first")
	if now := c.pod(t, "first"); now.DeletionTimestamp == nil || now.Status.Phase != corev1.PodRunning {
		t.Fatalf("the pod is not Running and being terminated: %v, phase %s", now.ObjectMeta, now.Status.Phase)
	}
	c.create(t, c.largePod("second", node))
	c.unschedulable(t, "second")

	c.setPhase(t, "first", corev1.PodFailed)
	c.scheduled(t, "second")
	c.pod(t, "first") // still there
}

// nodeForOne makes a fake node with room for one large pod, so that no other
// test takes it.
func (c *cluster) nodeForOne(t *testing.T) string {
	t.Helper()
	model, err := c.CoreV1().Nodes().Get(t.Context(), c.fake, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: c.namespace, Labels: model.Labels},
		Spec:       corev1.NodeSpec{Taints: model.Spec.Taints},
		Status:     corev1.NodeStatus{Capacity: model.Status.Capacity, Allocatable: model.Status.Allocatable},
	}
	node.Labels["kubernetes.io/hostname"] = node.Name
	if _, err := c.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{}) })
	return node.Name
}

// largePod asks for most of the node's memory and its only GPU, and leaves the
// node to the scheduler.
func (c *cluster) largePod(name, node string) *corev1.Pod {
	return c.fakePod(name, func(pod *corev1.Pod) {
		pod.Spec.NodeName = ""
		pod.Spec.NodeSelector = map[string]string{"type": "kwok", "kubernetes.io/hostname": node}
		size := corev1.ResourceList{"memory": resource.MustParse("500Gi"), "nvidia.com/gpu": resource.MustParse("1")}
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: size, Limits: size}
	})
}

func (c *cluster) scheduled(t *testing.T, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("pod %s is scheduled", name), func() error {
		if pod := c.pod(t, name); pod.Spec.NodeName == "" {
			return fmt.Errorf("%v", pod.Status.Conditions)
		}
		return nil
	})
}

// unschedulable waits until the scheduler has looked at the pod and said no for
// want of room, and nothing else.
func (c *cluster) unschedulable(t *testing.T, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("pod %s finds no room", name), func() error {
		pod := c.pod(t, name)
		if pod.Spec.NodeName != "" {
			t.Fatalf("pod %s is scheduled, to node %s", name, pod.Spec.NodeName)
		}
		for _, cond := range pod.Status.Conditions {
			if cond.Type == corev1.PodScheduled && cond.Reason == corev1.PodReasonUnschedulable && lacksRoom(cond.Message) {
				return nil
			}
		}
		return fmt.Errorf("%v", pod.Status.Conditions)
	})
}

func lacksRoom(message string) bool {
	return strings.Contains(message, "Insufficient memory") && strings.Contains(message, "Insufficient nvidia.com/gpu")
}
