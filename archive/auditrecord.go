package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// maxRecordPart bounds what is read of one part of a run record, in bytes.
const maxRecordPart = 64 << 20

// recorded is what Audit reads of a line of a run record.
type recorded struct {
	Time   time.Time `json:"time"`
	Bundle string    `json:"bundle"`
}

// records looks for the bundles that the records of runs name.
func (a *auditor) records(ctx context.Context) error {
	root := a.bucket.layout.root() + "/runs/"
	return a.bucket.objects(ctx, root, func(name string) error {
		_, day, ok := a.bucket.layout.parseRecord(name)
		if !ok || path.Ext(name) != ".ndjson" || day.Add(48*time.Hour).Before(a.opts.Since) {
			return nil
		}
		return a.record(ctx, name)
	})
}

// record looks for the bundles of one part of a record.
func (a *auditor) record(ctx context.Context, name string) error {
	out, err := a.bucket.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &a.bucket.cfg.Bucket, Key: &name})
	if status(err) == 404 {
		return nil
	}
	if err != nil {
		return a.bucket.explain("read", "s3:GetObject", name, err)
	}
	defer out.Body.Close()
	lines := bufio.NewScanner(io.LimitReader(out.Body, maxRecordPart))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line recorded
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			a.found(Finding{Damaged, name, fmt.Sprintf("a line of this run record is no JSON: %v", err)})
			return nil
		}
		if err := a.lookFor(ctx, line, name); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
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

// objects calls visit with each key under prefix.
func (b *Bucket) objects(ctx context.Context, prefix string, visit func(name string) error) error {
	page, err := b.objectPage(ctx, prefix, nil)
	for err == nil {
		for _, v := range page.versions {
			if err := visit(v.name); err != nil {
				return err
			}
		}
		if page.next == nil {
			return nil
		}
		page, err = page.next(ctx)
	}
	return err
}
