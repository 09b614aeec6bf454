package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// measured is what some pods took.
type measured struct {
	pods     int
	took     time.Duration
	cpu      time.Duration // of the client
	servers  [len(serverNames)]time.Duration
	peak     int // MiB
	requests map[string]int
	bytes    int // of bundles
}

func (m *measured) add(more measured) {
	m.pods += more.pods
	m.took += more.took
	m.cpu += more.cpu
	for i, cpu := range more.servers {
		m.servers[i] += cpu
	}
	m.peak = max(m.peak, more.peak)
	m.bytes += more.bytes
	if m.requests == nil {
		m.requests = map[string]int{}
	}
	for kind, n := range more.requests {
		m.requests[kind] += n
	}
}

// allServers is the CPU time of the servers together.
func (m measured) allServers() (all time.Duration) {
	for _, cpu := range m.servers {
		all += cpu
	}
	return all
}

func (m measured) rate() float64 { return float64(m.pods) / m.took.Seconds() }

func (m measured) perPod() float64 {
	n := 0
	for _, count := range m.requests {
		n += count
	}
	return float64(n) / float64(m.pods)
}

// each is the number of requests a pod, of every kind.
func (m measured) each() string {
	var all []string
	for kind, n := range m.requests {
		all = append(all, fmt.Sprintf("%s %.3f", kind, float64(n)/float64(m.pods)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// serverNames are the testbed's names of what serves the pods, and of the store.
var serverNames = [...]string{"kube-apiserver", "etcd", "store"}

// servers are their processes.
type servers struct {
	b    *testing.B
	pids [len(serverNames)]int
}

// testbedServers finds them in the testbed's own state.
func testbedServers(b *testing.B) servers {
	text, err := os.ReadFile(filepath.Join(os.Getenv("TESTBED_DIR"), "state.json"))
	if err != nil {
		b.Fatal(err)
	}
	var state struct{ Parts map[string]struct{ PID int } }
	if err := json.Unmarshal(text, &state); err != nil {
		b.Fatal(err)
	}
	s := servers{b: b}
	for i, name := range serverNames {
		if s.pids[i] = state.Parts[name].PID; s.pids[i] == 0 {
			b.Fatalf("the testbed has no %s", name)
		}
	}
	return s
}

// cpu is the CPU time that they have used so far (proc(5): user and system time
// in hundredths of a second, the 14th and 15th field).
func (s servers) cpu() (used [len(serverNames)]time.Duration) {
	for i, pid := range s.pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			s.b.Fatal(err)
		}
		fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		for _, field := range fields[11:13] {
			n, err := strconv.Atoi(field)
			if err != nil {
				s.b.Fatal(err)
			}
			used[i] += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return used
}

// settle waits until they have done what was left of what came before: new pods are
// looked at by controllers.
func (s servers) settle() {
	for range 60 {
		before := s.start()
		time.Sleep(time.Second)
		if before.stop().allServers() < 150*time.Millisecond {
			return
		}
	}
}

// ownCPU is the CPU time of this process.
func ownCPU(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// stopwatch measures time, and the CPU time of servers.
type stopwatch struct {
	servers servers
	begin   time.Time
	cpu     [len(serverNames)]time.Duration
}

func (s servers) start() stopwatch { return stopwatch{s, time.Now(), s.cpu()} }

func (w stopwatch) stop() measured {
	m := measured{took: time.Since(w.begin), servers: w.servers.cpu()}
	for i, before := range w.cpu {
		m.servers[i] -= before
	}
	return m
}
