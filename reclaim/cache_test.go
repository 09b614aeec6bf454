package reclaim

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCacheAsksAgainWhenStale(t *testing.T) {
	at, asked := now, 0
	c := newCache(func() time.Time { return at }, func(_ context.Context, name string) (string, error) {
		asked++
		return fmt.Sprint(name, asked), nil
	})
	for _, tt := range []struct {
		name  string
		after time.Duration
		key   string
		want  string
	}{
		{"first", 0, "a", "a1"},
		{"at once again", 0, "a", "a1"},
		{"another name", 0, "b", "b2"},
		{"just before it is stale", 30*time.Second - 1, "a", "a1"},
		{"stale", 30 * time.Second, "a", "a3"},
		{"fresh again", 59 * time.Second, "a", "a3"},
		{"the other became stale too", 59 * time.Second, "b", "b4"},
	} {
		at = now.Add(tt.after)
		if got, err := c.get(t.Context(), tt.key); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestCacheDoesNotKeepErrors(t *testing.T) {
	fail := true
	c := newCache(clock, func(context.Context, string) (int, error) {
		if fail {
			return 0, errBroken
		}
		return 7, nil
	})
	if _, err := c.get(t.Context(), "a"); err == nil {
		t.Error("the error is lost")
	}
	fail = false
	if got, err := c.get(t.Context(), "a"); got != 7 || err != nil {
		t.Errorf("then: %d, %v", got, err)
	}
}

func TestCacheDropsAStaleAnswerThatCannotBeRenewed(t *testing.T) {
	at, fail := now, false
	c := newCache(func() time.Time { return at }, func(context.Context, string) (int, error) {
		if fail {
			return 0, errBroken
		}
		return 7, nil
	})
	c.get(t.Context(), "a")
	at, fail = now.Add(stale), true
	if got, err := c.get(t.Context(), "a"); err == nil {
		t.Errorf("%d stands for an answer that is too old", got)
	}
}

func TestCacheAsksOnceForMany(t *testing.T) {
	var asked atomic.Int64
	c := newCache(clock, func(_ context.Context, name string) (string, error) {
		asked.Add(1)
		time.Sleep(time.Millisecond)
		return name, nil
	})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for n := range 10 {
				if got, _ := c.get(t.Context(), fmt.Sprint(n)); got != fmt.Sprint(n) {
					t.Errorf("%d: got %q", n, got)
				}
			}
		})
	}
	workers.Wait()
	if asked.Load() != 10 {
		t.Errorf("asked %d times for 10 names", asked.Load())
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(clock, func(_ context.Context, name string) (string, error) { return name, nil })
	for n := range 3*cacheSize + 1 {
		if got, _ := c.get(t.Context(), fmt.Sprint(n)); got != fmt.Sprint(n) {
			t.Fatalf("%d: got %q", n, got)
		}
		if len(c.byKey) > cacheSize {
			t.Fatalf("holds %d answers", len(c.byKey))
		}
	}
}
