package reclaim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unknown is the status of a container whose end nobody saw.
func unknown(name string, finishedAt metav1.Time) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Reason: "ContainerStatusUnknown", ExitCode: 137, FinishedAt: finishedAt,
	}}}
}

func TestFinish(t *testing.T) {
	const h = time.Hour
	none := containers()
	evicted := func(p *corev1.Pod) { failed("Evicted")(p); none(p) }
	for _, tt := range []struct {
		name   string
		pod    *corev1.Pod
		ago    time.Duration
		source string
	}{
		{"its container's", pod(), 2 * h, "finishedAt"},
		{"the latest of several", pod(containers(ended("a", 2*h), ended("b", h), ended("c", 90*time.Minute))), h, "finishedAt"},
		{"an init container's", pod(none, initContainers(ended("setup", 2*h))), 2 * h, "finishedAt"},
		{"a sidecar that ended last", pod(initContainers(ended("proxy", h))), h, "finishedAt"},
		{"an ephemeral container that ended last", pod(ephemeralContainers(ended("debug", h))), h, "finishedAt"},
		{"containers before conditions", pod(condition(corev1.PodReady, corev1.ConditionFalse, h)), 2 * h, "finishedAt"},
		{"an end that nobody saw does not count", pod(containers(ended("a", 2*h), unknown("b", metav1.Time{}))), 2 * h, "finishedAt"},
		{"nor does one in 1970", pod(containers(ended("a", 2*h), unknown("b", metav1.Unix(0, 0)))), 2 * h, "finishedAt"},

		{"the sandbox stopped", pod(evicted,
			condition(corev1.ContainersReady, corev1.ConditionFalse, 150*time.Minute), condition(corev1.PodReady, corev1.ConditionFalse, 140*time.Minute),
			condition(corev1.DisruptionTarget, corev1.ConditionTrue, 100*time.Minute), condition(corev1.PodReadyToStartContainers, corev1.ConditionFalse, h),
		), h, "PodReadyToStartContainers"},
		{"the sandbox still stands", pod(evicted,
			condition(corev1.PodReadyToStartContainers, corev1.ConditionTrue, h), condition(corev1.DisruptionTarget, corev1.ConditionTrue, 2*h),
		), 2 * h, "DisruptionTarget"},
		{"disruption before readiness", pod(evicted,
			condition(corev1.PodReady, corev1.ConditionFalse, h), condition(corev1.DisruptionTarget, corev1.ConditionTrue, 2*h),
		), 2 * h, "DisruptionTarget"},
		{"no disruption", pod(evicted,
			condition(corev1.DisruptionTarget, corev1.ConditionFalse, h), condition(corev1.PodReady, corev1.ConditionFalse, 2*h),
		), 2 * h, "Ready"},
		{"ready", pod(evicted,
			condition(corev1.PodReady, corev1.ConditionTrue, h), condition(corev1.ContainersReady, corev1.ConditionFalse, 2*h),
		), 2 * h, "ContainersReady"},
		{"a condition of another kind", pod(evicted, condition(corev1.PodScheduled, corev1.ConditionFalse, h)), 3 * h, "startTime"},
		{"a condition without a time", pod(evicted, func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
		}), 3 * h, "startTime"},
		{"an end that nobody saw, with a condition", pod(containers(unknown("main", metav1.Time{})), condition(corev1.PodReady, corev1.ConditionFalse, h)), h, "Ready"},
		{"an end in 1970, with a condition", pod(containers(unknown("main", metav1.Unix(0, 0))), condition(corev1.PodReady, corev1.ConditionFalse, h)), h, "Ready"},

		{"rejected by the kubelet", pod(none, failed("OutOfcpu"), startedAgo(2*h)), 2 * h, "startTime"},
		{"rejected, long after it was created", pod(none, failed("NodeAffinity"), created(50*h), startedAgo(h)), h, "startTime"},
		{"never bound", pod(none, failed(""), neverStarted, func(p *corev1.Pod) { p.Spec.NodeName = "" }), 3 * h, "creationTimestamp"},
		{"a container that only waits has no end", pod(containers(waiting("main"))), 3 * h, "startTime"},
		{"a container that runs has no end", pod(containers(running("main"))), 3 * h, "startTime"},

		{"before the creation", pod(finished(5 * h)), 3 * h, "finishedAt"},
		{"in the future", pod(finished(-h)), 0, "finishedAt"},
		{"a condition before the creation", pod(evicted, condition(corev1.PodReady, corev1.ConditionFalse, 5*h)), 3 * h, "Ready"},
		{"a condition in the future", pod(evicted, condition(corev1.PodReady, corev1.ConditionFalse, -h)), 0, "Ready"},
		{"created in the future", pod(created(-h)), 0, "finishedAt"},
	} {
		got := finish(tt.pod, now)
		if want := now.Add(-tt.ago); !got.At.Equal(want) || got.Source != tt.source {
			t.Errorf("%s: %s by %s, want %s by %s", tt.name, got.At, got.Source, want, tt.source)
		}
	}
}

// Whatever a node's clock says, no pod gets an age that it cannot have.
func TestFinishIsBetweenCreationAndNow(t *testing.T) {
	times := []time.Duration{-1000 * time.Hour, -time.Second, 0, time.Second, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 1_000_000 * time.Hour}
	for _, end := range times {
		for _, start := range times {
			for _, p := range []*corev1.Pod{
				pod(finished(end), startedAgo(start)),
				pod(containers(), startedAgo(start)),
				pod(containers(), neverStarted, condition(corev1.PodReady, corev1.ConditionFalse, end)),
			} {
				if got := finish(p, now); got.At.Before(p.CreationTimestamp.Time) || got.At.After(now) {
					t.Errorf("finished %s, by %s", got.At, got.Source)
				}
			}
		}
	}
}

// A container whose status was lost may have ended after those whose time is
// known.
func TestFinishOfLostStatus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*corev1.Pod)
		want   time.Duration
		source string
	}{
		{"the pod ended later", condition(corev1.PodReadyToStartContainers, corev1.ConditionFalse, time.Hour), time.Hour, "PodReadyToStartContainers"},
		{"the pod ended before", condition(corev1.PodReadyToStartContainers, corev1.ConditionFalse, 9*time.Hour), 3 * time.Hour, "finishedAt"},
	} {
		p := pod(containers(ended("first", 3*time.Hour), unknown("second", metav1.Time{})), tt.change, func(p *corev1.Pod) {
			p.CreationTimestamp.Time = now.Add(-10 * time.Hour)
		})
		got := finish(p, now)
		if now.Sub(got.At) != tt.want || got.Source != tt.source {
			t.Errorf("%s: %s ago by %s", tt.name, now.Sub(got.At), got.Source)
		}
	}
}
