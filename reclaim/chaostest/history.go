package chaostest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// life is all that etcd knows of one pod.
type life struct {
	namespace, pod, uid string
	states              map[string][]byte // by resourceVersion
	order               []string          // of resourceVersions
	last                *corev1.Pod       // its newest state
	gone                bool
}

// lastVersion is its newest resourceVersion. A delete with a grace period of 0
// first writes when it deletes, and then deletes; what counts is the state that
// it found.
func (l *life) lastVersion() string {
	n := len(l.order)
	if grace := l.last.DeletionGracePeriodSeconds; n > 1 && l.gone && l.last.DeletionTimestamp != nil && grace != nil && *grace == 0 {
		return l.order[n-2]
	}
	return l.order[n-1]
}

func (l *life) clone() *life {
	c := *l
	c.states, c.order = maps.Clone(l.states), slices.Clone(l.order)
	return &c
}

// history is every state of every pod of the series. It gives away copies.
type history struct {
	mu     sync.Mutex
	lives  map[string]*life // by UID
	byName map[string][]*life
	broken error
	// changed is told of every new state, while the lock is not held.
	changed func(*life)
}

// watchHistory begins now; it ends with the test.
func watchHistory(t testing.TB, etcd string, ours func(namespace string) bool, changed func(*life)) *history {
	h := &history{lives: map[string]*life{}, byName: map[string][]*life{}, changed: changed}
	revision, err := etcdRevision(etcd)
	if err != nil {
		t.Fatalf("ask etcd: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		err := watchEtcd(ctx, etcd, revision+1, func(c change) error {
			if !ours(c.namespace) {
				return nil
			}
			return h.see(c)
		})
		h.mu.Lock()
		defer h.mu.Unlock()
		h.broken = err
	})
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
	return h
}

func (h *history) see(c change) error {
	value, version := c.value, c.revision
	if c.last != nil {
		value, version = c.last, c.lastRevision
	}
	pod, err := decodePod(value)
	if err != nil {
		return fmt.Errorf("%s/%s at %d: %w", c.namespace, c.pod, c.revision, err)
	}
	h.mu.Lock()
	l := h.lives[string(pod.UID)]
	if l == nil {
		l = &life{namespace: c.namespace, pod: c.pod, uid: string(pod.UID), states: map[string][]byte{}}
		h.lives[l.uid] = l
		h.byName[c.namespace+"/"+c.pod] = append(h.byName[c.namespace+"/"+c.pod], l)
	}
	rv := strconv.FormatInt(version, 10)
	if _, known := l.states[rv]; !known {
		l.states[rv] = value
		l.order = append(l.order, rv)
	}
	l.last, l.gone = pod, c.last != nil
	copied := l.clone()
	h.mu.Unlock()
	h.changed(copied)
	return nil
}

// all are the lives so far, in the order of their names and births.
func (h *history) all() []*life {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*life
	for _, lives := range h.byName {
		for _, l := range lives {
			all = append(all, l.clone())
		}
	}
	slices.SortStableFunc(all, func(a, b *life) int {
		return slices.Compare([]string{a.namespace, a.pod}, []string{b.namespace, b.pod})
	})
	return all
}

// now is the living pod of this name.
func (h *history) now(namespace, pod string) *life {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.byName[namespace+"/"+pod] {
		if !l.gone {
			return l.clone()
		}
	}
	return nil
}

// forget drops everything; what still lives is forgotten too.
func (h *history) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lives, h.byName = map[string]*life{}, map[string][]*life{}
}

// await waits until all that has happened so far is in the history: until it
// has a pod that is made for this only.
func (h *history) await(t testing.TB, c *cluster, namespace, pod string) {
	t.Helper()
	path := "/api/v1/namespaces/" + namespace + "/pods"
	marker := map[string]any{"metadata": map[string]any{"name": pod}, "spec": map[string]any{
		"schedulerName": "nobody", "containers": []any{map[string]any{"name": "main", "image": "example/marker:1"}},
	}}
	if err := c.insist("POST", path, marker); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); h.now(namespace, pod) == nil; time.Sleep(20 * time.Millisecond) {
		h.mu.Lock()
		broken := h.broken
		h.mu.Unlock()
		if broken != nil || time.Now().After(end) {
			t.Fatalf("the observer sees nothing of etcd any more: %v", broken)
		}
	}
	if err := c.insist("DELETE", path+"/"+pod+"?gracePeriodSeconds=0", nil); err != nil {
		t.Fatal(err)
	}
}
