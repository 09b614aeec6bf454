package reclaim

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// terminated tells whether the pod has reached a phase that it never leaves.
func terminated(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// terminating tells whether somebody has deleted the pod already.
func terminating(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }

// mirror tells whether the pod stands for a static pod of its kubelet, which
// would make it again.
func mirror(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// containersEnded tells whether no container of the pod runs. The phase alone
// does not say so where somebody else than the kubelet has set it.
func containersEnded(pod *corev1.Pod) bool {
	for _, s := range statuses(pod) {
		if s.State.Running != nil {
			return false
		}
	}
	return true
}

// statuses are those of all containers: init, regular and ephemeral.
func statuses(pod *corev1.Pod) []corev1.ContainerStatus {
	var all []corev1.ContainerStatus
	all = append(all, pod.Status.InitContainerStatuses...)
	all = append(all, pod.Status.ContainerStatuses...)
	return append(all, pod.Status.EphemeralContainerStatuses...)
}

// ownerKind is the Kind.group of the pod's controller, "None" if it has none.
func ownerKind(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "None"
	}
	group := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	return group.GroupKind().String()
}
