package archive

import (
	"context"
	"time"
)

// Expiry is what Expire found under our prefix.
type Expiry struct {
	// Past is what is past its date and was deleted, or would be.
	Past map[Class]Past
	// Young is what is kept: not a full day past its date, or without one.
	Young int
	// Locked is what is past its date and locked for longer.
	Locked int
	// Failed is what is past its date and could not be deleted.
	Failed int
	// Foreign is what is not ours. It is left alone.
	Foreign int
}

// Past counts what is past its date in one class. In a bucket with versions
// each version counts.
type Past struct {
	Bundles int   `json:"bundles"`
	Records int   `json:"runRecords"`
	Markers int   `json:"deleteMarkers"`
	Bytes   int64 `json:"bytes"`
}

// ExpireOptions say what Expire does with what it finds.
type ExpireOptions struct {
	// Confirm deletes it; else it is only counted.
	Confirm bool
	// Refused gets what the store refused to delete: ErrLocked or another error.
	Refused func(error)
	// Progress, if set, is told how many objects were looked at.
	Progress func(int)
}

// Expire finds every bundle and every part of a run record that is a full day
// past its retain-until, of whatever class, and deletes it if that is confirmed,
// with its versions and delete markers. The key says the class and the list says
// when it was stored: nothing is read but the list. What the store refuses to
// delete stops nothing else. With an error Expiry tells what was done until then.
//
// A delete marker is past its date when it has been there for as long as a bundle
// is kept; then all that it hides is, too.
func (b *Bucket) Expire(ctx context.Context, opts ExpireOptions) (Expiry, error) {
	e := &expirer{bucket: b, opts: opts, now: b.now(), Expiry: Expiry{Past: map[Class]Past{}}}
	if err := b.sameClock(ctx, e.now); err != nil {
		return e.Expiry, err
	}
	err := b.versions(ctx, b.layout.root()+"/", func(page []version) error { return e.page(ctx, page) })
	if err == nil {
		err = e.flush(ctx)
	}
	return e.Expiry, err
}

// expirer holds at most one batch of what is to be deleted.
type expirer struct {
	Expiry
	bucket *Bucket
	opts   ExpireOptions
	now    time.Time
	batch  []version
}

func (e *expirer) page(ctx context.Context, page []version) error {
	if e.opts.Progress != nil {
		e.opts.Progress(len(page))
	}
	for _, v := range page {
		class, _, ok := e.bucket.layout.kept(v.name)
		switch {
		case v.name == e.bucket.layout.clusterFile():
			e.Young++
		case !ok:
			e.Foreign++
		case !class.Past(v.stored, e.now):
			e.Young++
		case !e.opts.Confirm:
			e.count(v)
		default:
			e.batch = append(e.batch, v)
		}
		if len(e.batch) == maxBatch {
			if err := e.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *expirer) flush(ctx context.Context) error {
	err := e.bucket.remove(ctx, e.batch, e.removed)
	e.batch = e.batch[:0]
	return err
}

// removed takes the store's answer for one version.
func (e *expirer) removed(v version, err error) {
	switch {
	case err == nil:
		e.count(v)
		return
	case isLocked(err):
		e.Locked++
	default:
		e.Failed++
	}
	e.opts.Refused(err)
}

func (e *expirer) count(v version) {
	class, record, _ := e.bucket.layout.kept(v.name)
	past := e.Past[class]
	switch {
	case v.marker:
		past.Markers++
	case record:
		past.Records++
	default:
		past.Bundles++
	}
	past.Bytes += v.size
	e.Past[class] = past
}
