package reclaim

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// aged is a listed pod that finished this many hours ago.
func aged(hours int) *ref {
	return &ref{name: fmt.Sprint(hours), finish: Finish{At: now.Add(-time.Duration(hours) * time.Hour)}}
}

func refs(hours ...int) []*ref {
	var all []*ref
	for _, h := range hours {
		all = append(all, aged(h))
	}
	return all
}

func clock() time.Time { return now }

// turn takes one pod and says which: "archive 5" or "release 5"; empty: none.
func turn(q *queue) (string, ref) {
	switch p, s := q.take(); {
	case p != nil:
		return "archive " + p.name, *p
	case s != nil:
		return "release " + s.name, s.ref
	}
	return "", ref{}
}

// order is what one worker does if archiving ends as after says.
func order(q *queue, after func(ref) (next *stored, found bool)) []string {
	var all []string
	for {
		what, p := turn(q)
		if what == "" {
			return all
		}
		all = append(all, what)
		if what == "archive "+p.name {
			q.done(after(p))
		} else {
			q.done(nil, false)
		}
	}
}

func TestQueueOrder(t *testing.T) {
	archived := func(p ref) (*stored, bool) { return &stored{ref: p}, false }
	found := func(p ref) (*stored, bool) { return &stored{ref: p}, true }
	kept := func(ref) (*stored, bool) { return nil, false }
	foundKept := func(ref) (*stored, bool) { return nil, true }
	for _, tt := range []struct {
		name  string
		pods  []*ref
		after func(ref) (*stored, bool)
		want  []string
	}{
		{"none", nil, archived, nil},
		{"oldest first", refs(1, 3, 2), kept, []string{"archive 3", "archive 2", "archive 1"}},
		{"in turn", refs(1, 2, 3), archived, []string{"archive 3", "release 3", "archive 2", "release 2", "archive 1", "release 1"}},
		{"found ones cost no turn", refs(1, 2, 3, 4), func(p ref) (*stored, bool) {
			if p.name == "4" || p.name == "3" {
				return found(p)
			}
			return archived(p)
		}, []string{"archive 4", "archive 3", "archive 2", "release 4", "archive 1", "release 3", "release 2", "release 1"}},
		{"found and kept ones neither", refs(1, 2, 3, 4), func(p ref) (*stored, bool) {
			if p.name == "4" {
				return archived(p)
			}
			return foundKept(p)
		}, []string{"archive 4", "release 4", "archive 3", "archive 2", "archive 1"}},
		{"all found: nothing is forgotten", refs(1, 2), found, []string{"archive 2", "archive 1", "release 2", "release 1"}},
	} {
		q := newQueue(t.Context(), tt.pods, time.Time{}, clock)
		if got := order(q, tt.after); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if left := slices.Collect(q.rest()); len(left) != 0 {
			t.Errorf("%s: %d pods are left", tt.name, len(left))
		}
	}
}

func TestQueueReleasesOldestFirst(t *testing.T) {
	q := newQueue(t.Context(), refs(1, 2, 3, 4, 5), time.Time{}, clock)
	var taken []ref
	for range 5 {
		_, p := turn(q)
		taken = append(taken, p)
	}
	for _, n := range []int{2, 0, 4, 1, 3} {
		q.done(&stored{ref: taken[n]}, false)
	}
	want := []string{"release 5", "release 4", "release 3", "release 2", "release 1"}
	if got := order(q, nil); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Found pods pile up only so far: then each one that comes is answered by a
// release.
func TestQueueHoldsOnlySoMany(t *testing.T) {
	var all []*ref
	for n := range mostStored + 100 {
		all = append(all, aged(n))
	}
	q := newQueue(t.Context(), all, time.Time{}, clock)
	archives, most := 0, 0
	order(q, func(p ref) (*stored, bool) {
		archives++
		most = max(most, len(q.toRelease)+1)
		return &stored{ref: p}, true
	})
	if archives != len(all) || most != mostStored {
		t.Errorf("%d were archived, and at most %d waited", archives, most)
	}
}

func TestQueueEndsAtTheDeadline(t *testing.T) {
	at := now
	q := newQueue(t.Context(), refs(1, 2, 3), now.Add(time.Minute), func() time.Time { return at })
	_, p := turn(q)
	at = now.Add(time.Minute - 1)
	if what, _ := turn(q); what != "archive 2" {
		t.Errorf("just before the deadline: %q", what)
	}
	at = now.Add(time.Minute)
	if what, _ := turn(q); what != "" {
		t.Errorf("at the deadline: %q", what)
	}
	q.done(&stored{ref: p, result: result{isArchived: true}}, false)
	q.done(nil, false)
	if what, _ := turn(q); what != "" {
		t.Errorf("after the deadline: %q", what)
	}
	var names []string
	for left := range q.rest() {
		names = append(names, left.ref.name)
		if left.Outcome != Remaining {
			t.Errorf("%s is %s", left.ref.name, left.Outcome)
		}
		if left.isArchived != (left.ref.name == "3") {
			t.Errorf("%s: what was stored of it is lost", left.ref.name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"1", "3"}) {
		t.Errorf("left: %q", names)
	}
}

func TestQueueWithoutDeadlineGoesOn(t *testing.T) {
	at := now
	q := newQueue(t.Context(), refs(1), time.Time{}, func() time.Time { return at })
	at = now.Add(10_000 * time.Hour)
	if what, _ := turn(q); what != "archive 1" {
		t.Errorf("got %q", what)
	}
}

func TestQueueStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := newQueue(ctx, refs(1, 2), time.Time{}, clock)
	turn(q)
	cancel()
	if what, _ := turn(q); what != "" {
		t.Errorf("after the end: %q", what)
	}
}

// A worker that has nothing to do waits for what others may still bring.
func TestQueueWorkerWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(q *queue, p ref, cancel func())
		want string
	}{
		{"until a pod may go", func(q *queue, p ref, _ func()) { q.done(&stored{ref: p}, false) }, "release 1"},
		{"until all are done", func(q *queue, _ ref, _ func()) { q.done(nil, false) }, ""},
		{"until the run is interrupted", func(_ *queue, _ ref, cancel func()) { cancel() }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				q := newQueue(ctx, refs(1), time.Time{}, clock)
				_, p := turn(q)
				got := make(chan string, 1)
				go func() {
					what, _ := turn(q)
					got <- what
				}()
				synctest.Wait()
				select {
				case what := <-got:
					t.Fatalf("did not wait, got %q", what)
				default:
				}
				tt.then(q, p, cancel)
				if what := <-got; what != tt.want {
					t.Errorf("got %q, want %q", what, tt.want)
				}
			})
		})
	}
}

func TestQueueLosesAndDoublesNothing(t *testing.T) {
	const pods, workers = 2000, 8
	for _, stopAfter := range []int{0, 700} { // 0: to the end
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all []*ref
		for n := range pods {
			all = append(all, aged(n))
		}
		q := newQueue(ctx, all, time.Time{}, clock)
		var mu sync.Mutex
		ended := map[string]int{}
		turns := 0
		end := func(name string) {
			mu.Lock()
			defer mu.Unlock()
			ended[name]++
		}
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for {
					p, s := q.take()
					switch {
					case p != nil && len(p.name)%2 == 0:
						q.done(&stored{ref: *p}, len(p.name) == 4)
					case p != nil:
						end(p.name)
						q.done(nil, false)
					case s != nil:
						end(s.name)
						q.done(nil, false)
					default:
						return
					}
					mu.Lock()
					if turns++; turns == stopAfter {
						cancel()
					}
					mu.Unlock()
				}
			})
		}
		running.Wait()
		left := slices.Collect(q.rest())
		if stopAfter == 0 && len(left) > 0 || stopAfter > 0 && len(left) == 0 {
			t.Errorf("stopped after %d turns: %d pods are left", stopAfter, len(left))
		}
		for _, r := range left {
			ended[r.ref.name]++
		}
		for n := range pods {
			if times := ended[fmt.Sprint(n)]; times != 1 {
				t.Errorf("stopped after %d turns: pod %d ended %d times", stopAfter, n, times)
			}
		}
	}
}
