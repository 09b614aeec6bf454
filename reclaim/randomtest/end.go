package randomtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// JudgeEnd looks at what is left after runs that nothing disturbed, long after
// everything ended: no pod that should have gone, and a bundle of every other
// one in scope.
func (w *World) JudgeEnd() []Finding {
	var found []Finding
	for _, c := range w.Cases {
		pod := w.API.Pod(c.namespace, c.pod)
		if pod == nil || c.outOfScope(pod, c.nodeState == gone) != "" {
			continue
		}
		future := endedBefore(pod).After(time.Now().Add(-w.rules.DeleteAfter))
		if c.mustStay(pod, w.rules) == "" && !c.waitsForEver(pod, w.rules) && !future {
			found = append(found, Finding{c, "it should have gone"})
		}
		if !future && !c.archived(pod) {
			found = append(found, Finding{c, "it is in scope, kept, and has no bundle"})
		}
	}
	return found
}

// waitsForEver tells whether a log of the pod can never be had, and its kubelet
// never be asked whether it has one.
func (c *Case) waitsForEver(pod *corev1.Pod, rules Rules) bool {
	return c.dead && pod.Spec.NodeName != "" && rules.LogsRequired && (c.nodeState == ready || c.nodeState == hidden)
}

// archived tells whether the store has a bundle of the pod as it is. Whether it
// is whole, the program looks only when the pod may go.
func (c *Case) archived(pod *corev1.Pod) bool {
	state := fmt.Sprintf("/%s/%s_%s", pod.Name, pod.UID, pod.ResourceVersion)
	return slices.ContainsFunc(c.world.Store.Bundles(), func(key string) bool { return strings.Contains(key, state) })
}

// Deleted is how many pods the program's DELETEs have removed in this run.
func (w *World) Deleted() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, d := range w.deletes {
		if d.run == w.run {
			n++
		}
	}
	return n
}

// Shaken tells whether this run met a fault at a request that is no pod's.
func (w *World) Shaken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shaken
}

// Explain tells all about a case.
func (c *Case) Explain() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "case %04d: storm %v, meddling %v, node %s, dead kubelet %v, namespace's annotations %v\n", c.n, c.storm, c.meddling, c.nodeState, c.dead, c.notes)
	for _, i := range c.logs {
		fmt.Fprintf(&b, "  instance %s %s %s: %d entries, %d rotated away, %s\n", i.uid, i.container, i.id, len(i.entries), i.rotatedAway, i.fate)
	}
	for _, line := range c.done {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for i, e := range c.world.Journal.Entries() {
		if e.Server == "mark" {
			fmt.Fprintf(&b, "  %d ---- run\n", i)
		} else if c.world.caseOf(e.Path) == c {
			fmt.Fprintf(&b, "  %d %s %s %s %s: %d\n", i, e.Server, e.Method, e.Path, e.Query.Encode(), e.Status)
		}
	}
	if pod := c.world.API.Pod(c.namespace, c.pod); pod != nil {
		fmt.Fprintf(&b, "  left: %s\n", brief(pod))
	}
	return b.String()
}

func brief(pod *corev1.Pod) string {
	copied := *pod
	delete(copied.Annotations, "example.com/big")
	return fmt.Sprintf("%s %s, finalizers %v, deletion %v, annotations %v, owners %v, status %+v", pod.UID, pod.ResourceVersion, pod.Finalizers,
		pod.DeletionTimestamp, pod.Annotations, pod.OwnerReferences, pod.Status)
}
