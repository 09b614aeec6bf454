package reclaim

import (
	"time"

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
}

func newRef(pod *corev1.Pod, d Decision) ref {
	r := ref{
		namespace: pod.Namespace, name: pod.Name, uid: pod.UID, resourceVersion: pod.ResourceVersion,
		node: pod.Spec.NodeName, reason: pod.Status.Reason,
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

// key names the bundle of exactly this state of this pod.
func (r ref) key() archive.Key {
	return archive.Key{
		Class: r.class, Namespace: r.namespace, Pod: r.name,
		UID: string(r.uid), ResourceVersion: r.resourceVersion, Number: 1,
	}
}

// evicted tells whether the kubelet removed the pod's containers and logs with
// the eviction: it does so for these two reasons, within about a minute
// (pkg/kubelet/eviction, pkg/kubelet/preemption).
func (r ref) evicted() bool { return r.reason == "Evicted" || r.reason == "Preempting" }

// target is one log to ask for.
type target struct {
	container string
	kind      string // as archive.Log.Type
	previous  bool
	// ran tells whether the pod's status shows that this instance started.
	ran       bool
	startedAt time.Time
}

// targets are the logs of all containers, by name from the spec; the status
// only adds what is known of them. A container that restarted has a second one.
func targets(pod *corev1.Pod) []target {
	known := map[string]corev1.ContainerStatus{}
	for _, s := range statuses(pod) {
		known[s.Name] = s
	}
	var all []target
	add := func(name, kind string) {
		s := known[name]
		current := target{container: name, kind: kind}
		current.ran, current.startedAt = started(s.State, s.ContainerID)
		// an evicted container may be left waiting, its end lost
		if last := s.LastTerminationState.Terminated; last != nil && last.Reason == statusLost {
			current.ran = true
		}
		all = append(all, current)
		if s.RestartCount > 0 {
			previous := target{container: name, kind: kind, previous: true}
			previous.ran, previous.startedAt = started(s.LastTerminationState, "")
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

// started tells whether an instance ran, or may have, and since when.
func started(state corev1.ContainerState, containerID string) (bool, time.Time) {
	switch {
	case state.Terminated != nil:
		at := state.Terminated.StartedAt.Time
		ran := state.Terminated.ContainerID != "" || containerID != "" || at.Unix() > 0 || state.Terminated.Reason == statusLost
		return ran, at
	case state.Running != nil:
		return true, state.Running.StartedAt.Time
	}
	return false, time.Time{}
}

// sameTargets tells whether both lists ask for the same logs.
func sameTargets(a, b []target) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].container != b[i].container || a[i].previous != b[i].previous {
			return false
		}
	}
	return true
}
