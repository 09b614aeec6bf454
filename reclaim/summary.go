package reclaim

import (
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Summary is what a run did. Listed equals the sum of deleted, gone, pending,
// remaining, kept, skipped and failed.
type Summary struct {
	RunID      string    `json:"runId"`
	Cluster    string    `json:"cluster"`
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	DryRun     bool      `json:"dryRun"`

	Listed    int            `json:"listed"`
	Deleted   int            `json:"deleted"`
	Gone      int            `json:"gone"`
	Pending   int            `json:"pending"`
	Remaining int            `json:"remaining"`
	Kept      map[Reason]int `json:"kept"`
	Skipped   map[Reason]int `json:"skipped"`
	Failed    map[Step]int   `json:"failed"`

	Archived    int                     `json:"archived"`
	Provisional int                     `json:"provisional"`
	Renewed     int                     `json:"renewed"`
	Logs        map[archive.Outcome]int `json:"logs"`
	// DeletedWithoutLogs counts deleted pods with a container that ran and
	// whose log is unavailable.
	DeletedWithoutLogs int `json:"deletedWithoutLogs"`
	// DeletedWithPartialLogs counts deleted pods with a log that is possibly
	// rotated, truncated or unconfirmed.
	DeletedWithPartialLogs int   `json:"deletedWithPartialLogs"`
	Bytes                  Bytes `json:"bytes"`

	// OldestKept is when the oldest of the kept pods finished, OldestWaiting
	// that of those that wait for a log; zero if there is none.
	OldestKept    time.Time `json:"-"`
	OldestWaiting time.Time `json:"-"`

	failures []error
}

// Bytes are the sizes of what was archived: documents and logs before
// compression, bundles as stored.
type Bytes struct {
	Manifests int64 `json:"manifests"`
	Logs      int64 `json:"logs"`
	Bundles   int64 `json:"bundles"`
}

func newSummary() Summary {
	return Summary{
		Kept: map[Reason]int{}, Skipped: map[Reason]int{}, Failed: map[Step]int{}, Logs: map[archive.Outcome]int{},
	}
}

// add counts one pod's outcome.
func (s *Summary) add(r result) {
	switch r.Outcome {
	case Deleted:
		s.Deleted++
		s.addDeleted(r.worst)
	case Gone:
		s.Gone++
	case Pending:
		s.Pending++
	case Remaining:
		s.Remaining++
	case Kept:
		s.Kept[r.Reason]++
		s.addKept(r)
	case Skipped:
		s.Skipped[r.Reason]++
	case Failed:
		s.Failed[r.Step]++
		s.fail(r.Err)
	}
	if r.isArchived {
		s.Archived++
	}
	if r.isProvisional {
		s.Provisional++
	}
	if r.isRenewed {
		s.Renewed++
	}
	for _, l := range r.logs {
		s.Logs[l.Outcome]++
	}
	s.Bytes.Manifests += r.bytes.Manifests
	s.Bytes.Logs += r.bytes.Logs
	s.Bytes.Bundles += r.bytes.Bundles
}

func (s *Summary) addKept(r result) {
	s.OldestKept = earlierOf(s.OldestKept, r.ref.finish.At)
	if r.Reason == KeepLogWait {
		s.OldestWaiting = earlierOf(s.OldestWaiting, r.ref.finish.At)
	}
}

// earlierOf is the earlier of two times; a zero one is none.
func earlierOf(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func (s *Summary) addDeleted(worst archive.Outcome) {
	switch worst {
	case archive.Unavailable:
		s.DeletedWithoutLogs++
	case archive.PossiblyRotated, archive.Truncated, archive.Unconfirmed:
		s.DeletedWithPartialLogs++
	}
}

// Sum is the number of pods that have an outcome.
func (s *Summary) Sum() int {
	return s.Deleted + s.Gone + s.Pending + s.Remaining + total(s.Kept) + total(s.Skipped) + total(s.Failed)
}

func total[K comparable](counts map[K]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// mostFailures is how many failures are kept: each has its line in the log.
const mostFailures = 100

func (s *Summary) fail(err error) {
	if len(s.failures) < mostFailures {
		s.failures = append(s.failures, err)
	}
}

// Err joins the first failures under ErrIncomplete; nil if no pod failed.
func (s *Summary) Err() error {
	if len(s.failures) == 0 {
		return nil
	}
	if more := total(s.Failed) - len(s.failures); more > 0 {
		return fmt.Errorf("%w: %w\nand %d more", ErrIncomplete, errors.Join(s.failures...), more)
	}
	return fmt.Errorf("%w: %w", ErrIncomplete, errors.Join(s.failures...))
}

// MarshalLogObject writes the summary as the fields of the final log line.
func (s Summary) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("runId", s.RunID)
	enc.AddString("cluster", s.Cluster)
	enc.AddTime("startedAt", s.StartedAt)
	enc.AddTime("finishedAt", s.FinishedAt)
	enc.AddBool("dryRun", s.DryRun)
	for _, f := range []struct {
		name  string
		count int
	}{
		{"listed", s.Listed}, {"deleted", s.Deleted}, {"gone", s.Gone}, {"pending", s.Pending}, {"remaining", s.Remaining},
	} {
		enc.AddInt(f.name, f.count)
	}
	addCounts(enc, "kept", s.Kept)
	addCounts(enc, "skipped", s.Skipped)
	addCounts(enc, "failed", s.Failed)
	enc.AddInt("archived", s.Archived)
	enc.AddInt("provisional", s.Provisional)
	enc.AddInt("renewed", s.Renewed)
	addCounts(enc, "logs", s.Logs)
	enc.AddInt("deletedWithoutLogs", s.DeletedWithoutLogs)
	enc.AddInt("deletedWithPartialLogs", s.DeletedWithPartialLogs)
	addCounts(enc, "bytes", map[string]int64{"manifests": s.Bytes.Manifests, "logs": s.Bytes.Logs, "bundles": s.Bytes.Bundles})
	return nil
}

func addCounts[K ~string, V int | int64](enc zapcore.ObjectEncoder, name string, counts map[K]V) {
	// the encoder of a plain object cannot fail
	_ = enc.AddObject(name, zapcore.ObjectMarshalerFunc(func(enc zapcore.ObjectEncoder) error {
		for _, key := range sortedKeys(counts) {
			enc.AddInt64(string(key), int64(counts[key]))
		}
		return nil
	}))
}
