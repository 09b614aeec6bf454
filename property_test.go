package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/randomtest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

const (
	// propertyCases is how many random pods there are; with the race detector
	// on it is racedCases, and make test runs both.
	propertyCases = 2000
	racedCases    = 250
	// propertyWorld is how many of them share a cluster and a store.
	propertyWorld = 250
)

// Whatever pods there are, whatever goes wrong and whoever else is at work: the
// invariant holds, no bundle claims more than was captured, the summary adds
// up, and once nothing is wrong any more, every pod that should go goes.
//
// Each world has its own seed, which is in the name of its test. With
// PROPERTY_SEED the first world is that one again; PROPERTY_CASES is how many
// pods there are, for a longer series or for one world only.
func TestRandomPods(t *testing.T) {
	byDefault := uint64(propertyCases)
	if raced {
		byDefault = racedCases
	}
	cases := number(t, "PROPERTY_CASES", byDefault)
	seed := number(t, "PROPERTY_SEED", rand.Uint64N(1_000_000))
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "KUBECONFIG": reclaimtest.Kubeconfig(t, "http://api"), "AWS_ENDPOINT_URL_S3": "http://store",
		"AWS_ACCESS_KEY_ID": "testbed", "AWS_SECRET_ACCESS_KEY": "testbed-secret-key",
		"ARCHIVE_BUCKET": "bundles", "ARCHIVE_CLUSTER": "test", "ARCHIVE_SPOOL_DIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	for first := uint64(0); first < cases; first += propertyWorld {
		n := min(cases-first, propertyWorld)
		t.Run(fmt.Sprintf("PROPERTY_SEED=%d PROPERTY_CASES=%d", seed, n), func(t *testing.T) {
			w := randomtest.New(t, seed, int(n))
			synctest.Test(t, func(t *testing.T) { live(t, w) })
		})
		seed++
	}
}

func number(t *testing.T, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// live lets several runs go over one world while time goes on, in a bubble where
// waiting takes none, and judges what they did.
func live(t *testing.T, w *randomtest.World) {
	d := rand.New(rand.NewPCG(w.Seed, 1))
	time.Sleep(time.Duration(d.Int64N(int64(30 * 365 * 24 * time.Hour)))) // to any time of the day and of the year
	cfg := randomConfig(t, d)
	w.Open()
	defer w.Close()
	for _, pause := range []time.Duration{0, 40 * time.Minute, 25 * time.Hour} { // young, may go, grace over
		time.Sleep(pause)
		disturbed(t, d, w, cfg)
	}
	time.Sleep(100 * time.Hour)
	calm(t, w, cfg)
	calm(t, w, cfg) // a log must be missed twice
	if again := calm(t, w, cfg); again.Archived+again.Provisional+again.Deleted > 0 {
		t.Errorf("a run after one that did all found something to do: %+v", again)
	}
	report(t, append(w.Judge(), w.JudgeEnd()...))
}

// report fails the test for every finding, and explains the first few.
func report(t *testing.T, found []randomtest.Finding) {
	t.Helper()
	explained := map[*randomtest.Case]bool{}
	for _, f := range found {
		t.Errorf("%s", f.What)
		if !explained[f.Case] && len(explained) < 3 {
			t.Log(f.Case.Explain())
		}
		explained[f.Case] = true
	}
}
