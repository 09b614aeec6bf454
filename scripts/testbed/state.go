package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// state is what outlives a call: which ports are ours, which processes run.
type state struct {
	Created time.Time
	// Slot is the number of the block of ports and of the pod network.
	Slot  int
	Ports map[string]int
	// Parts holds the last process of each part, dead or alive.
	Parts map[string]identity
	// Watchdog is the process that ends the testbed when its time has come.
	Watchdog identity
	// Node says that this testbed has a real node.
	Node bool
	// Host is what the real node's programs change on the machine.
	Host hostState
	// Bin is the folder with the programs this testbed was started from.
	Bin string
	// SeaweedBin is the same for the second store, a module of its own.
	SeaweedBin string
}

// load reads state.json; a folder without one is an empty state, not an error.
func (t *testbed) load() error {
	text, err := os.ReadFile(t.path("state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.state = state{Ports: map[string]int{}, Parts: map[string]identity{}}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	if err := json.Unmarshal(text, &t.state); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	if t.Ports == nil {
		t.Ports = map[string]int{}
	}
	if t.Parts == nil {
		t.Parts = map[string]identity{}
	}
	return nil
}

// save replaces state.json in one step, so that a killed call leaves the old
// or the new one.
func (t *testbed) save() error {
	text, err := json.MarshalIndent(t.state, "", "  ")
	if err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	if err := writeFile(t.path("state.json"), text); err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	return nil
}

// others reads the state of every other testbed in the temp directory.
func (t *testbed) others() []*testbed {
	var all []*testbed
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), "testbed-*", "state.json"))
	for _, file := range dirs {
		o := &testbed{dir: filepath.Dir(file)}
		if o.dir != t.dir && o.load() == nil {
			all = append(all, o)
		}
	}
	return all
}

// writeFile writes a private file in one step.
func writeFile(path string, text []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
