package reclaim

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// find asks for the bundle of the pod: for the first one, or for the newest if
// the pod ended so long ago that the first one may have expired and copies of
// it be there.
func (r *run) find(ctx context.Context, p ref, key archive.Key) (archive.Object, error) {
	if key.Class.Over(r.Now().Sub(p.finish.At)) {
		return r.Bucket.Newest(ctx, key)
	}
	return r.Bucket.Head(ctx, key)
}

// keep ends the way of an archived pod that stays for now. Its bundle must not
// expire before it.
func (r *run) keep(ctx context.Context, s *stored, why Reason) result {
	if s.proven || !s.object.Lapses(r.Now()) {
		done := s.with(s.kept(why))
		done.isFound = !s.proven
		return done
	}
	next, done := r.renewOrCapture(ctx, s, archive.Object.Lapses)
	if next == nil {
		return done
	}
	return next.with(next.kept(why))
}

// prove verifies the bundle of an earlier run. Retention counts from now.
func (r *run) prove(ctx context.Context, s *stored) (*stored, result) {
	if !s.object.Stale(r.Now()) {
		err := r.Bucket.Verify(ctx, s.object)
		if err == nil {
			return s, result{}
		}
		if !errors.Is(err, archive.ErrMismatch) {
			return nil, s.failed(StepVerify, err)
		}
	}
	return r.renewOrCapture(ctx, s, archive.Object.Stale)
}

// renewOrCapture captures the pod anew where no bundle of it is whole.
func (r *run) renewOrCapture(ctx context.Context, s *stored, ends ends) (*stored, result) {
	next, free, step, err := r.renew(ctx, s, ends)
	switch {
	case err != nil:
		return nil, s.failed(step, err)
	case next == nil && r.Config.DryRun:
		return nil, s.foreseen()
	case next == nil:
		return r.capture(ctx, s.ref, free)
	}
	return next, result{}
}

// ends tells that a bundle's retention is over too early.
type ends func(archive.Object, time.Time) bool

// renew finds the newest bundle that is whole. If its retention ends too early,
// or it is not protected as is asked now, the answer is a copy of it under the
// next number, proven like a bundle that was just put. If none is whole, it is
// nil, and free is where to put one.
func (r *run) renew(ctx context.Context, s *stored, ends ends) (next *stored, free archive.Key, step Step, err error) {
	keys, err := r.Bucket.Numbers(ctx, s.object.Key)
	if err != nil {
		return nil, free, StepHead, err
	}
	if !slices.Contains(keys, s.object.Key) { // a list may lag behind
		keys = append([]archive.Key{s.object.Key}, keys...)
	}
	free = keys[0].Next()
	for _, key := range keys {
		object, err := s.object, error(nil)
		if key != object.Key {
			object, err = r.Bucket.Head(ctx, key)
		}
		if errors.Is(err, archive.ErrNotFound) {
			continue // expired meanwhile
		}
		if err != nil {
			return nil, free, StepHead, err
		}
		next := *s
		next.object = object
		err = r.Bucket.Verify(ctx, object)
		switch {
		case err == nil && !ends(object, r.Now()):
			return &next, free, "", nil
		case err == nil || errors.Is(err, archive.ErrUnprotected):
			step, err := r.copy(ctx, &next, free)
			return &next, free, step, err
		case !errors.Is(err, archive.ErrMismatch):
			return nil, free, StepVerify, err
		}
	}
	return nil, free, "", nil
}

// copy copies the pod's bundle to key, or a later number of it. A dry run only
// says so.
func (r *run) copy(ctx context.Context, s *stored, key archive.Key) (Step, error) {
	if r.Config.DryRun {
		s.result.isRenewed = true
		return "", nil
	}
	object, step, err := r.store(ctx, key, func(key archive.Key) (archive.Object, error) { return r.Bucket.Copy(ctx, s.object, key) })
	if err != nil {
		return step, err
	}
	s.object, s.result.isRenewed = object, object.Fresh
	return "", nil
}
