package main

import (
	"fmt"
	"os"
	"syscall"
)

// lock takes the exclusive lock of a file or folder, waiting for it; closing
// the result, or the end of the process, gives it back.
func lock(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

// lock takes the testbed for this call. The folder that was waited for may
// have been removed meanwhile; then a new one is made and waited for.
func (t *testbed) lock() (*os.File, error) {
	for {
		if err := os.MkdirAll(t.dir, 0o700); err != nil {
			return nil, fmt.Errorf("make run folder: %w", err)
		}
		f, err := lock(t.dir)
		if err != nil {
			return nil, err
		}
		held, err := f.Stat()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", t.dir, err)
		}
		if now, err := os.Stat(t.dir); err == nil && os.SameFile(held, now) {
			return f, nil
		}
		f.Close()
	}
}

// lockHost takes what all testbeds share: port blocks and the machine's own
// settings. The temp directory itself is the lock, so no file is left.
func lockHost() (*os.File, error) { return lock(os.TempDir()) }
