package chaostest

import "strings"

// countBundle counts what was compared.
func (s *Series) countBundle(b *bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.figures
	f.bundles++
	if b.provisional {
		f.provisional++
	}
	f.bytes += int64(b.size)
	if f.outcomes == nil {
		f.outcomes = map[string]int{}
	}
	for _, l := range b.opened.Index.Logs {
		f.outcomes[l.Outcome]++
		if l.Path != "" {
			f.logs++
		}
	}
}

// isDamaged tells, and counts, that the proxy has kept only half of a bundle.
func (s *Series) isDamaged(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damaged[key] {
		s.figures.damaged++
	}
	return s.damaged[key]
}

// readBefore tells whether this part of a record was read in an earlier round.
func (s *Series) readBefore(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.records[key]
	s.records[key] = true
	return seen
}

// hasDamaged tells whether the store keeps half of a bundle of this state.
// Whether a bundle is whole, a later run looks only when its pod may go.
func (s *Series) hasDamaged(l *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.damaged {
		if strings.Contains(key, "/"+l.uid+"_"+l.lastVersion()) {
			return true
		}
	}
	return false
}
