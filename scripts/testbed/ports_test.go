package main

import (
	"maps"
	"net"
	"os"
	"testing"
)

func TestPortsAreApart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	one, two := bed(t, "one"), bed(t, "two")
	if one.Slot == two.Slot {
		t.Fatalf("both took block %d", one.Slot)
	}
	if len(portNames) > portsPerSlot {
		t.Errorf("%d ports in a block of %d", len(portNames), portsPerSlot)
	}
	for name, port := range one.Ports {
		if port >= 32768 {
			t.Errorf("port %d of %s is the kernel's to give away", port, name)
		}
	}
	again := newTestbed("one")
	if err := again.load(); err != nil {
		t.Fatal(err)
	}
	if err := again.choosePorts(); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(one.Ports, again.Ports) {
		t.Errorf("ports changed from %v to %v", one.Ports, again.Ports)
	}
}

func TestPortsOfOthersAreLeftAlone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first := bed(t, "first")
	if err := os.RemoveAll(first.dir); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", first.addr("kwok")) // anybody's program
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if second := bed(t, "second"); second.Slot == first.Slot {
		t.Errorf("block %d is in use and was taken", second.Slot)
	}
}

// bed is a run folder with ports and nothing else.
func bed(t *testing.T, name string) *testbed {
	t.Helper()
	b := newTestbed(name)
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := b.load(); err != nil {
		t.Fatal(err)
	}
	if err := b.choosePorts(); err != nil {
		t.Fatal(err)
	}
	return b
}
