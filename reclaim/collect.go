package reclaim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

var (
	// errGone says that this pod is no more, or another one has its name.
	errGone = errors.New("the pod is gone")
	// errChanged says that the pod changed while it was collected, so that the
	// logs asked for are no longer those of its manifest.
	errChanged = errors.New("the pod changed meanwhile")
)

// capture is what was collected of one pod; the content is in its bundle.
type capture struct {
	pod      *corev1.Pod
	decision Decision
	logs     []captured
	// waiting says that a log is missing which may still come.
	waiting bool
	index   archive.Index
	sealed  *archive.Sealed
}

// bytes are the sizes of what was put.
func (c *capture) bytes() Bytes {
	b := Bytes{Bundles: c.sealed.Size}
	for _, f := range c.sealed.Index.Files {
		if strings.HasPrefix(f.Path, "logs/") {
			b.Logs += f.Size
		} else {
			b.Manifests += f.Size
		}
	}
	return b
}

// collect fills the bundle: the logs first, then one full GET of the pod, whose
// UID proves that the logs, which the endpoint finds by name, are this pod's.
// The GET's body is what is archived and decided on, and its resourceVersion
// the one to delete by.
func (r *run) collect(ctx context.Context, p ref, b *archive.Bundle) (*capture, Step, error) {
	c := &capture{}
	for _, t := range p.targets {
		l, err := r.log(ctx, p, t, b)
		switch {
		case err != nil:
			return nil, StepBundle, err
		case l.verdict == podGone:
			return nil, StepLogs, errGone
		case l.verdict == refused:
			return nil, StepLogs, fmt.Errorf("container %s: %s", t.container, l.Note)
		}
		c.logs = append(c.logs, l)
	}
	body, pod, err := r.Cluster.pod(ctx, p)
	switch {
	case notFound(err) || err == nil && pod.UID != p.uid:
		return nil, StepGet, errGone
	case err != nil:
		return nil, StepGet, err
	case !sameTargets(targets(pod), p.targets) || pod.Spec.NodeName != p.node:
		return nil, StepGet, errChanged
	}
	c.pod = pod
	c.decision = r.decide(ctx, pod)
	c.waiting = r.waiting(ctx, p, c)
	reused, err := r.reuse(ctx, pod, c, b)
	if err != nil {
		return nil, StepLogs, err
	}
	c.waiting = c.waiting && r.waiting(ctx, p, c)
	b.Add("pod.json", body)
	notes, err := r.addContext(ctx, p, pod, b)
	if err != nil {
		return nil, StepCollect, err
	}
	c.index = r.index(c, append(reused, notes...))
	return c, "", nil
}

// addContext adds what is known around the pod: its events and its owners.
func (r *run) addContext(ctx context.Context, p ref, pod *corev1.Pod, b *archive.Bundle) ([]string, error) {
	events, note, err := r.events.of(ctx, p)
	if err != nil {
		return nil, err
	}
	var notes []string
	if note != "" {
		notes = append(notes, note)
	}
	if events != nil {
		b.Add("events.json", events)
	}
	owners, ownerNotes, err := r.owners(ctx, p.namespace, pod.OwnerReferences)
	if err != nil {
		return nil, err
	}
	for _, o := range owners {
		b.Add(o.path, o.raw)
	}
	return append(notes, ownerNotes...), nil
}

// waiting tells whether the pod must wait for a log. It no longer does once the
// grace is over and the kubelet answers, not for the first time, that it has none,
// or its node is not there to answer; a kubelet that only cannot be reached keeps
// its pods, unless RECLAIM_LOGS_REQUIRED is false: those logs exist.
func (r *run) waiting(ctx context.Context, p ref, c *capture) bool {
	missing := slices.DeleteFunc(slices.Clone(c.logs), func(l captured) bool { return l.verdict == final })
	if len(missing) == 0 {
		return false
	}
	if r.Now().Sub(c.decision.Finish.At) < r.Config.LogGrace {
		return true
	}
	exists := func(l captured) bool { return l.verdict != waits && r.Config.LogsRequired }
	if slices.ContainsFunc(missing, exists) {
		if node := r.nodes.state(ctx, p.node); node != NodeNotReady && node != NodeGone {
			return true
		}
	}
	return r.Config.LogGrace > 0 && !r.missedBefore(ctx, p, c)
}

// missedBefore tells whether an earlier run has missed a log of this state of the
// pod: it has left a provisional bundle. A pod that is older than the grace when it
// is first seen may be met while its container runtime restarts, and the kubelet
// then says of every log that there is none.
func (r *run) missedBefore(ctx context.Context, p ref, c *capture) bool {
	p.resourceVersion, p.class = c.pod.ResourceVersion, c.decision.Class
	_, err := r.find(ctx, p, p.provisionalKey())
	return err == nil
}

func (r *run) index(c *capture, notes []string) archive.Index {
	index := archive.Index{
		Schema:           archive.Schema,
		Cluster:          r.ClusterName,
		Namespace:        c.pod.Namespace,
		Pod:              c.pod.Name,
		UID:              string(c.pod.UID),
		ResourceVersion:  c.pod.ResourceVersion,
		Phase:            string(c.pod.Status.Phase),
		Reason:           c.pod.Status.Reason,
		Node:             c.pod.Spec.NodeName,
		Class:            c.decision.Class.String(),
		FinishedAt:       c.decision.Finish.At.UTC().Truncate(time.Second),
		FinishedAtSource: c.decision.Finish.Source,
		Logs:             []archive.Log{},
		Notes:            notes,
	}
	for _, l := range c.logs {
		index.Logs = append(index.Logs, l.Log)
	}
	return index
}
