package reclaim

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// ago is now minus d, as it stands in objects.
func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// pod is a pod of a Job that succeeded two hours ago: in scope, and it may go.
func pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "report-x7k2p", UID: "0d5f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d11", ResourceVersion: "4711",
			CreationTimestamp: ago(3 * time.Hour),
		},
		Spec: corev1.PodSpec{
			NodeName:   "node-1",
			Containers: []corev1.Container{{Name: "main"}},
		},
		Status: corev1.PodStatus{
			Phase:             corev1.PodSucceeded,
			StartTime:         ptr(ago(3 * time.Hour)),
			ContainerStatuses: []corev1.ContainerStatus{ended("main", 2*time.Hour)},
		},
	}
	ownedBy("batch/v1", "Job")(p)
	for _, change := range changes {
		change(p)
	}
	return p
}

func ptr[T any](value T) *T { return &value }

// ended is the status of a container that ran for a minute.
func ended(name string, before time.Duration) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name: name, ContainerID: "containerd://" + name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			StartedAt: ago(before + time.Minute), FinishedAt: ago(before), ContainerID: "containerd://" + name,
		}},
	}
}

// running is the status of a container that has not ended.
func running(name string) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name: name, ContainerID: "containerd://" + name,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: ago(3 * time.Hour)}},
	}
}

// waiting is the status of a container that never started.
func waiting(name string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}}
}

func ownedBy(apiVersion, kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "report", UID: "owner", Controller: ptr(true)}}
	}
}

// ownedLoosely gives an owner that is not the controller.
func ownedLoosely(apiVersion, kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "report", UID: "owner"}}
	}
}

func ownedByNobody(p *corev1.Pod) { p.OwnerReferences = nil }

func in(namespace string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Namespace = namespace }
}

func labelled(name, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{name: value} }
}

func annotated(name, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		if p.Annotations == nil {
			p.Annotations = map[string]string{}
		}
		p.Annotations[name] = value
	}
}

func finalized(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Finalizers = append(p.Finalizers, name) }
}

func beingDeleted(p *corev1.Pod) { p.DeletionTimestamp = ptr(ago(time.Minute)) }

func finished(before time.Duration) func(*corev1.Pod) {
	return containers(ended("main", before))
}

func containers(statuses ...corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.ContainerStatuses = statuses }
}

func initContainers(statuses ...corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.InitContainerStatuses = statuses }
}

func ephemeralContainers(statuses ...corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.EphemeralContainerStatuses = statuses }
}

func condition(kind corev1.PodConditionType, status corev1.ConditionStatus, before time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, LastTransitionTime: ago(before)})
	}
}

func created(before time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.CreationTimestamp = ago(before) }
}

func startedAgo(before time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.StartTime = ptr(ago(before)) }
}

func neverStarted(p *corev1.Pod) { p.Status.StartTime = nil }

func failed(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase, p.Status.Reason = corev1.PodFailed, reason }
}
