package reclaim

import (
	"context"
	"errors"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// stored is a pod whose bundle is in the store and that may go.
type stored struct {
	ref
	object archive.Object
	// proven says that the bundle was verified in this run.
	proven bool
	result result
}

// archive sees to it that a bundle of this pod is in the store. A pod that may
// go afterwards is returned as stored; for every other one the result is final.
// found says that the bundle was there before, so that nothing was collected.
func (r *run) archive(ctx context.Context, p ref) (next *stored, found bool, done result) {
	if p.hinted {
		return nil, true, p.kept(p.keep)
	}
	object, err := r.find(ctx, p, p.key())
	if err == nil {
		next = &stored{ref: p, object: object}
		if p.keep != "" {
			return nil, true, r.keep(ctx, next, p.keep)
		}
		return next, true, result{}
	}
	if !errors.Is(err, archive.ErrNotFound) {
		return nil, false, p.failed(StepHead, err)
	}
	if r.Config.DryRun {
		return nil, false, p.foreseen()
	}
	next, done = r.capture(ctx, p, p.key())
	return next, false, done
}

// capture collects the pod, puts its bundle under key or a later number of it,
// and verifies it.
func (r *run) capture(ctx context.Context, p ref, key archive.Key) (*stored, result) {
	b := archive.NewBundle(r.SpoolDir, r.Compression)
	defer b.Remove()
	c, step, err := r.collect(ctx, p, b)
	switch {
	case errors.Is(err, errGone):
		return nil, p.outcome(Gone)
	case errors.Is(err, errChanged):
		return nil, p.kept(KeepChanged)
	case err != nil:
		return nil, p.failed(step, err)
	}
	if c.decision.Skip != "" {
		return nil, p.skipped(c.decision.Skip)
	}
	p.resourceVersion, p.class, p.keep, p.note = c.pod.ResourceVersion, c.decision.Class, c.decision.Keep, c.decision.Note
	if key.ResourceVersion != p.resourceVersion || key.Class != p.class {
		key = p.key()
	}
	if c.waiting {
		return nil, r.provisional(ctx, p, c, b)
	}
	object, step, err := r.put(ctx, key, c, b)
	if err != nil {
		return nil, p.failed(step, err)
	}
	done := p.kept(p.keep).archived(c, object)
	if p.keep != "" {
		return nil, done
	}
	return &stored{ref: p, object: object, proven: true, result: done}, result{}
}

// provisional puts a bundle without the logs that are still missing, in case
// the pod disappears before they come; one for each resourceVersion. The pod
// stays.
func (r *run) provisional(ctx context.Context, p ref, c *capture, b *archive.Bundle) result {
	key := p.provisionalKey()
	object, err := r.find(ctx, p, key)
	switch {
	case err == nil && !object.Lapses(r.Now()):
		return p.kept(KeepLogWait)
	case err == nil:
		next, free, step, err := r.renew(ctx, &stored{ref: p, object: object}, archive.Object.Lapses)
		if err != nil {
			return p.failed(step, err)
		}
		if next != nil {
			return next.with(p.kept(KeepLogWait))
		}
		key = free
	case !errors.Is(err, archive.ErrNotFound):
		return p.failed(StepHead, err)
	}
	object, step, err := r.put(ctx, key, c, b)
	if err != nil {
		return p.failed(step, err)
	}
	return p.kept(KeepLogWait).provisional(c, object)
}

// put seals the bundle, puts it under key or a later number of it, and proves
// it.
func (r *run) put(ctx context.Context, key archive.Key, c *capture, b *archive.Bundle) (archive.Object, Step, error) {
	sealed, err := b.Seal(c.index, c.decision.Finish.At)
	if err != nil {
		return archive.Object{}, StepBundle, err
	}
	c.sealed = sealed
	return r.store(ctx, key, func(key archive.Key) (archive.Object, error) { return r.Bucket.Put(ctx, key, sealed) })
}

// release deletes a pod whose bundle is in the store, within RECLAIM_MAX_PODS.
func (r *run) release(ctx context.Context, s *stored) result {
	if !r.limit.reserve() {
		return r.keep(ctx, s, KeepLimit)
	}
	done := r.proveAndDelete(ctx, s)
	if done.Outcome != Deleted {
		r.limit.giveBack()
	}
	return done
}

// proveAndDelete verifies a bundle of an earlier run first; if it does not do,
// a copy of it takes its place, or the pod is captured anew. The namespace's hold
// is read again. Then the pod is deleted.
func (r *run) proveAndDelete(ctx context.Context, s *stored) result {
	if !s.proven {
		next, done := r.prove(ctx, s)
		if next == nil {
			return done
		}
		s = next
	}
	ns, _ := r.namespaces.get(ctx, s.namespace)
	o, err := overrides(s.annotations, ns, r.policy.Classes)
	switch {
	case err != nil:
		return s.with(s.kept(KeepBadAnnotation))
	case o.hold:
		return s.with(s.kept(KeepHold))
	case r.Config.DryRun:
		return s.with(s.outcome(Deleted))
	}
	outcome, reason, err := r.Cluster.delete(ctx, s.ref)
	if err != nil {
		return s.with(s.failed(StepDelete, err))
	}
	return s.with(result{ref: s.ref, Outcome: outcome, Reason: reason})
}
