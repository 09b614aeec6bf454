package cli

import (
	"testing"
	"time"
)

// Every verb reads what the first version wrote.
func TestSchema1(t *testing.T) {
	s := newShelf(t)
	s.store.Load(t, "../testdata/schema-1")
	s.cfg.Prefix = "evidence"
	s.now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	s.store.Journal.Shift(time.Until(s.now))
	s.session("schema-1")
}
