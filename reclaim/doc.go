// Package reclaim is the Kubernetes side: which pods, what to collect, and the
// safe order of steps.
//
// # The invariant
//
// A pod is deleted only after the store has confirmed the bundle of exactly this
// UID and resourceVersion, and its retention; and a bundle never claims more
// than was captured. There is nothing to roll back: wherever a run stops, the
// next one goes on, because a bundle's key says what it proves.
//
// # One pod's way
//
//	head     is there a bundle of this state of this pod? then only the last two
//	logs     of every container, by name; each one's end is confirmed; one that
//	         is missing is taken from an earlier bundle of the same UID
//	get      the pod, after its logs: its UID proves whose logs they are; this
//	         answer is archived and decided on, and deleted by its resourceVersion
//	collect  its events and owners
//	bundle   all of it, with an index that says how complete it is
//	put      under a key that is written once
//	verify   by what the store computed or gives back, its tags, lock and encryption
//	renew    only an earlier bundle: retention counts from now, so one that is over
//	         a day old, or lacks what is asked now, is copied, and the copy verified
//	delete   by UID and resourceVersion, in one request that checks both
//
// pod.go is this way. Before it, list turns pages of pods into refs, and Policy
// decides what is in scope and what may go; queue hands pods to workers.
//
// # Outcomes
//
// Each listed pod has exactly one: deleted, gone, pending, remaining,
// kept{reason}, skipped{reason} or failed{step}; their sum is listed.
//
// # Not done
//
// Nothing but pods is ever written to, and those only by DELETE. No finalizer is
// stripped, no owner touched, no node or kubelet asked directly, no log
// followed. Rotated log files are not served by the API, so they are not there.
package reclaim
