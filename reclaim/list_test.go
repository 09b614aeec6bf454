package reclaim

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
)

func TestPhaseSelector(t *testing.T) {
	for _, tt := range []struct {
		want    Phases
		matches []corev1.PodPhase
	}{
		{Phases{"Succeeded", "Failed"}, []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed}},
		{Phases{"Failed", "Succeeded"}, []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed}},
		{Phases{"Succeeded"}, []corev1.PodPhase{corev1.PodSucceeded}},
		{Phases{"Failed"}, []corev1.PodPhase{corev1.PodFailed}},
	} {
		selector, err := fields.ParseSelector(phaseSelector(tt.want))
		if err != nil {
			t.Fatal(err)
		}
		matches := map[corev1.PodPhase]bool{}
		for _, phase := range tt.matches {
			matches[phase] = true
		}
		for _, phase := range []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodUnknown, corev1.PodSucceeded, corev1.PodFailed} {
			if got := selector.Matches(fields.Set{"status.phase": string(phase)}); got != matches[phase] {
				t.Errorf("%v: %s is listed: %v, want %v", tt.want, phase, got, matches[phase])
			}
		}
	}
}
