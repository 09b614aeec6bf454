package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/randomtest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// randomConfig is one of the configurations that change what is done.
func randomConfig(t *testing.T, d *rand.Rand) config {
	t.Helper()
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	classes := []string{"7d", "7d,30d", "30d,forever", "1d,400d,14d"}[d.IntN(4)]
	if err := cfg.Archive.Retention.UnmarshalText([]byte(classes)); err != nil {
		t.Fatal(err)
	}
	cfg.Archive.Tagging = d.IntN(4) > 0
	if d.IntN(4) == 0 {
		cfg.Archive.Compression = archive.Gzip
	}
	if d.IntN(4) == 0 {
		cfg.Archive.Verify = archive.VerifyRead
	}
	cfg.Reclaim.Concurrency = []int{8, 32, 100}[d.IntN(3)]
	cfg.Reclaim.LogsRequired = d.IntN(4) > 0
	cfg.Reclaim.DeleteAfter = []time.Duration{0, time.Hour}[d.IntN(2)]
	return cfg
}

// rules are what the world must know of the configuration.
func rules(cfg config) randomtest.Rules {
	r := randomtest.Rules{
		DeleteAfter: cfg.Reclaim.DeleteAfter, LogGrace: cfg.Reclaim.LogGrace, LogsRequired: cfg.Reclaim.LogsRequired,
		Default: cfg.Archive.Retention.Default().String(),
	}
	for _, c := range cfg.Archive.Retention {
		r.Classes = append(r.Classes, c.String())
	}
	return r
}

// disturbed is one run in which all goes wrong that can.
func disturbed(t *testing.T, d *rand.Rand, w *randomtest.World, cfg config) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	interrupted := d.IntN(10) == 0
	if interrupted {
		time.AfterFunc(time.Duration(d.Int64N(int64(time.Minute))), interrupt)
	}
	cfg.Reclaim.MaxPods = []int{0, 0, 0, 20}[d.IntN(4)]
	cfg.Reclaim.Deadline = []time.Duration{0, 0, 0, time.Minute}[d.IntN(4)]
	w.Begin(false, rules(cfg))
	s, err := runIn(ctx, t, w, cfg)
	code := exitCode(err, nil)
	failed := len(s.Failed) > 0
	switch {
	case code == 0 && failed, code == 3 && !failed:
		t.Errorf("exit code %d for %+v: %v", code, s, err)
	case !interrupted && !w.Shaken() && (code == 3) != failed:
		t.Errorf("exit code %d for %+v, and only pods met faults: %v", code, s, err)
	}
}

// calm is one run that nothing disturbs.
func calm(t *testing.T, w *randomtest.World, cfg config) summary {
	t.Helper()
	w.Begin(true, rules(cfg))
	s, err := runIn(t.Context(), t, w, cfg)
	if code := exitCode(err, nil); code != 0 {
		t.Errorf("exit code %d when nothing is wrong: %v", code, err)
	}
	return s
}

// runIn is one run of the program in the world, and what must hold after every
// run.
func runIn(ctx context.Context, t *testing.T, w *randomtest.World, cfg config) (summary, error) {
	t.Helper()
	before := w.Journal.Len()
	done, failure := reclaimIn(ctx, w, cfg)
	synctest.Wait() // no request is under way any more
	text, err := json.Marshal(done)
	if err != nil {
		t.Fatal(err)
	}
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Sum() != s.Listed {
		t.Errorf("listed %d, but the outcomes sum to %d", s.Listed, s.Sum())
	}
	if listed := reclaimtest.Listed(w.Journal.Entries()[before:]); listed != s.Listed {
		t.Errorf("the summary says %d listed, the API server's answers had %d", s.Listed, listed)
	}
	if n := w.Deleted(); s.Deleted > n || n > s.Deleted+s.Gone+s.Pending+s.Failed["delete"] {
		t.Errorf("%d pods were deleted, the summary says %+v", n, s)
	}
	if cfg.Reclaim.MaxPods > 0 && s.Deleted > cfg.Reclaim.MaxPods {
		t.Errorf("%d deleted, at most %d were allowed", s.Deleted, cfg.Reclaim.MaxPods)
	}
	return s, failure
}

// reclaimIn lets the program run in the world.
func reclaimIn(ctx context.Context, w *randomtest.World, cfg config) (reclaim.Summary, error) {
	reach := func(server http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
		return func(http.RoundTripper) http.RoundTripper { return server }
	}
	cluster, err := reclaim.Connect("test", reach(w.APITransport()))
	if err != nil {
		return reclaim.Summary{}, fmt.Errorf("connect: %w", err)
	}
	bucket, err := archive.Open(ctx, cfg.Archive, archive.Options{Now: time.Now, Wrap: reach(w.StoreTransport())})
	if err != nil {
		return reclaim.Summary{}, fmt.Errorf("open: %w", err)
	}
	r := &reclaim.Reclaimer{
		Config: cfg.Reclaim, ClusterName: cfg.Archive.Cluster, Classes: cfg.Archive.Retention, Compression: cfg.Archive.Compression,
		SpoolDir: cfg.Archive.SpoolDir, Cluster: cluster, Bucket: bucket, Log: zap.NewNop(), Now: time.Now,
	}
	return r.Run(ctx)
}
