package reclaim

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestLimit(t *testing.T) {
	l := &limit{max: 2}
	for n, want := range []bool{true, true, false, false} {
		if got := l.reserve(); got != want {
			t.Errorf("reservation %d: %v, want %v", n+1, got, want)
		}
	}
	l.giveBack()
	if !l.reserve() || l.reserve() {
		t.Error("what was given back can be had once")
	}
}

func TestNoLimit(t *testing.T) {
	l := &limit{}
	for range 10_000 {
		if !l.reserve() {
			t.Fatal("0 is no limit")
		}
	}
}

func TestLimitHoldsForManyWorkers(t *testing.T) {
	l := &limit{max: 100}
	var deleted atomic.Int64
	var workers sync.WaitGroup
	for n := range 8 {
		workers.Go(func() {
			for range 100 {
				if !l.reserve() {
					continue
				}
				if n%2 == 0 {
					l.giveBack()
					continue
				}
				deleted.Add(1)
			}
		})
	}
	workers.Wait()
	for l.reserve() {
		deleted.Add(1)
	}
	if deleted.Load() != 100 {
		t.Errorf("%d deleted, want 100", deleted.Load())
	}
}
