package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestIdentityIsNotAReusedPID(t *testing.T) {
	self, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if !self.alive() {
		t.Error("this process is not alive")
	}
	earlier := identity{PID: self.PID, Start: self.Start - 1}
	if earlier.alive() {
		t.Error("a process with another start time is taken for this one")
	}
	if err := earlier.kill(); err != nil { // or this test ends here
		t.Error(err)
	}
	if (identity{}).alive() {
		t.Error("no process is alive")
	}
}

func TestSignals(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{"TESTBED_TEST=signals"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait()
	id, err := identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process carries its mark", func() bool { return len(processesMarked("TESTBED_TEST=signals")) == 1 })
	if len(processesMarked("TESTBED_TEST=sig")) != 0 {
		t.Error("half a mark is taken for the mark")
	}
	id.signal(syscall.SIGSTOP)
	eventually(t, "the process is frozen", id.stopped)
	id.signal(syscall.SIGCONT)
	eventually(t, "the process goes on", func() bool { return !id.stopped() })
	if err := id.kill(); err != nil || id.alive() {
		t.Errorf("kill: %v, alive: %v", err, id.alive())
	}
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !check(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so: %s", what)
		}
	}
}
