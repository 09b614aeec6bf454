package randomtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// snapshot is what was so when a bundle was put.
type snapshot struct {
	at      time.Time
	rules   Rules
	away    bool
	answers map[string]bool // logs for which the kubelet answered in this run
}

// putting remembers what is so when a bundle is put under path.
func (c *Case) putting(path string) {
	w := c.world
	w.mu.Lock()
	s := snapshot{at: time.Now(), rules: w.rules, answers: map[string]bool{}}
	w.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.away = c.nodes[gone] || c.nodes[notReady]
	for log := range c.answers {
		s.answers[log] = true
	}
	c.puts[path] = append(c.puts[path], s)
}

// snapshot is that of the next PUT of path.
func (c *Case) snapshot(path string, seen map[string]int) snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := seen[path]
	seen[path]++
	return c.puts[path][n]
}

// untrue says what a bundle claims that is not so, or should have waited for.
func (c *Case) untrue(b *archivetest.Opened, then snapshot, provisional bool) []string {
	var pod corev1.Pod
	if err := json.Unmarshal(b.Files["pod.json"], &pod); err != nil {
		return []string{"its manifest is none: " + err.Error()}
	}
	var found []string
	if string(pod.UID) != b.Index.UID || pod.ResourceVersion != b.Index.ResourceVersion {
		found = append(found, "its index is of another pod or state than its manifest")
	}
	claimed := map[string]bool{}
	for _, l := range b.Index.Logs {
		claimed[l.Path] = true
		what := c.falseLog(b, &pod, l)
		if what == "" && !provisional {
			what = c.tooEarly(&pod, l, then)
		}
		if what != "" {
			found = append(found, fmt.Sprintf("log %s, said to be %s: %s", logName(l.Container, l.Previous), l.Outcome, what))
		}
	}
	for path := range b.Files {
		if strings.HasPrefix(path, "logs/") && !claimed[path] {
			found = append(found, path+" is in no entry of the index")
		}
	}
	var events struct {
		Items []struct{ InvolvedObject struct{ UID string } }
	}
	if text, ok := b.Files["events.json"]; ok && json.Unmarshal(text, &events) != nil {
		found = append(found, "its events are none")
	}
	for _, e := range events.Items {
		if e.InvolvedObject.UID != string(pod.UID) {
			found = append(found, "it has an event of another pod")
		}
	}
	return found
}

// falseLog compares what the index says of a log with what its container wrote.
func (c *Case) falseLog(b *archivetest.Opened, pod *corev1.Pod, l archivetest.Log) string {
	stored, has := b.Files[l.Path]
	truth := c.truth(pod, l.Container, l.Previous)
	switch l.Outcome {
	case "unavailable", "never-started":
		if has || l.Path != "" {
			return "it has a file"
		}
		if l.Outcome == "never-started" && truth != nil && pod.Spec.NodeName != "" {
			return "it ran"
		}
		return ""
	}
	if !has {
		return "it has no file"
	}
	switch l.Outcome {
	case "complete", "empty":
		switch {
		case truth == nil:
			return "it never ran"
		case (l.Outcome == "empty") != (len(stored) == 0):
			return fmt.Sprintf("it has %d bytes", len(stored))
		case string(stored) != truth.all():
			return fmt.Sprintf("it has %d bytes of %d, or others: %.200q", len(stored), len(truth.all()), stored)
		}
	case "possibly-rotated":
		if truth == nil || string(stored) != truth.here(0) {
			return "it is not what the kubelet has"
		}
	case "unconfirmed", "truncated":
		if truth == nil || truth.fate != served || !strings.HasPrefix(truth.here(0), string(stored[:min(len(stored), len(stampLayout))])) {
			return "it is no log of this container"
		}
	default:
		return "no such outcome"
	}
	return ""
}

// tooEarly says why the pod should have waited for a log that is not whole.
func (c *Case) tooEarly(pod *corev1.Pod, l archivetest.Log, then snapshot) string {
	if l.Outcome != "unavailable" && l.Outcome != "unconfirmed" {
		return ""
	}
	log := string(pod.UID) + " " + logName(l.Container, l.Previous)
	answered := then.answers[log]
	final := l.Outcome == "unavailable" && (l.Previous || pod.Status.Reason == "Evicted" || pod.Status.Reason == "Preempting")
	switch {
	case c.truth(pod, l.Container, l.Previous) == nil || then.away && l.Status == 404 || final && answered:
		return "" // there is none, and never will be
	case endedAfter(pod, then.at).After(then.at.Add(-then.rules.LogGrace)):
		return "it could still come"
	case !answered && !then.away && then.rules.LogsRequired:
		return "the kubelet was not reached"
	}
	return ""
}

// truth is the instance that the manifest tells of; where its status says
// nothing, the last one.
func (c *Case) truth(pod *corev1.Pod, container string, previous bool) *instance {
	s := pod.Status
	for _, status := range slices.Concat(s.InitContainerStatuses, s.ContainerStatuses, s.EphemeralContainerStatuses) {
		restarts := status.RestartCount
		if previous {
			restarts--
		}
		if status.Name != container {
			continue
		}
		for _, i := range c.logs {
			if i.uid == string(pod.UID) && i.container == container && i.restarts == restarts {
				return i
			}
		}
		if ended := status.State.Terminated; !previous && ended != nil && ended.ContainerID == "" && ended.Reason == "StartError" {
			return nil // it ran only when somebody restarted it, later than this
		}
	}
	return c.instance(string(pod.UID), container, previous)
}
