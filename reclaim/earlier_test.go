package reclaim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

func TestInstanceID(t *testing.T) {
	change := func(f func(s *corev1.ContainerStatus)) *corev1.Pod {
		s := ended("main", time.Hour)
		f(&s)
		return pod(containers(s))
	}
	for _, tt := range []struct {
		name     string
		pod      *corev1.Pod
		previous bool
		want     string
	}{
		{"ended", pod(), false, "containerd://main"},
		{"no previous instance", pod(), true, ""},
		{"an init container", pod(initContainers(ended("main", time.Hour)), containers()), false, "containerd://main"},
		{"an ephemeral container", pod(ephemeralContainers(ended("main", time.Hour)), containers()), false, "containerd://main"},
		{"another container", pod(containers(ended("other", time.Hour))), false, ""},
		{"no status", pod(containers()), false, ""},
		{"running", pod(containers(running("main"))), false, "containerd://main"},
		{"only the status has the ID", change(func(s *corev1.ContainerStatus) { s.State.Terminated.ContainerID = "" }), false, "containerd://main"},
		{"the state's ID counts", change(func(s *corev1.ContainerStatus) { s.ContainerID = "containerd://newer" }), false, "containerd://main"},
		// the ID left in the status is then that of the instance before
		{"waiting", change(func(s *corev1.ContainerStatus) { s.State = waiting("main").State }), false, ""},
		{"waiting, its last instance", change(func(s *corev1.ContainerStatus) { s.LastTerminationState, s.State = s.State, waiting("main").State }), true, "containerd://main"},
		{"the last instance has no ID", change(func(s *corev1.ContainerStatus) {
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: statusLost}
		}), true, ""},
	} {
		if got := instanceID(tt.pod, "main", tt.previous); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// An earlier bundle holds a log only if manifest and index are of one state, and
// the index names the very entry, with an outcome that is as good as any.
func TestEarlierHolds(t *testing.T) {
	whole := archive.Log{Container: "main", Outcome: archive.Complete, Path: "logs/main.log"}
	for _, tt := range []struct {
		name   string
		change func(e *earlier)
		want   bool
	}{
		{"complete", func(*earlier) {}, true},
		{"empty", func(e *earlier) { e.index.Logs[0].Outcome = archive.Empty }, true},
		{"possibly rotated", func(e *earlier) { e.index.Logs[0].Outcome = archive.PossiblyRotated }, true},
		{"truncated", func(e *earlier) { e.index.Logs[0].Outcome = archive.Truncated }, false},
		{"unconfirmed", func(e *earlier) { e.index.Logs[0].Outcome = archive.Unconfirmed }, false},
		{"unavailable", func(e *earlier) { e.index.Logs[0].Outcome = archive.Unavailable }, false},
		{"an outcome of a later version", func(e *earlier) { e.index.Logs[0].Outcome = "better" }, false},
		{"without a file", func(e *earlier) { e.index.Logs[0].Path = "" }, false},
		{"the file of another instance", func(e *earlier) { e.index.Logs[0].Path = "logs/main.previous.log" }, false},
		{"no logs", func(e *earlier) { e.index.Logs = nil }, false},
		{"a manifest of another pod", func(e *earlier) { e.pod.UID = "another" }, false},
		{"a manifest of another state", func(e *earlier) { e.pod.ResourceVersion = "1" }, false},
		{"no manifest", func(e *earlier) { e.pod = corev1.Pod{} }, false},
		{"another instance", func(e *earlier) { e.pod.Status.ContainerStatuses[0].State.Terminated.ContainerID = "containerd://x" }, false},
	} {
		p := pod()
		e := &earlier{pod: *p, index: archive.Index{UID: string(p.UID), ResourceVersion: p.ResourceVersion, Logs: []archive.Log{whole}}}
		tt.change(e)
		if got := e.holds("main", "containerd://main"); (got != nil) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if got := e.holds("main", ""); got != nil {
			t.Errorf("%s, without an ID: %+v", tt.name, got)
		}
	}
}
