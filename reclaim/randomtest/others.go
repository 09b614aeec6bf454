package randomtest

import (
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// meddle lets somebody else change the pod or its node, once.
func (c *Case) meddle(d dice.Dice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pod := c.world.API.Pod(c.namespace, c.pod)
	if pod == nil {
		if d.Chance(0.5) {
			c.note("somebody creates the pod anew")
			c.world.API.Add(c.newPod(d, time.Now()))
		}
		return
	}
	action := dice.Pick(d, "label", "hold", "release", "retention", "finalizer", "no finalizer", "terminating", "remove", "replace", "replace", "replace", "restart", "restart", "late status", "node gone", "node back")
	c.note("somebody does: %s", action)
	change := func(f func(*corev1.Pod)) { c.world.API.Change(c.namespace, c.pod, f) }
	annotate := func(name, value string) {
		change(func(p *corev1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, name, value) })
	}
	switch action {
	case "label":
		change(func(p *corev1.Pod) { metav1.SetMetaDataLabel(&p.ObjectMeta, "changed", "yes") })
	case "hold":
		annotate(holdAnnotation, "true")
	case "release":
		annotate(holdAnnotation, "false")
	case "retention":
		annotate(retentionAnnotation, dice.Pick(d, "30d", "1d", "nonsense"))
	case "finalizer":
		change(func(p *corev1.Pod) { p.Finalizers = []string{"example.com/late"} })
	case "no finalizer":
		change(func(p *corev1.Pod) { p.Finalizers = nil })
	case "terminating":
		at := metav1.NewTime(time.Now().Truncate(time.Second))
		change(func(p *corev1.Pod) { p.DeletionTimestamp = &at })
	case "remove":
		c.world.API.Remove(c.namespace, c.pod)
	case "replace":
		c.world.API.Remove(c.namespace, c.pod)
		c.world.API.Add(c.newPod(d, time.Now()))
	case "restart":
		change(func(p *corev1.Pod) { c.restart(d, p) })
	case "late status":
		change(c.lateStatus)
	case "node gone":
		c.nodeState, c.nodes[gone] = gone, true
	case "node back":
		c.nodeState = ready
		c.world.API.Set("/api/v1/nodes/"+c.node, reclaimtest.Node(corev1.ConditionTrue))
	}
}

// restart runs the first container once more: its current log is now its
// previous one.
func (c *Case) restart(d dice.Dice, pod *corev1.Pod) {
	if len(pod.Status.ContainerStatuses) == 0 {
		return
	}
	s := &pod.Status.ContainerStatuses[0]
	if s.State.Terminated == nil {
		return
	}
	s.RestartCount++
	s.LastTerminationState = s.State
	s.State = c.ran(d, pod, s.Name, s.RestartCount, time.Now())
	s.ContainerID = s.State.Terminated.ContainerID
}

// lateStatus lets the kubelet say what became of the first container, if the
// status says nothing yet.
func (c *Case) lateStatus(pod *corev1.Pod) {
	name := pod.Spec.Containers[0].Name
	i := c.instance(string(pod.UID), name, false)
	if i == nil || len(pod.Status.ContainerStatuses) > 0 {
		return
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: name, ContainerID: i.id, RestartCount: i.restarts,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ContainerID: i.id, StartedAt: metav1.NewTime(i.started), FinishedAt: metav1.NewTime(time.Now().Truncate(time.Second)),
		}},
	}}
}

// deleted is a pod that a DELETE of the program has removed.
type deleted struct {
	c     *Case
	pod   *corev1.Pod
	at    time.Time
	gone  bool // its node was, in this run
	rules Rules
	run   int
}

// remove lets the API server delete the pod and remembers it as it was.
func (c *Case) remove(rw http.ResponseWriter, req *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pod := c.world.API.Pod(c.namespace, c.pod)
	c.world.API.ServeHTTP(rw, req)
	if pod == nil || c.world.API.Pod(c.namespace, c.pod) != nil {
		return
	}
	c.note("deleted by the program")
	w := c.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deletes = append(w.deletes, deleted{c: c, pod: pod, at: time.Now(), gone: c.nodes[gone], rules: w.rules, run: w.run})
}
