package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// maxRecordPart bounds what is read of one part of a run record, in bytes.
const maxRecordPart = 64 << 20

// recorded is what is read of a line of a run record.
type recorded struct {
	Time   time.Time `json:"time"`
	Bundle string    `json:"bundle"`
}

// errNoRecord says that a part of a run record holds something else.
var errNoRecord = errors.New("a line of this run record is no JSON")

// readRecord calls visit for each line of a part of a run record; ErrNotFound if
// there is no such part.
func (b *Bucket) readRecord(ctx context.Context, name string, visit func(recorded) error) error {
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &name})
	if status(err) == http.StatusNotFound {
		return ErrNotFound
	}
	if err != nil {
		return b.explain("read", "s3:GetObject", name, err)
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
			return fmt.Errorf("%w: %w", errNoRecord, err)
		}
		if err := visit(line); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Recent calls visit for the bundles that the records of runs name which started
// since then, and when they were seen there. Of so many parts of records at most,
// the newest are read.
func (b *Bucket) Recent(ctx context.Context, since time.Time, most int, visit func(Key, time.Time)) error {
	parts, err := b.recentParts(ctx, since)
	if err != nil {
		return err
	}
	for _, name := range parts[max(0, len(parts)-most):] {
		err := b.readRecord(ctx, name, func(line recorded) error {
			if key, err := b.layout.parseAny(line.Bundle); err == nil {
				visit(key, line.Time)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// recentParts are the keys of the parts of records with lines, the newest last.
func (b *Bucket) recentParts(ctx context.Context, since time.Time) ([]string, error) {
	root := b.layout.runs(b.cfg.Retention.Default())
	after := root + since.UTC().Format(recordDir)
	var parts []string
	err := b.recordParts(ctx, root, after, func(name string, _ time.Time) error {
		if name > after { // a store may ignore where to begin
			parts = append(parts, name)
		}
		return nil
	})
	return parts, err
}

// recordParts calls visit with the key and the start of each part with lines of the
// records under root, in the order of their keys; those after a key if it is not
// empty.
func (b *Bucket) recordParts(ctx context.Context, root, after string, visit func(name string, started time.Time) error) error {
	return b.objects(ctx, root, after, func(name string) error {
		_, started, ok := b.layout.parseRecord(name)
		if !ok || path.Ext(name) != ".ndjson" {
			return nil
		}
		return visit(name, started)
	})
}
