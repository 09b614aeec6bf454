package main

import (
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// barrier holds the first n callers back until all n are there.
type barrier struct {
	mu      sync.Mutex
	missing int
	all     chan struct{}
}

func newBarrier(n int) *barrier { return &barrier{missing: n, all: make(chan struct{})} }

func (b *barrier) wait(t testing.TB) {
	b.mu.Lock()
	b.missing--
	if b.missing == 0 {
		close(b.all)
	}
	b.mu.Unlock()
	select {
	case <-b.all:
	case <-time.After(2 * time.Minute):
		t.Error("the runs did not overlap: one waits in vain for the other")
	}
}

// overlap lets so many runs go on only together: at the start.json with which each
// begins once it has listed the pods, and if heads is set at the first HEAD of
// every bundle, so that all of them find that there is none.
func (w *world) overlap(runs int, heads bool) {
	begin := newBarrier(runs)
	var mu sync.Mutex
	first := map[string]*barrier{}
	w.journal.Before(func(server string, _ http.ResponseWriter, req *http.Request) bool {
		switch {
		case server != "store":
		case req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/start.json"):
			begin.wait(w.t)
		case heads && req.Method == http.MethodHead && strings.Contains(req.URL.Path, "/pods/"):
			mu.Lock()
			if first[req.URL.Path] == nil {
				first[req.URL.Path] = newBarrier(runs)
			}
			together := first[req.URL.Path]
			mu.Unlock()
			together.wait(w.t)
		}
		return false
	})
}

// Two runs at the same pods at once: none is lost, and none counted twice.
func TestTwoRunsOnRealNode(t *testing.T) {
	const pods = 6
	b := newNodeBed(t)
	b.loadImage()
	b.home = b.makeNamespace()
	b.install(b.onNode("base", "RECLAIM_NAMESPACES: "+b.namespace))
	b.endedPods(pods)
	b.overlap(2, true)
	b.inHome("create", "job", "--from="+b.cronJob(), "run-1")
	b.inHome("create", "job", "--from="+b.cronJob(), "run-2")
	deleted, archived := 0, 0
	for _, job := range []string{"run-1", "run-2"} {
		for _, e := range b.finished(job) {
			s := e.summary
			// changed: it is just being deleted by the other run
			if e.code != 0 || s.Listed != pods || s.Deleted+s.Gone+s.Kept["changed"] != pods {
				t.Errorf("%s ended as %+v", job, e)
			}
			deleted, archived = deleted+s.Deleted, archived+s.Archived
		}
	}
	if deleted != pods || archived != pods || len(b.podsIn()) != 0 {
		t.Errorf("the runs deleted %d pods and archived %d, want %d; left are %v", deleted, archived, pods, b.podsIn())
	}
}

// Three shards at once, as the overlay makes them: each pod is one shard's.
func TestThreeShardsOnRealNode(t *testing.T) {
	const pods = 9
	b := newNodeBed(t)
	b.loadImage()
	b.home = b.makeNamespace()
	b.install(b.onNode("overlays/sharded", "RECLAIM_NAMESPACES: "+b.namespace))
	b.endedPods(pods)
	busy := map[uint32]bool{} // shards that have a pod; one without has nothing to begin
	for _, uid := range strings.Fields(string(b.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.uid}"))) {
		sum := fnv.New32a()
		sum.Write([]byte(uid))
		busy[sum.Sum32()%3] = true
	}
	b.overlap(len(busy), false)
	b.inHome("create", "job", "--from="+b.cronJob(), "run-1")
	deleted, archived, others := 0, 0, 0
	runs := b.finished("run-1")
	for _, e := range runs {
		s := e.summary
		if e.code != 0 || s.Listed != pods || s.Deleted+s.Skipped["other-shard"] != pods {
			t.Errorf("a shard ended as %+v", e)
		}
		deleted, archived, others = deleted+s.Deleted, archived+s.Archived, others+s.Skipped["other-shard"]
	}
	if len(runs) != 3 || deleted != pods || archived != pods || others != 2*pods || len(b.podsIn()) != 0 {
		t.Errorf("%d shards deleted %d pods, archived %d and left %d to others; there are still %v", len(runs), deleted, archived, others, b.podsIn())
	}
}
