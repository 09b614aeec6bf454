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

	"github.com/aws/aws-sdk-go-v2/aws"
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
	pages := s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &root, StartAfter: &after})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, b.explain("list", "s3:ListBucket", root, err)
		}
		for _, o := range page.Contents {
			name := aws.ToString(o.Key)
			if _, _, ok := b.layout.parseRecord(name); ok && name > after && path.Ext(name) == ".ndjson" {
				parts = append(parts, name)
			}
		}
	}
	return parts, nil
}
