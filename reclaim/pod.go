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
	object, err := r.Bucket.Head(ctx, p.key())
	if err == nil {
		if p.keep != "" {
			return nil, true, p.kept(p.keep)
		}
		return &stored{ref: p, object: object}, true, result{}
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
		return nil, r.provisional(ctx, p, key, c, b)
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
func (r *run) provisional(ctx context.Context, p ref, key archive.Key, c *capture, b *archive.Bundle) result {
	key.Provisional, key.Number = true, 1
	_, err := r.Bucket.Head(ctx, key)
	switch {
	case err == nil:
		return p.kept(KeepLogWait)
	case !errors.Is(err, archive.ErrNotFound):
		return p.failed(StepHead, err)
	}
	object, step, err := r.put(ctx, key, c, b)
	if err != nil {
		return p.failed(step, err)
	}
	return p.kept(KeepLogWait).provisional(c, object)
}

// put seals the bundle, puts it and proves it. If what is then under the key
// does not match, it is left there and the next number is tried, once.
func (r *run) put(ctx context.Context, key archive.Key, c *capture, b *archive.Bundle) (archive.Object, Step, error) {
	sealed, err := b.Seal(c.index, c.decision.Finish.At)
	if err != nil {
		return archive.Object{}, StepBundle, err
	}
	c.sealed = sealed
	for try := 1; ; try++ {
		object, step, err := r.putOnce(ctx, key, sealed)
		if err == nil || !errors.Is(err, archive.ErrMismatch) || try == 2 {
			return object, step, err
		}
		key = key.Next()
	}
}

// putOnce puts and verifies. If the key is taken, by another run or by a try
// whose answer was lost, what is there is verified instead.
func (r *run) putOnce(ctx context.Context, key archive.Key, sealed *archive.Sealed) (archive.Object, Step, error) {
	want, err := r.Bucket.Put(ctx, key, sealed)
	if errors.Is(err, archive.ErrExists) {
		object, err := r.Bucket.Head(ctx, key)
		if err == nil {
			err = r.Bucket.Verify(ctx, object)
		}
		return object, StepVerify, err
	}
	if err != nil {
		return archive.Object{}, StepPut, err
	}
	object, err := r.Bucket.VerifyPut(ctx, want)
	return object, StepVerify, err
}

// release deletes a pod whose bundle is in the store, within RECLAIM_MAX_PODS.
func (r *run) release(ctx context.Context, s *stored) result {
	if !r.limit.reserve() {
		return s.with(s.kept(KeepLimit))
	}
	done := r.proveAndDelete(ctx, s)
	if done.Outcome != Deleted {
		r.limit.giveBack()
	}
	return done
}

// proveAndDelete verifies a bundle of an earlier run first; if it does not
// match, the pod is captured anew under the next number. The namespace's hold
// is read again. Then the pod is deleted.
func (r *run) proveAndDelete(ctx context.Context, s *stored) result {
	if !s.proven {
		err := r.Bucket.Verify(ctx, s.object)
		switch {
		case errors.Is(err, archive.ErrMismatch) && r.Config.DryRun:
			return s.foreseen()
		case errors.Is(err, archive.ErrMismatch):
			next, done := r.capture(ctx, s.ref, s.object.Key.Next())
			if next == nil {
				return done
			}
			s = next
		case err != nil:
			return s.failed(StepVerify, err)
		}
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
