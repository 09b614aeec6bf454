package reclaim

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

// mostStored is how many archived pods wait before they go first.
const mostStored = 10_000

// queue hands out pods to workers: those to archive and those that are archived
// and may go, each oldest finished first, in turn, so that neither a deadline
// nor a limit on deletes starves one of them. A pod that is found archived costs
// no turn, unless very many wait to be released: each takes some KiB.
type queue struct {
	mu     sync.Mutex
	change *sync.Cond

	toArchive []*ref
	toRelease byFinish
	inFlight  int
	released  bool // the last turn was a release
	until     time.Time
	now       func() time.Time
	stop      context.Context
}

func newQueue(ctx context.Context, refs []*ref, until time.Time, now func() time.Time) *queue {
	slices.SortStableFunc(refs, func(a, b *ref) int { return a.finish.At.Compare(b.finish.At) })
	q := &queue{toArchive: refs, until: until, now: now, stop: ctx}
	q.change = sync.NewCond(&q.mu)
	context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.change.Broadcast()
	})
	return q
}

// take gives the next pod, either to archive or to release; both are nil when
// there is no more, the deadline has passed or the run is interrupted. It waits
// while other workers may still bring pods to release. Each pod taken must be
// given back with done.
func (q *queue) take() (*ref, *stored) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.over() || len(q.toArchive) == 0 && len(q.toRelease) == 0 && q.inFlight == 0 {
			q.change.Broadcast()
			return nil, nil
		}
		if len(q.toRelease) > 0 && (!q.released || len(q.toArchive) == 0 || len(q.toRelease) >= mostStored) {
			q.released = true
			q.inFlight++
			return nil, heap.Pop(&q.toRelease).(*stored)
		}
		if len(q.toArchive) > 0 {
			q.released = false
			q.inFlight++
			p := q.toArchive[0]
			q.toArchive[0] = nil // so that it can be freed
			q.toArchive = q.toArchive[1:]
			return p, nil
		}
		q.change.Wait()
	}
}

// done gives a taken pod back; next, if not nil, is the same pod, to release
// later. A pod that was found archived has cost no turn.
func (q *queue) done(next *stored, found bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inFlight--
	if next != nil {
		heap.Push(&q.toRelease, next)
	}
	if found {
		q.released = true
	}
	q.change.Broadcast()
}

func (q *queue) over() bool {
	return q.stop.Err() != nil || !q.until.IsZero() && !q.now().Before(q.until)
}

// rest is what is left when all workers have ended.
func (q *queue) rest() iter.Seq[result] {
	return func(yield func(result) bool) {
		for _, p := range q.toArchive {
			if !yield(p.outcome(Remaining)) {
				return
			}
		}
		for _, s := range q.toRelease {
			if !yield(s.with(s.outcome(Remaining))) {
				return
			}
		}
	}
}

// byFinish is a heap, oldest finished first.
type byFinish []*stored

func (h byFinish) Len() int { return len(h) }
func (h byFinish) Less(i, j int) bool {
	return cmp.Compare(h[i].finish.At.UnixNano(), h[j].finish.At.UnixNano()) < 0
}
func (h byFinish) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byFinish) Push(x any)   { *h = append(*h, x.(*stored)) }
func (h *byFinish) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil // so that it can be freed
	*h = old[:len(old)-1]
	return last
}
