package reclaim

import (
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// specs names containers in the spec: "setup" and a sidecar "proxy" as init
// containers, "main" and "side", and an ephemeral "debug".
func specs(p *corev1.Pod) {
	p.Spec.InitContainers = []corev1.Container{
		{Name: "setup"}, {Name: "proxy", RestartPolicy: ptr(corev1.ContainerRestartPolicyAlways)},
	}
	p.Spec.Containers = []corev1.Container{{Name: "main"}, {Name: "side"}}
	p.Spec.EphemeralContainers = []corev1.EphemeralContainer{
		{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug"}},
	}
}

// restarted is the status of a container that ran twice.
func restarted(name string, before time.Duration) corev1.ContainerStatus {
	s := ended(name, before)
	s.RestartCount = 1
	s.LastTerminationState = ended(name, before+time.Hour).State
	return s
}

func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		name string
		pod  *corev1.Pod
		want []string
	}{
		{"all kinds", pod(specs), []string{"setup init", "proxy sidecar", "main regular", "side regular", "debug ephemeral"}},
		{"no statuses", pod(specs, containers()), []string{"setup init", "proxy sidecar", "main regular", "side regular", "debug ephemeral"}},
		{"not even a node", pod(containers(), neverStarted, func(p *corev1.Pod) { p.Spec.NodeName = "" }), []string{"main regular"}},
		{"restarted ones have a previous instance", pod(specs,
			containers(restarted("main", time.Hour), ended("side", time.Hour)),
			initContainers(restarted("setup", time.Hour), restarted("proxy", time.Hour)),
			ephemeralContainers(ended("debug", time.Hour)),
		), []string{"setup init", "setup init previous", "proxy sidecar", "proxy sidecar previous",
			"main regular", "main regular previous", "side regular", "debug ephemeral"}},
		{"an init container with another restart policy is no sidecar", pod(func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "setup", RestartPolicy: ptr(corev1.ContainerRestartPolicyOnFailure)}}
		}), []string{"setup init", "main regular"}},
		{"a status whose container is not in the spec", pod(containers(ended("main", time.Hour), ended("ghost", time.Hour))), []string{"main regular"}},
	} {
		var got []string
		for _, target := range targets(tt.pod) {
			text := target.container + " " + target.kind
			if target.previous {
				text += " previous"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTargetRan(t *testing.T) {
	podStart := now.Add(-3 * time.Hour)
	change := func(s corev1.ContainerStatus, by func(*corev1.ContainerStateTerminated)) corev1.ContainerStatus {
		by(s.State.Terminated)
		return s
	}
	for _, tt := range []struct {
		name   string
		status corev1.ContainerStatus
		ran    bool
		start  time.Time
	}{
		{"ended", ended("main", time.Hour), true, now.Add(-61 * time.Minute)},
		{"running", running("main"), true, now.Add(-3 * time.Hour)},
		{"waiting", waiting("main"), false, podStart},
		{"no status", corev1.ContainerStatus{Name: "other"}, false, podStart},
		{"terminated without ever starting", change(unknown("main", ago(0)), func(s *corev1.ContainerStateTerminated) { s.Reason = "StartError" }), false, podStart},
		{"waiting, the status of its end was lost", corev1.ContainerStatus{Name: "main", RestartCount: 1, State: waiting("main").State, LastTerminationState: unknown("main", ago(0)).State}, true, podStart},
		{"its status was lost", unknown("main", ago(0)), true, podStart},
		{"terminated, only its container ID is known", change(ended("main", time.Hour), func(s *corev1.ContainerStateTerminated) {
			s.StartedAt.Time = time.Time{}
		}), true, podStart},
	} {
		got := targets(pod(containers(tt.status)))[0]
		if got.ran != tt.ran || !got.startedAt.Equal(tt.start) {
			t.Errorf("%s: ran %v at %s, want %v at %s", tt.name, got.ran, got.startedAt, tt.ran, tt.start)
		}
	}
	previous := targets(pod(containers(restarted("main", time.Hour))))[1]
	if !previous.ran || !previous.startedAt.Equal(now.Add(-121*time.Minute)) {
		t.Errorf("the previous instance: ran %v at %s", previous.ran, previous.startedAt)
	}
}

func TestSameTargets(t *testing.T) {
	base := targets(pod(specs))
	again := containers(restarted("main", time.Hour))
	for _, tt := range []struct {
		name  string
		other []target
		want  bool
	}{
		{"the same", targets(pod(specs)), true},
		{"only the status tells more", targets(pod(specs, containers(ended("side", time.Hour)))), true},
		{"a container was added", append(slices.Clone(base), target{container: "debug-2", kind: "ephemeral"}), false},
		{"a container has restarted again", targets(pod(specs, again)), false},
		{"a container has restarted", targets(pod(specs, containers(restarted("main", time.Hour)))), false},
		{"none", nil, false},
	} {
		if got := sameTargets(base, tt.other); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestRefKeepsWhatTheNextStepsNeed(t *testing.T) {
	p := pod(failed("Evicted"), annotated(HoldAnnotation, "false"), annotated(RetentionAnnotation, "30d"), annotated("example.com/big", "x"))
	d := policy(t).Decide(p, readable, NodeReady, now)
	r := newRef(p, d)
	want := archive.Key{
		Class: classes(t, "30d").Default(), Namespace: "shop", Pod: "report-x7k2p",
		UID: "0d5f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d11", ResourceVersion: "4711", Number: 1,
	}
	if got := r.key(); got != want {
		t.Errorf("key %+v, want %+v", got, want)
	}
	if r.node != "node-1" || r.finish != d.Finish || r.keep != d.Keep || len(r.targets) != 1 {
		t.Errorf("ref %+v", r)
	}
	if only := map[string]string{HoldAnnotation: "false", RetentionAnnotation: "30d"}; !maps.Equal(r.annotations, only) {
		t.Errorf("annotations %v, want %v", r.annotations, only)
	}
	if r := newRef(pod(annotated("example.com/big", "x")), d); len(r.annotations) != 0 {
		t.Errorf("annotations %v, want none", r.annotations)
	}
}

func TestEvicted(t *testing.T) {
	for reason, want := range map[string]bool{"Evicted": true, "Preempting": true, "": false, "Terminated": false, "evicted": false} {
		if got := newRef(pod(failed(reason)), Decision{}).evicted(); got != want {
			t.Errorf("reason %q: evicted %v, want %v", reason, got, want)
		}
	}
}
