package reclaim

import (
	"slices"
	"time"
	"unique"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// ref is all that is kept of a listed pod: a few hundred bytes, so that 100,000
// of them fit in memory.
type ref struct {
	namespace, name string
	uid             types.UID
	resourceVersion string
	node            string
	reason          string
	class           archive.Class
	finish          Finish
	keep            Reason
	note            string
	targets         []target
	annotations     map[string]string
	// hinted says that the bundle of this state was there some hours ago.
	hinted bool
}

func newRef(pod *corev1.Pod, d Decision) ref {
	r := ref{
		namespace: shared(pod.Namespace), name: pod.Name, uid: pod.UID, resourceVersion: pod.ResourceVersion,
		node: shared(pod.Spec.NodeName), reason: shared(pod.Status.Reason),
		class: d.Class, finish: d.Finish, keep: d.Keep, note: d.Note, targets: targets(pod),
	}
	for _, name := range []string{HoldAnnotation, RetentionAnnotation} {
		if value, ok := pod.Annotations[name]; ok {
			if r.annotations == nil {
				r.annotations = map[string]string{}
			}
			r.annotations[name] = value
		}
	}
	return r
}

// shared is the same text, of which many pods have one copy together.
func shared(text string) string { return unique.Make(text).Value() }

// key names the bundle of exactly this state of this pod.
func (r ref) key() archive.Key {
	return archive.Key{
		Class: r.class, Namespace: r.namespace, Pod: r.name,
		UID: string(r.uid), ResourceVersion: r.resourceVersion, Number: 1,
	}
}

// provisionalKey names the bundle of this state without the logs that are missing.
func (r ref) provisionalKey() archive.Key {
	key := r.key()
	key.Provisional = true
	return key
}

// evicted tells whether the kubelet removed the pod's containers and logs with
// the eviction: it does so for these two reasons, within about a minute
// (pkg/kubelet/eviction, pkg/kubelet/preemption).
func (r ref) evicted() bool { return r.reason == "Evicted" || r.reason == "Preempting" }

// target is one log to ask for; the order of its fields leaves no gaps.
type target struct {
	container string
	kind      string // as archive.Log.Type
	// startedAt is when, or else, if that is not known, when the pod did.
	startedAt time.Time
	// restarts tells one instance from the next.
	restarts int32
	previous bool
	// ran tells whether the pod's status shows that this instance started;
	// unknown, that it says nothing of the container at all.
	ran, unknown bool
}

// targets are the logs of all containers, by name from the spec; the status
// only adds what is known of them. A container that restarted has a second one.
func targets(pod *corev1.Pod) []target {
	known := map[string]corev1.ContainerStatus{}
	for _, s := range statuses(pod) {
		known[s.Name] = s
	}
	all := make([]target, 0, len(known))
	add := func(name, kind string) {
		s, ok := known[name]
		current := target{container: shared(name), kind: kind, unknown: !ok, restarts: s.RestartCount}
		current.ran, current.startedAt = started(pod, s.State, s.ContainerID)
		// an evicted container may be left waiting, its end lost
		if last := s.LastTerminationState.Terminated; last != nil && last.Reason == statusLost {
			current.ran = true
		}
		all = append(all, current)
		if s.RestartCount > 0 {
			previous := target{container: shared(name), kind: kind, previous: true, restarts: s.RestartCount}
			previous.ran, previous.startedAt = started(pod, s.LastTerminationState, "")
			all = append(all, previous)
		}
	}
	for _, c := range pod.Spec.InitContainers {
		kind := "init"
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			kind = "sidecar"
		}
		add(c.Name, kind)
	}
	for _, c := range pod.Spec.Containers {
		add(c.Name, "regular")
	}
	for _, c := range pod.Spec.EphemeralContainers {
		add(c.Name, "ephemeral")
	}
	return all
}

// statusLost is the reason of a container whose status the kubelet could not
// find at the end (pkg/kubelet/status): it may have run.
const statusLost = "ContainerStatusUnknown"

// started tells whether an instance ran, or may have, and since when; at the
// earliest since the pod started.
func started(pod *corev1.Pod, state corev1.ContainerState, containerID string) (ran bool, at time.Time) {
	switch {
	case state.Terminated != nil:
		at = state.Terminated.StartedAt.Time
		ran = state.Terminated.ContainerID != "" || containerID != "" || at.Unix() > 0 || state.Terminated.Reason == statusLost
	case state.Running != nil:
		ran, at = true, state.Running.StartedAt.Time
	}
	if at.Unix() > 0 {
		return ran, at
	}
	if pod.Status.StartTime != nil {
		return ran, pod.Status.StartTime.Time
	}
	return ran, pod.CreationTimestamp.Time
}

// sameTargets tells whether both lists ask for the same logs: those of the same
// instances of the same containers.
func sameTargets(a, b []target) bool {
	return slices.EqualFunc(a, b, func(a, b target) bool {
		return a.container == b.container && a.previous == b.previous && a.restarts == b.restarts
	})
}
