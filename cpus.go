package main

import (
	"os"
	"runtime"
)

// mostCPUs is how many CPUs a run uses at most, also on a large node. One archives
// more than a hundred small pods a second.
const mostCPUs = 4

// useFewCPUs takes half of the CPUs that there are for this process. A run mostly waits
// for servers, and more threads for that are no faster and cost a tenth more CPU:
// they look for work and wake each other. Whoever sets GOMAXPROCS decides it.
func useFewCPUs() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(mostCPUs, max(1, runtime.GOMAXPROCS(0)/2)))
	}
}
