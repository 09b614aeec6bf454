package randomtest

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// addContainers gives the pod containers of all kinds, with the statuses that a
// kubelet may have left of them.
func (c *Case) addContainers(d dice.Dice, pod *corev1.Pod, now time.Time) {
	spec, status := &pod.Spec, &pod.Status
	noStatuses := d.Chance(0.03) || pod.Status.Reason == "Evicted" && d.Chance(0.5)
	add := func(name string, to *[]corev1.ContainerStatus) {
		s, known := c.containerStatus(d, pod, name, now)
		if known && !noStatuses {
			*to = append(*to, s)
		}
	}
	for i := range dice.Pick(d, 0, 0, 0, 1, 2) {
		container := corev1.Container{Name: fmt.Sprintf("init-%d", i)}
		if d.Chance(0.3) {
			always := corev1.ContainerRestartPolicyAlways
			container.RestartPolicy = &always
		}
		spec.InitContainers = append(spec.InitContainers, container)
		add(container.Name, &status.InitContainerStatuses)
	}
	for i := range dice.Pick(d, 1, 1, 1, 1, 2, 3) {
		spec.Containers = append(spec.Containers, corev1.Container{Name: fmt.Sprintf("main-%d", i)})
		add(fmt.Sprintf("main-%d", i), &status.ContainerStatuses)
	}
	if d.Chance(0.05) {
		spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug"}}}
		add("debug", &status.EphemeralContainerStatuses)
	}
}

// containerStatus makes the instances of one container and what the pod's
// status knows of them; not known means that the status says nothing.
func (c *Case) containerStatus(d dice.Dice, pod *corev1.Pod, name string, now time.Time) (s corev1.ContainerStatus, known bool) {
	s.Name = name
	if d.Chance(0.08) { // it never started
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "PodInitializing"}
		if d.Chance(0.3) {
			s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "StartError", ExitCode: 128}}
		}
		return s, d.Chance(0.8)
	}
	if d.Chance(0.2) {
		s.RestartCount = int32(1 + d.IntN(4))
		s.LastTerminationState = c.ran(d, pod, name, s.RestartCount-1, now)
	}
	s.State = c.ran(d, pod, name, s.RestartCount, now)
	s.ContainerID = s.State.Terminated.ContainerID
	if d.Chance(0.02) {
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: s.State.Terminated.StartedAt}}
	}
	return s, d.Chance(0.97)
}

// ran makes one instance that ran, and the state that it left.
func (c *Case) ran(d dice.Dice, pod *corev1.Pod, name string, restarts int32, now time.Time) corev1.ContainerState {
	started := pod.CreationTimestamp.Add(time.Duration(2+d.IntN(60)) * time.Second)
	t := &corev1.ContainerStateTerminated{
		ContainerID: fmt.Sprintf("containerd://%016x%016x%016x%08d%08d", d.Uint64(), d.Uint64(), d.Uint64(), c.n, len(c.logs)),
		StartedAt:   metav1.NewTime(started), FinishedAt: endTime(d, pod, now), ExitCode: dice.Pick(d, int32(0), 1, 137),
	}
	c.logs = append(c.logs, newInstance(d, pod, name, t.ContainerID, restarts, started))
	if d.Chance(0.04) { // the kubelet lost it
		t = &corev1.ContainerStateTerminated{Reason: "ContainerStatusUnknown", ExitCode: 137, FinishedAt: dice.Pick(d, metav1.Time{}, t.FinishedAt)}
	}
	return corev1.ContainerState{Terminated: t}
}
