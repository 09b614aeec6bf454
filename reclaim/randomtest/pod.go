package randomtest

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// newPod makes a pod of any kind under the case's name, and lets its kubelet
// know what its containers wrote.
func (c *Case) newPod(d dice.Dice, now time.Time) *corev1.Pod {
	c.born++
	created := now.Add(-time.Duration(600+d.IntN(16_000)) * time.Second).Truncate(time.Second)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: c.namespace, Name: c.pod, CreationTimestamp: metav1.NewTime(created),
			UID:         types.UID(fmt.Sprintf("%08x-0000-4000-8000-%04d%08d", d.Uint32(), c.n, c.born)),
			Labels:      dice.Pick(d, nil, map[string]string{"app": "web"}, map[string]string{"app.kubernetes.io/name": "pod-reclaimer"}),
			Annotations: annotations(d),
		},
		Spec: corev1.PodSpec{NodeName: c.node},
		Status: corev1.PodStatus{
			Phase:  dice.Pick(d, corev1.PodSucceeded, corev1.PodFailed, corev1.PodFailed),
			Reason: dice.Pick(d, "", "", "", "", "Evicted", "Preempting", "OutOfcpu", "DeadlineExceeded", "NodeLost", "Terminated"),
		},
	}
	if d.Chance(0.03) {
		pod.Status.Phase = dice.Pick(d, corev1.PodRunning, corev1.PodPending, corev1.PodUnknown)
	}
	if d.Chance(0.04) {
		pod.Spec.NodeName = ""
	}
	if d.Chance(0.06) {
		pod.Finalizers = []string{dice.Pick(d, "batch.kubernetes.io/job-tracking", "example.com/wait")}
	}
	if d.Chance(0.04) {
		at := metav1.NewTime(now.Add(-time.Minute).Truncate(time.Second))
		pod.DeletionTimestamp = &at
	}
	pod.OwnerReferences = c.owner(d)
	c.addContainers(d, pod, now)
	addTimes(d, pod, now)
	return pod
}

// annotations are overrides, valid or not, and others.
func annotations(d dice.Dice) map[string]string {
	notes := map[string]string{}
	if d.Chance(0.06) {
		notes[holdAnnotation] = dice.Pick(d, "true", "1", "false", "yes please", "", "TRUE", "0", "f")
	}
	if d.Chance(0.1) {
		notes[retentionAnnotation] = dice.Pick(d, "1d", "7d", "7d", "8d", "1d", "8d", "30d", "2w", "31d", "400d", "forever", "a month", "", "-1d", "7 d", "99999999999w")
	}
	if d.Chance(0.02) {
		notes[corev1.MirrorPodAnnotationKey] = dice.Pick(d, "", "x")
	}
	if d.Chance(0.005) {
		notes["example.com/big"] = strings.Repeat("long ", 40_000)
	}
	return notes
}

const (
	holdAnnotation      = "pod-reclaimer/hold"
	retentionAnnotation = "pod-reclaimer/retention"
)

// owner gives the pod an owner of some kind, which may exist, be gone or be
// another of the same name.
func (c *Case) owner(d dice.Dice) []metav1.OwnerReference {
	if d.Chance(0.3) {
		return nil
	}
	kind := dice.Pick(d, "batch/v1 Job jobs", "batch/v1 Job jobs", "batch/v1 Job jobs", "batch/v1 Job jobs", "batch/v1 Job jobs", "apps/v1 ReplicaSet replicasets", "apps/v1 StatefulSet statefulsets",
		"apps/v1 DaemonSet daemonsets", "v1 ReplicationController replicationcontrollers",
		"argoproj.io/v1alpha1 Workflow workflows", "batch.volcano.sh/v1alpha1 Job jobs")
	parts := strings.Fields(kind)
	controller := d.Chance(0.9)
	ref := metav1.OwnerReference{APIVersion: parts[0], Kind: parts[1], Name: fmt.Sprintf("j-%04d", c.n), UID: "owner", Controller: &controller}
	if d.Chance(0.7) {
		c.world.API.Set(strings.Join([]string{"/apis", parts[0], "namespaces", c.namespace, parts[2], ref.Name}, "/"), map[string]any{
			"apiVersion": parts[0], "kind": parts[1],
			"metadata": map[string]any{"name": ref.Name, "uid": dice.Pick(d, "owner", "owner", "owner", "another")},
		})
	}
	return []metav1.OwnerReference{ref}
}

// addTimes adds the start and the conditions of a pod, as far as it has any.
func addTimes(d dice.Dice, pod *corev1.Pod, now time.Time) {
	if d.Chance(0.9) {
		at := metav1.NewTime(pod.CreationTimestamp.Add(time.Second))
		pod.Status.StartTime = &at
	}
	for _, kind := range []corev1.PodConditionType{
		corev1.PodReadyToStartContainers, corev1.DisruptionTarget, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled,
	} {
		if d.Chance(0.4) {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
				Type: kind, Status: dice.Pick(d, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown), LastTransitionTime: endTime(d, pod, now),
			})
		}
	}
}

// endTime is when something ended: mostly between the pod's creation and now;
// a node's clock may be wrong, or nobody saw it.
func endTime(d dice.Dice, pod *corev1.Pod, now time.Time) metav1.Time {
	at := pod.CreationTimestamp.Add(time.Duration(d.Int64N(int64(now.Sub(pod.CreationTimestamp.Time)))))
	switch d.IntN(40) {
	case 0:
		return metav1.Time{}
	case 1:
		at = time.Unix(0, 0)
	case 2:
		at = pod.CreationTimestamp.Add(-time.Hour)
	case 3:
		at = now.Add(time.Hour)
	case 4:
		if d.Chance(0.3) {
			at = now.AddDate(10, 0, 0)
		}
	}
	return metav1.NewTime(at.Truncate(time.Second))
}
