package reclaim

import "sync"

// limit counts deletes against RECLAIM_MAX_PODS; 0 is no limit.
type limit struct {
	max int

	mu   sync.Mutex
	used int
}

// reserve takes the right to delete one pod.
func (l *limit) reserve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.max > 0 && l.used >= l.max {
		return false
	}
	l.used++
	return true
}

// giveBack returns a right that was not used.
func (l *limit) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used--
}
