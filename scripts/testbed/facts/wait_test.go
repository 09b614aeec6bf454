package facts

import (
	"testing"
	"time"
)

// patience is how long a test waits for anything: far longer than it takes, so
// that only a thing that never comes fails.
const patience = 2 * time.Minute

// eventually waits until check returns nil. The last error says what it saw
// instead.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	within(t, patience, what, check)
}

func within(t *testing.T, limit time.Duration, what string, check func() error) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not after %v: %s: %v", limit, what, err)
		}
	}
}
