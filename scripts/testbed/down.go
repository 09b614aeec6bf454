package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// down ends everything that belongs to the testbed and removes its traces. It
// works from what it finds, so a testbed that is half up, crashed or gone is
// no error.
func down(name string) error {
	t := newTestbed(name)
	if err := t.checkName(); err != nil {
		return err
	}
	held, err := t.lock()
	if err != nil {
		return err
	}
	defer held.Close()
	if err := t.load(); err != nil {
		return err
	}
	if t.Watchdog.PID != os.Getpid() {
		if err := t.Watchdog.kill(); err != nil {
			return fmt.Errorf("end watchdog: %w", err)
		}
	}
	if err := t.killAll(); err != nil {
		return err
	}
	if err := t.removeNode(); err != nil {
		return err
	}
	if err := t.removeStore2Sockets(); err != nil {
		return err
	}
	return t.removeFolder()
}

// killAll ends the parts, kubelet and containerd first so that no container
// starts anew, then containers and whatever else carries the testbed's mark.
func (t *testbed) killAll() error {
	for _, part := range slices.Backward(partNames) {
		if err := t.Parts[part].kill(); err != nil {
			return fmt.Errorf("end %s: %w", part, err)
		}
	}
	for range 10 {
		if err := t.killContainers(); err != nil {
			return fmt.Errorf("end containers: %w", err)
		}
		left := processesMarked(t.mark())
		if len(left) == 0 {
			return nil
		}
		for _, id := range left {
			if err := id.kill(); err != nil {
				return fmt.Errorf("end %s: %w", t.mark(), err)
			}
		}
	}
	return fmt.Errorf("processes of %s come back faster than they end", t.dir)
}

// removeFolder tries again for a moment: a process that has just died may
// still have been writing.
func (t *testbed) removeFolder() error {
	var err error
	for range 20 {
		if err = os.RemoveAll(t.dir); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("remove run folder: %w", err)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
