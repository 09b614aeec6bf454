package reclaim

import (
	"context"
	"errors"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Outcome is what became of one listed pod. Each has exactly one.
type Outcome string

// The outcomes.
const (
	Deleted   Outcome = "deleted"
	Gone      Outcome = "gone"      // somebody else deleted it, or its name is another pod's now
	Pending   Outcome = "pending"   // deleted, and a finalizer that came meanwhile still holds it
	Remaining Outcome = "remaining" // the run ended before its turn
	Kept      Outcome = "kept"      // in scope, and it may not go yet
	Skipped   Outcome = "skipped"   // out of scope
	Failed    Outcome = "failed"    // an error at some step
)

// result is one pod's outcome, and what was stored of it.
type result struct {
	ref     ref
	Outcome Outcome
	Reason  Reason // of Kept and Skipped
	Step    Step   // of Failed
	Err     error

	isArchived    bool // a new complete bundle
	isProvisional bool // a new bundle without the logs that are missing
	isFound       bool // its bundle is there since an earlier run, and it stays
	isRenewed     bool // a copy of its bundle with a later date
	logs          []archive.Log
	worst         archive.Outcome
	bytes         Bytes
	bundle        string // its key in the bucket
}

func (p ref) outcome(o Outcome) result { return result{ref: p, Outcome: o} }

func (p ref) kept(why Reason) result { return result{ref: p, Outcome: Kept, Reason: why} }

func (p ref) skipped(why Reason) result { return result{ref: p, Outcome: Skipped, Reason: why} }

func (p ref) failed(step Step, err error) result {
	return result{ref: p, Outcome: Failed, Step: step, Err: &PodError{p.namespace, p.name, step, err}}
}

// unlessCutOff is the result, or that the pod remains where nothing but the end
// of an interrupted run stopped it. Of a delete without an answer nobody knows
// what became: it stays failed.
func (r result) unlessCutOff(ctx context.Context) result {
	if r.Outcome == Failed && r.Step != StepDelete && ctx.Err() != nil && errors.Is(r.Err, ctx.Err()) {
		r.Outcome, r.Step, r.Err = Remaining, "", nil
	}
	return r
}

// foreseen is what a dry run says of a pod that is not archived yet.
func (p ref) foreseen() result {
	r := p.outcome(Deleted)
	if p.keep != "" {
		r = p.kept(p.keep)
	}
	r.isArchived = true
	return r
}

// archived adds what was stored.
func (r result) archived(c *capture, object archive.Object) result {
	if object.Fresh {
		r.isArchived, r.logs, r.bytes = true, c.index.Logs, c.bytes()
	}
	r.bundle = object.Name()
	return r
}

// provisional adds that a bundle without some logs was stored.
func (r result) provisional(c *capture, object archive.Object) result {
	if object.Fresh {
		r.isProvisional, r.bytes = true, c.bytes()
	}
	r.bundle = object.Name()
	return r
}

// with is the outcome now, with what was stored before.
func (s *stored) with(now result) result {
	kept := s.result
	kept.worst, kept.bundle = s.object.Logs(), s.object.Name()
	kept.ref, kept.Outcome, kept.Reason, kept.Step, kept.Err = now.ref, now.Outcome, now.Reason, now.Step, now.Err
	return kept
}
