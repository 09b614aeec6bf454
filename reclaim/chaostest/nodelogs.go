package chaostest

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const hold = "pod-reclaimer/hold"

// nodeLogs are copies of log files of the real node, made while a hold keeps
// the pod.
type nodeLogs struct {
	dir    string
	mu     sync.Mutex
	todo   map[string]*life             // ended, not yet copied, or still on hold
	copies map[string]map[string][]byte // by UID and "container/0.log"
	lost   map[string]bool              // UIDs of pods whose files are gone
}

func newNodeLogs(dir string) *nodeLogs {
	return &nodeLogs{dir: dir, todo: map[string]*life{}, copies: map[string]map[string][]byte{}, lost: map[string]bool{}}
}

// seen is told of every new state of a pod.
func (s *Series) seen(l *life) {
	if l.namespace != s.nodeNamespace || !terminal(l.last) {
		return
	}
	s.node.mu.Lock()
	defer s.node.mu.Unlock()
	if l.gone {
		delete(s.node.todo, l.uid)
	} else if s.node.copies[l.uid] == nil {
		s.node.todo[l.uid] = l
	}
}

// tend copies what has ended and takes the hold away.
func (n *nodeLogs) tend(s *Series) (left int) {
	n.mu.Lock()
	var todo []*life
	for _, l := range n.todo {
		todo = append(todo, l)
	}
	n.mu.Unlock()
	for _, l := range todo {
		files, err := n.read(l)
		if err != nil {
			continue
		}
		time.Sleep(50 * time.Millisecond)
		if again, err := n.read(l); err != nil || !same(files, again) {
			continue // still being written
		}
		n.mu.Lock()
		n.copies[l.uid] = files
		n.mu.Unlock()
		status := s.annotate(l, hold, nil)
		if status == http.StatusOK || status == http.StatusNotFound || status == http.StatusConflict {
			n.mu.Lock()
			delete(n.todo, l.uid)
			n.mu.Unlock()
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.todo)
}

// release waits until every pod of the node has ended and may go.
func (n *nodeLogs) release(s *Series) {
	for end := time.Now().Add(2 * time.Minute); n.tend(s) > 0 || s.nodeRuns(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("waited in vain for the node's pods to end, and the observer to copy their logs")
		}
	}
}

// nodeRuns tells whether a pod of the real node has not ended.
func (s *Series) nodeRuns() bool {
	return slices.ContainsFunc(s.history.all(), func(l *life) bool {
		return l.namespace == s.nodeNamespace && !l.gone && !terminal(l.last)
	})
}

func (n *nodeLogs) read(l *life) (map[string][]byte, error) {
	dir := filepath.Join(n.dir, fmt.Sprintf("%s_%s_%s", l.namespace, l.pod, l.uid))
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.log"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range paths {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func same(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for name, content := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(content, other) {
			return false
		}
	}
	return true
}

// copied tells whether the logs of a pod of the node are safe with the observer.
func (n *nodeLogs) copied(uid string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.copies[uid] != nil && n.todo[uid] == nil
}

func (n *nodeLogs) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.todo, n.copies, n.lost = map[string]*life{}, map[string]map[string][]byte{}, map[string]bool{}
}

// loseLogs removes the node's files of a pod that the observer has copied, as a
// node does that is short of disk.
func (s *Series) loseLogs(l *life) {
	n := s.node
	n.mu.Lock()
	again := n.lost[l.uid]
	n.lost[l.uid] = true
	n.mu.Unlock()
	paths, err := filepath.Glob(filepath.Join(n.dir, fmt.Sprintf("%s_%s_%s", l.namespace, l.pod, l.uid), "*", "*.log"))
	if again || err != nil || len(paths) == 0 {
		return
	}
	for _, path := range paths {
		os.Remove(path)
	}
	s.count("node: log files lost")
	s.journal.note("somebody: log files lost, %s/%s ", l.namespace, l.pod)
}

// hasLost tells whether the pod may have to wait for logs for ever.
func (n *nodeLogs) hasLost(uid string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost[uid]
}
