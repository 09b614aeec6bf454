package main

import (
	"fmt"
	"sync"
	"testing"
)

// together starts a run for each of these environments, all at once.
func (w *stubs) together(environments ...[]string) []ended {
	w.t.Helper()
	w.journal.Mark()
	ends := make([]ended, len(environments))
	var runs sync.WaitGroup
	for i, env := range environments {
		runs.Go(func() {
			cmd, output := w.command(env...)
			cmd.Run() // the exit code is looked at
			ends[i] = read(w.t, cmd.ProcessState.ExitCode(), output.Bytes())
		})
	}
	runs.Wait()
	return ends
}

// Two runs at once that both find no bundle of any pod: none is lost, none is
// counted twice, and there is one bundle of each.
func TestTwoRunsAtOnce(t *testing.T) {
	const pods = 20
	w := newStubs(t)
	w.addPods(pods)
	w.overlap(2, true)
	// with fewer workers each could wait for a pod that the other has not begun
	env := []string{fmt.Sprint("RECLAIM_CONCURRENCY=", pods)}
	deleted, archived := 0, 0
	for _, e := range w.together(env, env) {
		s := e.summary
		e.expect(t, 0, "each pod deleted or gone", s.Listed == pods && s.Sum() == pods && s.Deleted+s.Gone == pods)
		deleted, archived = deleted+s.Deleted, archived+s.Archived
	}
	if deleted != pods || archived != pods || len(w.api.Names()) != 0 || len(w.store.Bundles()) != pods {
		t.Errorf("deleted %d, archived %d, left %d, bundles %d", deleted, archived, len(w.api.Names()), len(w.store.Bundles()))
	}
}

// Ten shards at once: each pod is one's, whatever the others do.
func TestTenShardsAtOnce(t *testing.T) {
	const pods, shards = 20, 10
	w := newStubs(t)
	w.addPods(pods)
	w.overlap(shards, false)
	var environments [][]string
	for i := range shards {
		environments = append(environments, []string{fmt.Sprint("RECLAIM_SHARDS=", shards), fmt.Sprint("JOB_COMPLETION_INDEX=", i)})
	}
	deleted, archived, others := 0, 0, 0
	for _, e := range w.together(environments...) {
		s := e.summary
		e.expect(t, 0, "a sum that adds up, and nothing gone", s.Listed == pods && s.Sum() == pods && s.Deleted+s.Skipped["other-shard"] == pods)
		deleted, archived, others = deleted+s.Deleted, archived+s.Archived, others+s.Skipped["other-shard"]
	}
	if deleted != pods || archived != pods || others != (shards-1)*pods || len(w.api.Names()) != 0 || len(w.store.Bundles()) != pods {
		t.Errorf("deleted %d, archived %d, left to others %d, left %d, bundles %d", deleted, archived, others, len(w.api.Names()), len(w.store.Bundles()))
	}
}
