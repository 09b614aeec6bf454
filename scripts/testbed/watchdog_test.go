package main

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// TestOwnerGone wants the testbed to go when its owner does.
func TestOwnerGone(t *testing.T) {
	owner := exec.Command("sleep", "1000")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	go owner.Wait()
	name := testName("owner")
	t.Cleanup(func() { down(name) })
	before := machine(t, name)
	o := upOptions{owner: owner.Process.Pid, ttl: time.Hour, newGuard: true}
	if _, err := up(context.Background(), name, o); err != nil {
		t.Fatal(err)
	}
	b := loaded(t, name)
	if !b.Watchdog.alive() {
		t.Fatal("there is no watchdog")
	}
	owner.Process.Kill()
	eventually(t, "the run folder is gone", func() bool { return !exists(b.dir) })
	eventually(t, "the watchdog is gone", func() bool { return !b.Watchdog.alive() })
	sameMachine(t, before, machine(t, name))
}

// TestTimeOver wants the testbed to go when its time is over.
func TestTimeOver(t *testing.T) {
	name := testName("ttl")
	t.Cleanup(func() { down(name) })
	if _, err := up(context.Background(), name, upOptions{ttl: time.Hour, newGuard: true}); err != nil {
		t.Fatal(err)
	}
	b := loaded(t, name)
	if _, err := up(context.Background(), name, upOptions{ttl: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if loaded(t, name).Watchdog != b.Watchdog {
		t.Error("a repair changed the watchdog")
	}
	if _, err := up(context.Background(), name, upOptions{ttl: time.Second, newGuard: true}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the run folder is gone", func() bool { return !exists(b.dir) })
}
