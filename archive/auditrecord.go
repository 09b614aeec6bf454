package archive

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// records looks for the bundles that the records of runs name.
func (a *auditor) records(ctx context.Context) error {
	root := a.bucket.layout.root() + "/runs/"
	return a.bucket.recordParts(ctx, root, "", func(name string, started time.Time) error {
		if started.Add(48 * time.Hour).Before(a.opts.Since) {
			return nil
		}
		return a.record(ctx, name)
	})
}

// record looks for the bundles of one part of a record.
func (a *auditor) record(ctx context.Context, name string) error {
	err := a.bucket.readRecord(ctx, name, func(line recorded) error { return a.lookFor(ctx, line, name) })
	switch {
	case errors.Is(err, ErrNotFound):
		return nil // expired meanwhile
	case errors.Is(err, errNoRecord):
		a.found(Finding{Damaged, name, err.Error()})
		return nil
	}
	return err
}

// lookFor asks for a bundle that must be there still. A run that deletes a pod
// names a bundle that is at most a day old.
func (a *auditor) lookFor(ctx context.Context, line recorded, record string) error {
	key, err := a.bucket.layout.parseAny(line.Bundle)
	if err != nil || line.Time.Before(a.opts.Since) || a.opts.Namespace != "" && a.opts.Namespace != key.Namespace || rand.Float64() >= a.opts.Sample {
		return nil
	}
	if until := key.Class.RetainUntil(line.Time.Add(-day)); !until.IsZero() && !a.now.Before(until) {
		return nil
	}
	a.Records++
	_, err = a.bucket.Look(ctx, Object{Key: key, name: line.Bundle, class: key.Class})
	if errors.Is(err, ErrNotFound) {
		a.found(Finding{Missing, line.Bundle, "recorded in " + record})
		return nil
	}
	return err
}
