package archive

import (
	"context"
	"math/rand/v2"
	"time"
)

// Problem is a kind of what Audit finds.
type Problem string

// The problems.
const (
	Missing       Problem = "missing"        // a run recorded it, it is not past its date, and it is not there
	Damaged       Problem = "damaged"        // its bytes or content are not those that were put
	Unreadable    Problem = "unreadable"     // the store does not give it out
	PastDate      Problem = "past-date"      // a full day past its retain-until, and there
	WrongDate     Problem = "wrong-date"     // its retain-until does not follow from when it was archived
	WronglyTagged Problem = "wrongly-tagged" // its tags are not those of its date and class
	Unlocked      Problem = "unlocked"       // not locked as ARCHIVE_OBJECT_LOCK asks
	Unencrypted   Problem = "unencrypted"    // not encrypted as ARCHIVE_SSE asks
)

// Problems are all of them, the worst first.
var Problems = []Problem{Missing, Damaged, Unreadable, PastDate, WrongDate, WronglyTagged, Unlocked, Unencrypted}

// Finding is one thing that is not as it should be.
type Finding struct {
	Problem Problem
	Key     string
	Detail  string
}

// AuditOptions say what to audit.
type AuditOptions struct {
	// Namespace, if set, is the only one.
	Namespace string
	// Since, if set, leaves out what was archived before.
	Since time.Time
	// Sample is the share of pods that is looked at, from 0 to 1.
	Sample float64
	// Found gets each finding, in the order of the keys.
	Found func(Finding)
	// Progress, if set, is told of each bundle that was read.
	Progress func(bytes int64)
}

// Audited is what Audit has looked at.
type Audited struct {
	Pods     int
	Bundles  int
	Records  int // bundles that records name and that were looked for
	Bytes    int64
	Findings map[Problem]int
	// Superseded are damaged bundles of which a later number is sound: a run that
	// cannot verify what it has put leaves it, and puts it again.
	Superseded int
}

// auditors is how many pods are looked at at once.
const auditors = 8

// Audit reads bundles again, to their end, and compares them with what they must
// be; and it looks for those that the records of runs name. Its memory does not
// depend on the size of the archive.
func (b *Bucket) Audit(ctx context.Context, o AuditOptions) (Audited, error) {
	a := &auditor{bucket: b, opts: o, now: b.now(), Audited: Audited{Findings: map[Problem]int{}}}
	if err := b.sameClock(ctx, a.now); err != nil {
		return a.Audited, err
	}
	if err := a.pods(ctx); err != nil {
		return a.Audited, err
	}
	return a.Audited, a.records(ctx)
}

type auditor struct {
	Audited
	bucket *Bucket
	opts   AuditOptions
	now    time.Time
}

// audit is what was found of one pod.
type audit struct {
	bundles    int
	bytes      int64
	findings   []Finding
	superseded int
}

// pods looks at several pods at once and reports them in their order.
func (a *auditor) pods(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan chan audit, auditors)
	var listErr error
	go func() {
		defer close(results)
		listErr = a.bucket.List(ctx, Selection{Namespace: a.opts.Namespace}, func(p Pod) error {
			if !a.selected(p) {
				return nil
			}
			result := make(chan audit, 1)
			select {
			case results <- result:
			case <-ctx.Done():
				return ctx.Err()
			}
			go func() { result <- a.bucket.auditPod(ctx, p, a.now) }()
			return nil
		})
	}()
	for result := range results {
		a.add(<-result)
	}
	if listErr != nil {
		return listErr
	}
	return ctx.Err()
}

func (a *auditor) selected(p Pod) bool {
	return !p.Newest().Stored.Before(a.opts.Since) && rand.Float64() < a.opts.Sample
}

func (a *auditor) add(result audit) {
	a.Pods++
	a.Bundles += result.bundles
	a.Bytes += result.bytes
	a.Superseded += result.superseded
	for _, f := range result.findings {
		a.found(f)
	}
	if a.opts.Progress != nil {
		a.opts.Progress(result.bytes)
	}
}

func (a *auditor) found(f Finding) {
	a.Findings[f.Problem]++
	a.opts.Found(f)
}
