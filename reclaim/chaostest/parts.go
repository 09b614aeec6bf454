package chaostest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// strikePart kills or freezes a part of the testbed for a while.
func (s *Series) strikePart(w weather) {
	if w.part == "" {
		return
	}
	time.Sleep(w.at)
	how, back := "kill", []string{"up", "--node"}
	if w.frozeIt {
		how, back = "stop", []string{"cont", w.part}
	}
	s.journal.note("%s %s", how, w.part)
	if err := s.cfg.Testbed(how, w.part); err != nil {
		s.t.Error(err)
		return
	}
	s.count(fmt.Sprintf("%s %s", map[bool]string{false: "kill", true: "freeze"}[w.frozeIt], w.part))
	time.Sleep(w.away)
	if err := s.cfg.Testbed(back...); err != nil {
		s.t.Error(err)
	}
	s.journal.note("%s is back", w.part)
}

// mend leaves all parts well.
func (s *Series) mend() {
	if err := s.cfg.Testbed("up", "--node"); err != nil {
		s.t.Fatal(err)
	}
}

// etcdURL finds the testbed's etcd.
func etcdURL(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("TESTBED_DIR"), "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct{ Ports map[string]int }
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d", state.Ports["etcd"])
}
