package randomtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// wrong says why this pod should not have been deleted, or not under a class of
// so many days.
func (d deleted) wrong(days int) []string {
	var found []string
	if why := d.c.outOfScope(d.pod, d.gone); why != "" {
		found = append(found, "out of scope: "+why)
	}
	if why := d.c.mustStay(d.pod, d.rules); why != "" {
		found = append(found, "to be kept: "+why)
	}
	if endedAfter(d.pod, d.at).After(d.at.Add(-d.rules.DeleteAfter)) {
		found = append(found, "too young")
	}
	if want := wantedDays(d.c.annotation(d.pod, retentionAnnotation), classDays(d.rules.Default)); days < want {
		found = append(found, fmt.Sprintf("archived for %d days, wanted are %d", days, want))
	}
	return found
}

// outOfScope says why the pod is none of the program's business.
func (c *Case) outOfScope(pod *corev1.Pod, nodeGone bool) string {
	if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
		return "phase"
	}
	if _, ok := pod.Annotations[corev1.MirrorPodAnnotationKey]; ok {
		return "static pod"
	}
	if pod.Namespace == "default" && pod.Labels["app.kubernetes.io/name"] == "pod-reclaimer" {
		return "the program itself"
	}
	for _, o := range pod.OwnerReferences {
		group, _, _ := strings.Cut(o.APIVersion, "/")
		ours := []string{"batch Job", "apps ReplicaSet", "apps StatefulSet", "apps DaemonSet", "v1 ReplicationController"}
		if *o.Controller && !slices.Contains(ours, group+" "+o.Kind) {
			return "owner"
		}
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if s.State.Running != nil && (!nodeGone || pod.Spec.NodeName == "") {
			return "a container runs"
		}
	}
	return ""
}

// mustStay says why the pod may not go, whatever its age.
func (c *Case) mustStay(pod *corev1.Pod, rules Rules) string {
	if hold := c.annotation(pod, holdAnnotation); hold != nil {
		if yes, err := strconv.ParseBool(*hold); yes || err != nil {
			return "hold " + *hold
		}
	}
	if retention := c.annotation(pod, retentionAnnotation); wantedDays(retention, 1) < 1 || wantedDays(retention, 1) > rules.longest() {
		return "retention " + *retention
	}
	if len(pod.Finalizers) > 0 {
		return "finalizer"
	}
	if pod.DeletionTimestamp != nil {
		return "terminating"
	}
	return ""
}

// annotation is the pod's, else its namespace's.
func (c *Case) annotation(pod *corev1.Pod, name string) *string {
	if value, ok := pod.Annotations[name]; ok {
		return &value
	}
	if value, ok := c.notes[name]; ok {
		return &value
	}
	return nil
}

const forever = 1 << 30

// wantedDays reads a retention; 0: it cannot be read.
func wantedDays(retention *string, byDefault int) int {
	if retention == nil {
		return byDefault
	}
	known := map[string]int{"1d": 1, "7d": 7, "8d": 8, "30d": 30, "2w": 14, "31d": 31, "400d": 400, "forever": forever}
	return known[*retention]
}

func classDays(class string) int {
	if class == "forever" {
		return forever
	}
	days, _ := strconv.Atoi(strings.TrimSuffix(class, "d"))
	return days
}

// longest is the longest class in days.
func (r Rules) longest() int {
	days := 0
	for _, class := range r.Classes {
		days = max(days, classDays(class))
	}
	return days
}

// endedAfter is a time before which the pod did not end: its creation and the
// ends of its containers, as far as they are not in the future.
func endedAfter(pod *corev1.Pod, now time.Time) time.Time {
	last := pod.CreationTimestamp.Time
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if t := s.State.Terminated; t != nil && t.FinishedAt.After(last) {
			last = t.FinishedAt.Time
		}
	}
	if last.After(now) {
		return now
	}
	return last
}

// endedBefore is a time after which the pod did not end: the latest that any
// part of it names.
func endedBefore(pod *corev1.Pod) time.Time {
	last := pod.CreationTimestamp.Time
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if s.State.Terminated != nil {
			later(s.State.Terminated.FinishedAt.Time)
		}
	}
	for _, condition := range pod.Status.Conditions {
		later(condition.LastTransitionTime.Time)
	}
	if pod.Status.StartTime != nil {
		later(pod.Status.StartTime.Time)
	}
	return last
}
