package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

const (
	// benchReplayed is how many pods are replayed at a time at most: all requests are
	// signed beforehand, which holds for a quarter of an hour.
	benchReplayed = 2500
	// benchSmall is how many pods those get that take their time.
	benchSmall = 200
	// benchBig: one pod in so many has logs of 1 MiB.
	benchBig = 50
)

// BenchmarkReclaim runs the program on BENCH_PODS pods of the testbed's fake
// node, and beside it what it is measured by. scripts/bench prints what it says.
func BenchmarkReclaim(b *testing.B) {
	bench, pods := newBench(b), benchPods(b)
	var product, replay measured
	// in turn, so that a machine that becomes slower or faster does so for both
	for i, turn := range "prrprppr" {
		if turn == 'p' {
			bench.seed(i, pods/4, pods/4/benchBig)
			product.add(bench.product(build(b), bench.namespaces(i)))
		} else {
			replayed := min(pods/4, benchReplayed)
			bench.seed(i, replayed, replayed/benchBig)
			replay.add(bench.replay(bench.namespaces(i), product))
		}
	}
	shell, slow := bench.shell(8), bench.slow(9)
	fmt.Printf("%-22s %8s %9s %9s %15s %9s %9s %9s\n", "", "pods", "pods/s", "CPU s", serverNames[0], serverNames[1], serverNames[2], "peak MiB")
	for _, m := range []struct {
		name string
		measured
	}{{"product", product}, {"replay of its requests", replay}, {"shell loop", shell}, {"product at 5 QPS", slow}} {
		fmt.Printf("%-22s %8d %9.1f %9.2f %15.2f %9.2f %9.2f %9d\n", m.name, m.pods, m.rate(), m.cpu.Seconds(),
			m.servers[0].Seconds(), m.servers[1].Seconds(), m.servers[2].Seconds(), m.peak)
	}
	fmt.Printf("requests a pod, product: %v\n", product.each())
	fmt.Printf("requests a pod, replay:  %v\n", replay.each())
	if p, r := product.perPod(), replay.perPod(); p > 1.05*r || r > 1.05*p {
		b.Errorf("the replay sends other requests than the product: %.2f and %.2f a pod", r, p)
	}
	fmt.Printf("the product's CPU is %.0f %% of that of API server, etcd and store; %d CPUs, %s\n",
		100*product.cpu.Seconds()/product.allServers().Seconds(), runtime.NumCPU(), runtime.Version())
	fmt.Printf("ratio_replay=%.2f ratio_shell=%.1f ratio_qps=%.1f pods_per_s=%.1f rss_mib=%d requests_per_pod=%.2f\n",
		product.rate()/replay.rate(), product.rate()/shell.rate(), product.rate()/slow.rate(), product.rate(), product.peak, product.perPod())
}

// benchPods is BENCH_PODS, of which each benchmark says what it is.
func benchPods(b *testing.B) int {
	pods, err := strconv.Atoi(os.Getenv("BENCH_PODS"))
	if err != nil || pods < 4 {
		b.Fatal("BENCH_PODS is a number from 4; run it by make bench N=1000")
	}
	return pods
}

// bench is a testbed to measure on, past all proxies.
type bench struct {
	*world
	b       *testing.B
	pushed  *pushgateway
	servers servers
	// concurrency is how many pods are in flight.
	concurrency int
}

func newBench(b *testing.B) *bench {
	if os.Getenv("TESTBED_NAME") == "" {
		b.Fatal("there is no testbed; run it by make bench")
	}
	bucket := os.Getenv("TESTBED_BUCKET")
	w := newWorld(b, &archivetest.Journal{}, "", os.Getenv("AWS_ENDPOINT_URL_S3"), bucket)
	for _, name := range []string{"KUBECONFIG", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		w.env[name] = os.Getenv(name)
	}
	w.env["ARCHIVE_CLUSTER"] = fmt.Sprint("bench-", time.Now().UnixNano())
	w.env["RECLAIM_LOG_GRACE"] = "1s" // evicted pods have no log to wait for
	p := newPushgateway(b)
	w.env["RECLAIM_PUSHGATEWAY_URL"] = p.URL
	bench := &bench{world: w, b: b, pushed: p, servers: testbedServers(b), concurrency: 32}
	b.Cleanup(func() { bench.testbed("seed", "--clean") })
	return bench
}

func (b *bench) testbed(args ...string) {
	b.b.Helper()
	if err := testbed(args...); err != nil {
		b.b.Fatal(err)
	}
}

// seed makes the pods of one slice, so many of them with logs of 1 MiB.
func (b *bench) seed(slice, pods, big int) {
	b.b.Helper()
	b.testbed("seed", "--pods", fmt.Sprint(pods-big), "--big", fmt.Sprint(big), "--namespaces", "1", "--first", fmt.Sprint(slice))
	b.servers.settle()
}

func (b *bench) namespaces(slice int) []string {
	return []string{fmt.Sprint("seed-big-", slice), fmt.Sprint("seed-", slice)}
}

// slow is the program with the client-side limits that client-go has by default.
func (b *bench) slow(slice int) measured {
	b.b.Helper()
	b.seed(slice, benchSmall, benchSmall/benchBig)
	return b.product(buildEdited(b.b, []edit{{"reclaim/client.go", "cfg.QPS = -1", "cfg.QPS, cfg.Burst = 5, 10"}}), b.namespaces(slice))
}

// product runs a program until all pods of the namespaces are gone.
func (b *bench) product(binary string, namespaces []string) measured {
	b.b.Helper()
	b.binary = binary
	cmd, output := b.command("RECLAIM_NAMESPACES="+strings.Join(namespaces, ","), fmt.Sprint("RECLAIM_CONCURRENCY=", b.concurrency))
	watch := b.servers.start()
	if err := cmd.Start(); err != nil {
		b.b.Fatal(err)
	}
	peak := watchPeak(b.b, cmd.Process.Pid)
	cmd.Wait() // the exit code is looked at
	m := watch.stop()
	e := read(b.b, cmd.ProcessState.ExitCode(), output.Bytes())
	if e.code != 0 || e.summary.Listed == 0 || e.summary.Deleted != e.summary.Listed {
		for _, line := range e.lines {
			if line["level"] != "info" {
				b.b.Log(line)
			}
		}
		b.b.Fatalf("exit code %d, %+v", e.code, e.summary)
	}
	m.pods, m.peak = e.summary.Deleted, peak()
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.requests = b.pushedValues("pod_reclaimer_request_duration_seconds", "server", "method")
	m.bytes = b.pushedValues("pod_reclaimer_bytes", "kind", "")["bundles"]
	return m
}

// pushedValues are the values of one metric, by the values of two of its labels.
func (b *bench) pushedValues(name, first, second string) map[string]int {
	b.pushed.mu.Lock()
	defer b.pushed.mu.Unlock()
	all := map[string]int{}
	for _, group := range b.pushed.groups {
		for _, m := range group[name].GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			key := strings.TrimSpace(labels[first] + " " + strings.ToUpper(labels[second]))
			all[key] += int(m.GetHistogram().GetSampleCount()) + int(m.GetGauge().GetValue())
		}
	}
	return all
}

// shell does the same by a script as people write it.
func (b *bench) shell(slice int) measured {
	b.b.Helper()
	b.seed(slice, benchSmall, benchSmall/benchBig)
	cmd := exec.Command("scripts/bench-shell", b.namespaces(slice)...)
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("TESTBED_BIN")+string(filepath.ListSeparator)+os.Getenv("PATH"), "PREFIX="+b.env["ARCHIVE_CLUSTER"])
	watch := b.servers.start()
	output, err := cmd.Output()
	m := watch.stop()
	if err != nil {
		b.b.Fatalf("shell loop: %v\n%s", err, output)
	}
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.pods, err = strconv.Atoi(strings.TrimSpace(string(output)))
	if err != nil {
		b.b.Fatal(err)
	}
	return m
}

// watchPeak looks at the memory of a process again and again; the answer is the
// most it had, in MiB.
func watchPeak(b *testing.B, pid int) (peak func() int) {
	var mu sync.Mutex
	most, quit := 0, make(chan struct{})
	go func() {
		for {
			select {
			case <-quit:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if mib, err := highWaterOf(pid); err == nil {
				mu.Lock()
				most = max(most, mib)
				mu.Unlock()
			}
		}
	}()
	return func() int {
		close(quit)
		mu.Lock()
		defer mu.Unlock()
		return most
	}
}
