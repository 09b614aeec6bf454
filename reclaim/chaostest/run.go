package chaostest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// longest is how long a run may take once nothing is wrong any more; no healthy
// one takes nearly as long.
const longest = 4 * time.Minute

// run is one run of the program.
type run struct {
	series   *Series
	number   int
	calm     bool
	weather  weather
	dir      string
	requests atomic.Int64
	met      atomic.Int64 // faults of requests that are not aimed
	process  atomic.Pointer[os.Process]
	blown    sync.Once

	mu     sync.Mutex
	asked  map[string]int
	killed bool

	cmd    *exec.Cmd
	output bytes.Buffer
}

// again is how often this was asked before.
func (r *run) again(what string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[what]++
	return r.asked[what]
}

// count counts a request that begins or ends, and strikes when it is time.
func (r *run) count() {
	if r.requests.Add(1) == r.weather.after && r.weather.blow != "" {
		r.strike()
	}
}

// strike kills or freezes the program.
func (r *run) strike() {
	p := r.process.Load()
	if p == nil || r.calm {
		return
	}
	r.blown.Do(func() {
		r.series.count("program: " + r.weather.blow)
		r.series.journal.note("run %d: %s", r.number, r.weather.blow)
		switch r.weather.blow {
		case "kill":
			r.mu.Lock()
			r.killed = true
			r.mu.Unlock()
			p.Signal(syscall.SIGKILL)
		case "terminate":
			p.Signal(syscall.SIGTERM)
		case "freeze":
			p.Signal(syscall.SIGSTOP)
			time.AfterFunc(r.weather.frozen, func() { p.Signal(syscall.SIGCONT) })
		}
	})
}

// do lets the program run to its end.
func (r *run) do() error {
	s := r.series
	api := (&proxy{run: r, server: "api", target: s.api, client: s.apiClient}).serve()
	defer api.Close()
	store := (&proxy{run: r, server: "store", target: s.store, client: s.storeClient}).serve()
	defer store.Close()
	for _, dir := range []string{"spool", "home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o700); err != nil {
			return err
		}
	}
	if err := r.prepare(api.URL, store.URL); err != nil {
		return err
	}
	if r.weather.step != 0 {
		s.count("servers' clocks stepped")
	}
	s.journal.note("run %d begins: %s", r.number, strings.Join(r.weather.env, " "))
	if err := r.cmd.Start(); err != nil {
		return err
	}
	r.process.Store(r.cmd.Process)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(longest):
		r.cmd.Process.Signal(syscall.SIGQUIT) // prints where it is
		<-ended
		s.found(nil, "run %d did not end in %v:\n%s", r.number, longest, r.output.String())
	}
	s.journal.settle()
	s.journal.note("run %d ended: %v", r.number, r.cmd.ProcessState)
	return nil
}

// prepare makes the command. A spool that is full or read-only is a file system
// in a mount namespace of the program's own, so that it goes when it goes.
func (r *run) prepare(api, store string) error {
	kubeconfig := filepath.Join(r.dir, "kubeconfig")
	if err := reclaimtest.WriteKubeconfig(kubeconfig, api); err != nil {
		return err
	}
	spool := filepath.Join(r.dir, "spool")
	r.cmd = exec.Command(r.series.cfg.Program)
	if r.weather.spool != "" {
		option := map[string]string{"full": "size=64k", "read-only": "ro"}[r.weather.spool]
		r.cmd = exec.Command("sh", "-c", `mount -t tmpfs -o "$1" chaos "$2" && exec "$3"`, "sh", option, spool, r.series.cfg.Program)
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		r.series.count("spool " + r.weather.spool)
	}
	r.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.dir, "home"), "TMPDIR=" + filepath.Join(r.dir, "tmp"),
		"KUBECONFIG=" + kubeconfig, "AWS_ENDPOINT_URL_S3=" + store,
		"AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY"),
		"ARCHIVE_BUCKET=" + os.Getenv("TESTBED_BUCKET"), "ARCHIVE_CLUSTER=" + r.series.name, "ARCHIVE_SPOOL_DIR=" + spool,
		"ARCHIVE_RETENTION=7d,30d", "RECLAIM_ARCHIVE_AFTER=0s", "RECLAIM_LOG_IDLE_TIMEOUT=20s",
		"RECLAIM_NAMESPACES=" + strings.Join(r.series.namespaces, ","),
		Goroutines + "=" + filepath.Join(r.dir, "goroutines"),
	}, r.weather.env...)
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	return nil
}

// Goroutines is the variable with which the program that is tested writes its
// goroutines to a file, at its end.
const Goroutines = "TEST_GOROUTINES"

// wasKilled tells whether the program could not say how it ended.
func (r *run) wasKilled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.killed
}

// last reads the program's summary.
func (r *run) last() (*reclaimtest.Summary, error) {
	lines := strings.Split(strings.TrimSpace(r.output.String()), "\n")
	var last struct {
		Msg string
		reclaimtest.Summary
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		return nil, err
	}
	if last.Msg != "run finished" {
		return nil, errors.New("its last line is no summary")
	}
	return &last.Summary, nil
}
