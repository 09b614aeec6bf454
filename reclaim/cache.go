package reclaim

import (
	"context"
	"sync"
	"time"
)

// cacheSize bounds a cache; when it is full it starts anew. Pods come oldest
// first, so those that share an owner or a node come close together.
const cacheSize = 2000

// cache keeps answers by name for a while, and asks only once for a name that
// several workers want at the same time.
type cache[T any] struct {
	now   func() time.Time
	fetch func(ctx context.Context, name string) (T, error)
	mu    *sync.Mutex
	byKey map[string]*answer[T]
}

type answer[T any] struct {
	mu    sync.Mutex
	at    time.Time
	value T
}

func newCache[T any](now func() time.Time, fetch func(context.Context, string) (T, error)) cache[T] {
	return cache[T]{now: now, fetch: fetch, mu: &sync.Mutex{}, byKey: map[string]*answer[T]{}}
}

// get is the answer for name, at most stale old. Errors are not kept.
func (c *cache[T]) get(ctx context.Context, name string) (T, error) {
	c.mu.Lock()
	a := c.byKey[name]
	if a == nil {
		if len(c.byKey) >= cacheSize {
			clear(c.byKey)
		}
		a = &answer[T]{}
		c.byKey[name] = a
	}
	c.mu.Unlock()

	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.at.IsZero() && c.now().Sub(a.at) < stale {
		return a.value, nil
	}
	value, err := c.fetch(ctx, name)
	if err != nil {
		return value, err
	}
	a.value, a.at = value, c.now()
	return value, nil
}
