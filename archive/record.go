package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A part of the record is put after this many lines or this long, so that a run
// that is killed loses little of it.
const (
	recordLines = 1000
	recordEvery = time.Minute
)

// Record is the record of one run: an index by date of what was archived and
// deleted. Its parts are written once, tagged and kept like bundles of the
// default class:
//
//	<prefix>/<cluster>/runs/<class>/<yyyy>/<mm>/<dd>/<start>-<run ID>/start.json
//	.../0001.ndjson, 0002.ndjson, ...    a line for each pod archived, found archived, or deleted
//	.../end.json                         the summary
//
// The bundles are the authority. A Record belongs to one goroutine.
type Record struct {
	bucket *Bucket
	dir    string
	parts  int
	lines  int
	since  time.Time
	buffer bytes.Buffer
}

// Begin starts the record of the run with this ID: start is put as start.json
// and proven like a bundle, which shows before the first pod is touched that the
// store takes and keeps what it is given, and whether it keeps to conditions.
func (b *Bucket) Begin(ctx context.Context, runID string, start any) (*Record, error) {
	now := b.now().UTC()
	class := b.cfg.Retention.Default()
	r := &Record{bucket: b, since: now, dir: b.layout.runs(class) + now.Format(recordDir) + "-" + runID}
	text, err := json.MarshalIndent(start, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode start.json: %w", err)
	}
	if err := r.put(ctx, "start.json", "application/json", text); err != nil {
		return nil, err
	}
	return r, b.probe(ctx, r.document("start.json", "application/json", text))
}

func (r *Record) document(name, contentType string, text []byte) upload {
	return document(r.dir+"/"+name, contentType, r.bucket.cfg.Retention.Default(), text)
}

// Add adds a line; it is put with the next part.
func (r *Record) Add(ctx context.Context, line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("encode line of the run record: %w", err)
	}
	r.buffer.Write(append(text, '\n'))
	r.lines++
	if r.lines < recordLines && r.bucket.now().Sub(r.since) < recordEvery {
		return nil
	}
	return r.flush(ctx)
}

// End puts what is left and then end as end.json.
func (r *Record) End(ctx context.Context, end any) error {
	if r.lines > 0 {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(end, "", "  ")
	if err != nil {
		return fmt.Errorf("encode end.json: %w", err)
	}
	return r.put(ctx, "end.json", "application/json", text)
}

func (r *Record) flush(ctx context.Context) error {
	r.parts++
	text := bytes.Clone(r.buffer.Bytes())
	r.buffer.Reset()
	r.lines, r.since = 0, r.bucket.now()
	return r.put(ctx, fmt.Sprintf("%04d.ndjson", r.parts), "application/x-ndjson", text)
}

// put puts one part and proves it. A key that is taken was taken by our own try
// whose answer was lost, since the run's ID is in it.
func (r *Record) put(ctx context.Context, name, contentType string, text []byte) error {
	u := r.document(name, contentType, text)
	want, err := r.bucket.put(ctx, u)
	if errors.Is(err, ErrExists) {
		want, err = r.bucket.head(ctx, u.name, u.class)
	}
	if err != nil {
		return err
	}
	_, err = r.bucket.VerifyPut(ctx, want)
	return err
}
