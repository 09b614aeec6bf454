package main

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
)

// The program is killed at every request of a run in turn, once before the
// server has done it and once after, which covers the time between any two
// steps. The next run finishes the pod: nothing is lost, nothing archived
// twice.
func TestKilledAtEveryStep(t *testing.T) {
	binary := build(t)
	killedAtEach(t, 15, 1, func(w *stubs) { w.binary = binary })
}

// Likewise when the bundle of an earlier run is renewed.
func TestKilledAtEveryStepOfARenewal(t *testing.T) {
	binary := buildEdited(t, []edit{withClock})
	killedAtEach(t, 12, 2, func(w *stubs) {
		w.binary = binary
		archivedLongAgo(w)
	})
}

// killedAtEach kills a run at each of its requests, of which there must be so
// many at least; in the end there must be so many bundles.
func killedAtEach(t *testing.T, requests, bundles int, prepare func(*stubs)) {
	t.Helper()
	n := 1
	for killedAt(t, prepare, n, bundles, false) {
		killedAt(t, prepare, n, bundles, true)
		n++
	}
	if n < requests {
		t.Errorf("a run made only %d requests", n-1)
	}
}

// killedAt kills a run at its nth request and tells whether there was one.
func killedAt(t *testing.T, prepare func(*stubs), n, bundles int, served bool) bool {
	t.Helper()
	reached := false
	t.Run(fmt.Sprintf("request %d, served: %v", n, served), func(t *testing.T) {
		w := newStubs(t)
		w.api.Add(ranPod("a", withInit))
		prepare(w)
		var count atomic.Int64
		var process atomic.Pointer[os.Process]
		started := make(chan struct{})
		kill := func() {
			<-started
			process.Load().Kill()
			process.Load().Wait()
			panic(http.ErrAbortHandler)
		}
		w.journal.Before(func(string, http.ResponseWriter, *http.Request) bool {
			if count.Add(1) == int64(n) && !served {
				kill()
			}
			return false
		})
		w.journal.After(func(string, *http.Request) {
			if count.Load() == int64(n) && served {
				kill()
			}
		})
		w.journal.Mark()
		cmd, _ := w.command("RECLAIM_CONCURRENCY=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		process.Store(cmd.Process)
		close(started)
		cmd.Wait()
		w.journal.Settle()
		reached = count.Load() >= int64(n)
		w.journal.Before(nil)
		w.journal.After(nil)
		w.run().expect(t, 0, "no failure", true)
		if left := w.api.Names(); len(left) != 0 {
			t.Errorf("the pod is still there")
		}
		if got := w.store.Bundles(); len(got) != bundles {
			t.Errorf("bundles: %v", got)
		}
	})
	return reached
}
