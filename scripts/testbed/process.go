package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// identity names one process for ever: a pid comes back, a pid with its start
// time (clock ticks since boot) does not.
type identity struct {
	PID   int
	Start uint64
}

// identify reads the identity of a live process.
func identify(pid int) (identity, error) {
	_, start, err := procStat(pid)
	return identity{PID: pid, Start: start}, err
}

// procState is the state letter of this very process, or 0 when it is gone. A
// zombie is gone: its parent has only not looked yet.
func (id identity) procState() byte {
	if id.PID == 0 {
		return 0
	}
	letter, start, err := procStat(id.PID)
	if err != nil || start != id.Start || letter == 'Z' || letter == 'X' {
		return 0
	}
	return letter
}

func (id identity) alive() bool   { return id.procState() != 0 }
func (id identity) stopped() bool { return id.procState() == 'T' }

// signal does nothing to a process that is gone.
func (id identity) signal(sig syscall.Signal) error {
	if !id.alive() {
		return nil
	}
	err := syscall.Kill(id.PID, sig)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// kill ends the process and waits until it is gone.
func (id identity) kill() error {
	if err := id.signal(syscall.SIGKILL); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); id.alive(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("process %d does not end", id.PID)
		}
	}
	return nil
}

// procStat reads state and start time from /proc/PID/stat. The command name in
// it may hold spaces and parentheses, so fields count from the last ')'.
func procStat(pid int) (letter byte, start uint64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rest, ok := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return 0, 0, fmt.Errorf("read /proc/%d/stat: %q", pid, text)
	}
	start, err = strconv.ParseUint(fields[19], 10, 64)
	return fields[0][0], start, err
}

// processesMarked finds every live process that was started with this entry in
// its environment, also by a part (a container's shim inherits it).
func processesMarked(entry string) []identity {
	var found []identity
	want := []byte("\x00" + entry + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), want) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if id, err := identify(pid); err == nil && pid != os.Getpid() && id.alive() {
			found = append(found, id)
		}
	}
	return found
}
