package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestUpDownLeavesNothing starts and ends a testbed TESTBED_ROUNDS times (once,
// if unset), as root with a real node that has run pods.
func TestUpDownLeavesNothing(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("TESTBED_ROUNDS"))
	name := testName("updown")
	before := machine(t, name)
	for round := range max(rounds, 1) {
		begin := time.Now()
		b := upForTest(t, name)
		if b.Node {
			runJob(t, b)
		}
		if err := down(name); err != nil {
			t.Fatalf("round %d: %v", round+1, err)
		}
		sameMachine(t, before, machine(t, name))
		t.Logf("round %d took %v", round+1, time.Since(begin).Round(100*time.Millisecond))
	}
}

// TestDownOfACrashedTestbed kills what keeps containers in order, forgets
// which processes there were, and still wants nothing left.
func TestDownOfACrashedTestbed(t *testing.T) {
	name := testName("crash")
	before := machine(t, name)
	b := upForTest(t, name)
	if b.Node {
		runJob(t, b)
	}
	for _, id := range b.Parts {
		if err := id.kill(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Watchdog.kill(); err != nil {
		t.Fatal(err)
	}
	b.Parts = nil
	if err := b.save(); err != nil {
		t.Fatal(err)
	}
	if err := down(name); err != nil {
		t.Fatal(err)
	}
	sameMachine(t, before, machine(t, name))
}

// TestSideBySide starts two testbeds at the same moment and ends one.
func TestSideBySide(t *testing.T) {
	names := []string{testName("left"), testName("right")}
	var both sync.WaitGroup
	for _, name := range names {
		both.Go(func() { upForTest(t, name) })
	}
	both.Wait()
	if t.Failed() {
		return
	}
	left, right := loaded(t, names[0]), loaded(t, names[1])
	if left.Slot == right.Slot {
		t.Errorf("both use block %d", left.Slot)
	}
	if err := down(left.name); err != nil {
		t.Fatal(err)
	}
	for part, id := range right.Parts {
		if !id.alive() {
			t.Errorf("%s of the other testbed is dead", part)
		}
	}
	if right.Node {
		runJob(t, right)
	}
}

func testName(what string) string { return fmt.Sprintf("%s-%d", what, os.Getpid()) }

// upForTest starts a testbed that this process owns; it is ended with the test.
func upForTest(t *testing.T, name string) *testbed {
	t.Helper()
	t.Cleanup(func() {
		if err := down(name); err != nil {
			t.Error(err)
		}
	})
	o := upOptions{node: os.Geteuid() == 0, owner: os.Getpid(), ttl: time.Hour, newGuard: true}
	if _, err := up(context.Background(), name, o); err != nil {
		t.Error(err)
		return newTestbed(name)
	}
	return loaded(t, name)
}

func loaded(t *testing.T, name string) *testbed {
	t.Helper()
	b := newTestbed(name)
	if err := b.load(); err != nil {
		t.Fatal(err)
	}
	return b
}
