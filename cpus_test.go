package main

import (
	"runtime"
	"testing"
)

func TestHalfOfTheCPUs(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, c := range []struct {
		set       string
		has, uses int
	}{
		{"", 1, 1}, {"", 2, 1}, {"", 3, 1}, {"", 4, 2}, {"", 8, 4}, {"", 64, 4},
		{"3", 3, 3},
	} {
		t.Setenv("GOMAXPROCS", c.set)
		runtime.GOMAXPROCS(c.has)
		useFewCPUs()
		if got := runtime.GOMAXPROCS(0); got != c.uses {
			t.Errorf("GOMAXPROCS=%q, %d CPUs: uses %d, want %d", c.set, c.has, got, c.uses)
		}
	}
}
