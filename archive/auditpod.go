package archive

import (
	"context"
	"errors"
	"io"
	"time"
)

// auditPod looks at all bundles of one pod.
func (b *Bucket) auditPod(ctx context.Context, p Pod, now time.Time) audit {
	var a audit
	sound := map[Key]bool{} // by all but the number
	var damaged []Finding
	var damagedKeys []Key
	for _, o := range p.Bundles {
		findings, err := b.auditBundle(ctx, o, now)
		if errors.Is(err, ErrNotFound) || ctx.Err() != nil {
			continue // expired since it was listed, or we end
		}
		a.bundles++
		a.bytes += o.Size
		a.findings = append(a.findings, findings...)
		switch {
		case err == nil:
			sound[o.Key.numbered(0)] = true
		case errors.Is(err, ErrMismatch):
			damaged = append(damaged, Finding{Damaged, o.name, err.Error()})
			damagedKeys = append(damagedKeys, o.Key.numbered(0))
		default:
			a.findings = append(a.findings, Finding{Unreadable, o.name, err.Error()})
		}
	}
	for i, f := range damaged {
		if sound[damagedKeys[i]] {
			a.superseded++
			continue
		}
		a.findings = append(a.findings, f)
	}
	return a
}

// auditBundle reads a bundle to its end; the error says that it is no proof of
// its pod. The findings are about how it is kept.
func (b *Bucket) auditBundle(ctx context.Context, listed Object, now time.Time) ([]Finding, error) {
	o, err := b.Look(ctx, listed)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	if o.class.Past(o.Stored, now) {
		findings = append(findings, Finding{PastDate, o.name, "it was to be kept until " + o.class.RetainUntil(o.Stored).Format(dateFormat)})
	}
	if _, err := b.Read(ctx, o, func(File, io.Reader) error { return nil }); err != nil {
		return findings, err
	}
	if o.contentEncoding != "" {
		return findings, mismatch(o, "the store set Content-Encoding %q", o.contentEncoding)
	}
	for _, check := range []struct {
		problem Problem
		err     error
	}{
		{WrongDate, verifyDate(o)},
		{WronglyTagged, b.verifyTags(ctx, o)},
		{Unlocked, b.verifyLock(ctx, o)},
		{Unencrypted, b.verifyEncryption(o)},
	} {
		switch {
		case errors.Is(check.err, ErrMismatch):
			findings = append(findings, Finding{check.problem, o.name, check.err.Error()})
		case check.err != nil:
			return findings, check.err
		}
	}
	return findings, nil
}
