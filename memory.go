package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// leastGrowth is by how many percent the heap may grow until the next garbage
	// collection, so that 100,000 listed pods fit in 100 MiB.
	leastGrowth = 25
	// freeGrowth is by how much it may grow in any case, in bytes: most of the work
	// is not listing, and a collection for every few pods costs a quarter of the CPU.
	freeGrowth = 24 << 20
)

// collectOften is for the start: how many pods there are is not known yet. Whoever
// sets GOGC decides it.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(leastGrowth)
	}
}

// collectLess is for the rest of the run, when what is kept of all pods is known.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	runtime.GC() // or what is garbage counts as kept
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	debug.SetGCPercent(max(leastGrowth, int(freeGrowth*100/max(stats.HeapAlloc, 8<<20))))
}
