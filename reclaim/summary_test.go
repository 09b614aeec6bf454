package reclaim

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

var update = flag.Bool("update", false, "write the golden files anew")

// exampleSummary has every field.
func exampleSummary() Summary {
	s := newSummary()
	s.RunID, s.Cluster, s.DryRun = "0123456789abcdef", "prod-1", true
	s.StartedAt, s.FinishedAt = now, now.Add(90*time.Second+time.Millisecond)
	logs := func(outcomes ...archive.Outcome) []archive.Log {
		var all []archive.Log
		for _, o := range outcomes {
			all = append(all, archive.Log{Outcome: o})
		}
		return all
	}
	stored := func(r result, outcomes ...archive.Outcome) result {
		r.isArchived, r.logs, r.worst = true, logs(outcomes...), archive.Worst(logs(outcomes...))
		r.bytes = Bytes{Manifests: 100, Logs: 1000, Bundles: 10}
		return r
	}
	p := ref{namespace: "shop", name: "report-x7k2p"}
	waiting := p.kept(KeepLogWait)
	waiting.isProvisional, waiting.bytes = true, Bytes{Manifests: 100, Bundles: 5}
	foundUnavailable := p.outcome(Deleted) // archived by an earlier run
	foundUnavailable.worst = archive.Unavailable
	renewed := p.kept(KeepHold)
	renewed.isRenewed = true
	for _, r := range []result{
		stored(p.outcome(Deleted), archive.Complete, archive.Empty, archive.NeverStarted),
		stored(p.outcome(Deleted), archive.Complete, archive.Unavailable),
		foundUnavailable,
		stored(p.outcome(Deleted), archive.PossiblyRotated),
		stored(p.outcome(Deleted), archive.Truncated),
		stored(p.outcome(Deleted), archive.Unconfirmed),
		p.outcome(Gone),
		p.outcome(Pending),
		p.outcome(Remaining), p.outcome(Remaining),
		stored(p.kept(KeepYoung), archive.Unavailable), renewed, waiting,
		p.skipped(SkipFresh), p.skipped(SkipFresh), p.skipped(SkipOwnerKind),
		p.failed(StepPut, errBroken), p.failed(StepVerify, errBroken),
	} {
		s.Listed++
		s.add(r)
	}
	return s
}

func TestSummaryForm(t *testing.T) {
	text, err := json.MarshalIndent(exampleSummary(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	name := filepath.Join("testdata", "summary.json")
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// The last line of the log has the summary as it stands elsewhere.
func TestSummaryIsLoggedAsItIsWritten(t *testing.T) {
	for _, s := range []Summary{exampleSummary(), newSummary()} {
		encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{EncodeTime: zapcore.RFC3339NanoTimeEncoder, SkipLineEnding: true})
		if err := s.MarshalLogObject(encoder); err != nil {
			t.Fatal(err)
		}
		line, err := encoder.EncodeEntry(zapcore.Entry{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := errors.Join(json.Unmarshal(line.Bytes(), &got), json.Unmarshal(written, &want)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("logged\n%s\nwritten\n%s", line, written)
		}
	}
}

func TestEmptySummaryHasNoNull(t *testing.T) {
	text, err := json.Marshal(newSummary())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("null")) {
		t.Errorf("%s", text)
	}
}

func TestSummaryCountsEveryPodOnce(t *testing.T) {
	p := ref{namespace: "shop", name: "report-x7k2p"}
	results := []result{
		p.outcome(Deleted), p.outcome(Gone), p.outcome(Pending), p.outcome(Remaining),
		p.kept(KeepYoung), p.kept(KeepHold), p.kept(KeepFinalizer), p.kept(KeepTerminating), p.kept(KeepBadAnnotation),
		p.kept(KeepLogWait), p.kept(KeepChanged), p.kept(KeepLimit),
		p.skipped(SkipNamespace), p.skipped(SkipOwnerKind), p.skipped(SkipMirror), p.skipped(SkipSelf),
		p.skipped(SkipContainerRunning), p.skipped(SkipFresh),
	}
	for _, step := range []Step{StepHead, StepLogs, StepGet, StepCollect, StepBundle, StepPut, StepVerify, StepDelete} {
		results = append(results, p.failed(step, errBroken))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		s := newSummary()
		pods := random.IntN(200)
		for range pods {
			r := results[random.IntN(len(results))]
			r.isArchived, r.isProvisional = random.IntN(2) == 0, random.IntN(2) == 0
			s.add(r)
		}
		if s.Sum() != pods {
			t.Fatalf("the sum is %d of %d: %+v", s.Sum(), pods, s)
		}
	}
}

func TestDeletedWithoutAndWithPartialLogs(t *testing.T) {
	for _, tt := range []struct {
		worst            archive.Outcome
		without, partial int
	}{
		{archive.Complete, 0, 0}, {archive.Empty, 0, 0}, {archive.NeverStarted, 0, 0},
		{archive.PossiblyRotated, 0, 1}, {archive.Truncated, 0, 1}, {archive.Unconfirmed, 0, 1},
		{archive.Unavailable, 1, 0},
	} {
		for _, outcome := range []Outcome{Deleted, Gone, Pending, Remaining, Kept} {
			s := newSummary()
			s.add(result{Outcome: outcome, worst: tt.worst})
			without, partial := tt.without, tt.partial
			if outcome != Deleted {
				without, partial = 0, 0
			}
			if s.DeletedWithoutLogs != without || s.DeletedWithPartialLogs != partial {
				t.Errorf("%s, %s: %d and %d, want %d and %d", outcome, tt.worst, s.DeletedWithoutLogs, s.DeletedWithPartialLogs, without, partial)
			}
		}
	}
}

func TestSummaryErr(t *testing.T) {
	s := newSummary()
	s.add(ref{}.outcome(Deleted))
	s.add(ref{}.kept(KeepLogWait))
	s.add(ref{}.skipped(SkipFresh))
	if err := s.Err(); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
	s.add(ref{namespace: "shop", name: "a"}.failed(StepPut, fmt.Errorf("503: %w", errBroken)))
	s.add(ref{namespace: "shop", name: "b"}.failed(StepVerify, archive.ErrMismatch))
	err := s.Err()
	for _, cause := range []error{ErrIncomplete, errBroken, archive.ErrMismatch} {
		if !errors.Is(err, cause) {
			t.Errorf("%v is not %v", err, cause)
		}
	}
	var pod *PodError
	if !errors.As(err, &pod) || pod.Name != "a" || pod.Step != StepPut {
		t.Errorf("the failed pod is %+v", pod)
	}
	for _, text := range []string{"shop/a", "put", "503", "shop/b", "verify"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

// Of very many failures the first are kept.
func TestSummaryOfManyFailures(t *testing.T) {
	s := newSummary()
	for range 100_000 {
		s.add(ref{namespace: "shop", name: "a"}.failed(StepPut, errBroken))
	}
	err := s.Err()
	if len(s.failures) != mostFailures || !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "and 99900 more") {
		t.Errorf("%d are kept: %.200s", len(s.failures), err)
	}
}
