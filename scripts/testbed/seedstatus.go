package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// status is the pod's end as a kubelet would have written it.
func (p podPlan) status(pod *corev1.Pod) corev1.PodStatus {
	started, finished := metav1.NewTime(p.finished.Add(-p.ran)), metav1.NewTime(p.finished)
	status := corev1.PodStatus{
		ObservedGeneration: pod.Generation,
		QOSClass:           pod.Status.QOSClass, // may not change
		Phase:              corev1.PodSucceeded,
		HostIP:             "127.0.0.1",
		HostIPs:            []corev1.HostIP{{IP: "127.0.0.1"}},
		StartTime:          &started,
	}
	if p.shape.evicted {
		status.Phase, status.Reason = corev1.PodFailed, "Evicted"
		status.Message = "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi."
		status.Conditions = append(conditions(started, finished, "PodFailed"), corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: finished,
			Reason: corev1.PodReasonTerminationByKubelet, Message: status.Message,
		})
		return status
	}
	reason := "PodCompleted"
	if p.shape.failed {
		status.Phase, reason = corev1.PodFailed, "PodFailed"
	}
	status.Conditions = conditions(started, finished, reason)
	status.PodIP = fmt.Sprintf("10.%d.%d.%d", 200+p.random.IntN(50), p.random.IntN(256), 1+p.random.IntN(254))
	status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	for _, c := range pod.Spec.InitContainers {
		end := started.Add(2 * time.Second)
		if c.RestartPolicy != nil { // a sidecar ends after the others
			end = p.finished
		}
		status.InitContainerStatuses = append(status.InitContainerStatuses, p.ended(c, 0, started.Time, end, false))
	}
	for i, c := range pod.Spec.Containers {
		code := int32(0)
		if p.shape.failed && i == 0 {
			code = []int32{1, 1, 1, 2, 3, 126, 127, 137, 139, 143, 255}[p.random.IntN(11)]
		}
		status.ContainerStatuses = append(status.ContainerStatuses, p.ended(c, code, started.Time, p.finished, p.shape.restarts && i == 0))
	}
	return status
}

// ended is the status of a container that ran and ended; a restarted one ended
// before too, with an error.
func (p podPlan) ended(c corev1.Container, code int32, from, to time.Time, restarted bool) corev1.ContainerStatus {
	no := false
	s := corev1.ContainerStatus{
		Name:        c.Name,
		Image:       c.Image,
		ImageID:     "registry.example.com/team/import@sha256:" + p.hex(64),
		ContainerID: "containerd://" + p.hex(64),
		Started:     &no,
	}
	s.State.Terminated = terminated(code, s.ContainerID, from, to)
	if restarted {
		s.RestartCount = int32(1 + p.random.IntN(5))
		again := from.Add(to.Sub(from) / 2)
		s.State.Terminated.StartedAt = metav1.NewTime(again)
		s.LastTerminationState.Terminated = terminated(1, "containerd://"+p.hex(64), from, again.Add(-time.Second))
	}
	return s
}

func terminated(code int32, id string, from, to time.Time) *corev1.ContainerStateTerminated {
	reason := "Completed"
	switch {
	case code == 137:
		reason = "OOMKilled"
	case code != 0:
		reason = "Error"
	}
	return &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, ContainerID: id, StartedAt: metav1.NewTime(from), FinishedAt: metav1.NewTime(to),
	}
}

func conditions(started, finished metav1.Time, reason string) []corev1.PodCondition {
	return []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse, LastTransitionTime: finished},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: started, Reason: "PodCompleted"},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: finished, Reason: reason},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, LastTransitionTime: finished, Reason: reason},
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: started},
	}
}
