package reclaim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// reuse takes logs that could not be had now from earlier bundles of the same
// UID: what was archived once is not lost because the node went away since. It
// asks the store only if a log is missing. The notes tell of earlier bundles
// that failed a check.
func (r *run) reuse(ctx context.Context, pod *corev1.Pod, c *capture, b *archive.Bundle) ([]string, error) {
	if !slices.ContainsFunc(c.logs, func(l captured) bool { return l.missing() && l.instance(pod) != "" }) {
		return nil, nil
	}
	bundles, err := r.earlierBundles(ctx, pod)
	if err != nil {
		return nil, err
	}
	if c.waiting && !slices.ContainsFunc(c.logs, func(l captured) bool { return l.Path != "" }) {
		// Nothing came now, so a provisional bundle, which lacks a log, cannot
		// end the wait; it is read when the wait is over.
		bundles = slices.DeleteFunc(bundles, func(e *earlier) bool { return e.object.Key.Provisional })
	}
	for i := range c.logs {
		l := &c.logs[i]
		id := l.instance(pod)
		if !l.missing() || id == "" {
			continue
		}
		if err := r.reuseLog(ctx, l, id, bundles, b); err != nil {
			return nil, err
		}
	}
	var notes []string
	for _, e := range bundles {
		if e.bad != nil {
			notes = append(notes, fmt.Sprintf("earlier bundle not used: %v", e.bad))
		}
	}
	return notes, nil
}

// reuseLog looks for one log in the earlier bundles, in their order. It keeps
// the outcome that it had there.
func (r *run) reuseLog(ctx context.Context, l *captured, id string, bundles []*earlier, b *archive.Bundle) error {
	for _, e := range bundles {
		var was archive.Log
		path := logPath(target{container: l.Container, previous: l.Previous})
		err := b.AddLog(path, func(w io.Writer) (err error) {
			was, err = r.copyLog(ctx, e, l.Container, id, w)
			return err
		})
		if errors.Is(err, errNotHeld) {
			continue
		}
		if err != nil {
			return fmt.Errorf("take a log from an earlier bundle: %w", err)
		}
		l.Note = fmt.Sprintf("taken from the bundle %s; now: %s", e.object.Name(), l.Note)
		l.Path, l.Outcome, l.verdict = path, was.Outcome, final
		l.FirstTimestamp, l.LastTimestamp = was.FirstTimestamp, was.LastTimestamp
		return nil
	}
	return nil
}

// missing tells whether the container ran and its whole log could not be had.
func (l captured) missing() bool {
	return l.Outcome == archive.Unavailable || l.Outcome == archive.Unconfirmed
}

// instance is the ID of the container whose log this is.
func (l captured) instance(pod *corev1.Pod) string { return instanceID(pod, l.Container, l.Previous) }
