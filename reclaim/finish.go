package reclaim

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Finish is when a pod ended and where that is known from.
type Finish struct {
	At     time.Time
	Source string
}

// finish finds when a pod ended: the latest finishedAt of its containers, else
// the condition that marks the end best, else the start (a pod rejected by the
// kubelet has no more), else the creation. It is clamped to [creation, now],
// since nodes have clocks of their own. Kubernetes has no such field; the order
// follows what the kubelet writes at the end of a pod (pkg/kubelet/status).
func finish(pod *corev1.Pod, now time.Time) Finish {
	f := finishSource(pod)
	created := pod.CreationTimestamp.Time
	if f.At.Before(created) {
		f.At = created
	}
	if f.At.After(now) {
		f.At = now
	}
	return f
}

// finishSource goes by the containers, unless one that ended has no time (its
// status was lost): then a condition may show that the pod ended later.
func finishSource(pod *corev1.Pod) Finish {
	var last time.Time
	lost := false
	for _, s := range statuses(pod) {
		t := s.State.Terminated
		if t == nil {
			continue
		}
		lost = lost || t.FinishedAt.Unix() <= 0
		if t.FinishedAt.Unix() > 0 && t.FinishedAt.After(last) {
			last = t.FinishedAt.Time
		}
	}
	byContainers := Finish{last, "finishedAt"}
	if !last.IsZero() && !lost {
		return byContainers
	}
	byPod := conditionFinish(pod)
	if last.IsZero() || byPod.At.After(last) {
		return byPod
	}
	return byContainers
}

func conditionFinish(pod *corev1.Pod) Finish {
	for _, want := range []struct {
		kind   corev1.PodConditionType
		status corev1.ConditionStatus
	}{
		{corev1.PodReadyToStartContainers, corev1.ConditionFalse},
		{corev1.DisruptionTarget, corev1.ConditionTrue},
		{corev1.PodReady, corev1.ConditionFalse},
		{corev1.ContainersReady, corev1.ConditionFalse},
	} {
		for _, c := range pod.Status.Conditions {
			if c.Type == want.kind && c.Status == want.status && !c.LastTransitionTime.IsZero() {
				return Finish{c.LastTransitionTime.Time, string(want.kind)}
			}
		}
	}
	if pod.Status.StartTime != nil {
		return Finish{pod.Status.StartTime.Time, "startTime"}
	}
	return Finish{pod.CreationTimestamp.Time, "creationTimestamp"}
}
