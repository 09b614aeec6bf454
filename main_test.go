package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// asProgram makes the test binary behave as the program: it runs with the race
// detector, as a process of its own.
const asProgram = "TEST_AS_PROGRAM"

// clockAhead sets the program's clock ahead, by a duration.
const clockAhead = "TEST_CLOCK_AHEAD"

// pushWait sets the program's pushTimeout.
const pushWait = "TEST_PUSH_WAIT"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		ahead, _ := time.ParseDuration(os.Getenv(clockAhead))
		now = func() time.Time { return time.Now().Add(ahead) }
		if wait, err := time.ParseDuration(os.Getenv(pushWait)); err == nil {
			pushTimeout = wait
		}
		main()
	}
	dir, err := os.MkdirTemp("", "pod-reclaimer-test-")
	if err != nil {
		panic(err)
	}
	released.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// world is what the program runs in: an API server and a store, both with one
// journal, and its environment.
type world struct {
	t       testing.TB
	journal *archivetest.Journal
	env     map[string]string
	binary  string
	// secrets must never be in the output.
	secrets []string
}

// newWorld checks the invariant when the test ends.
func newWorld(t testing.TB, j *archivetest.Journal, apiURL, storeURL, bucket string) *world {
	t.Helper()
	reclaimtest.Check(t, j)
	return &world{t: t, journal: j, binary: os.Args[0], secrets: []string{"testbed-secret-key"}, env: map[string]string{
		"HOME":    t.TempDir(),
		"PATH":    os.Getenv("PATH"),
		asProgram: "1",
		// The race detector would sleep for a second at the end of each run.
		"GORACE":                "atexit_sleep_ms=0",
		"KUBECONFIG":            reclaimtest.Kubeconfig(t, apiURL),
		"AWS_ENDPOINT_URL_S3":   storeURL,
		"AWS_ACCESS_KEY_ID":     "testbed",
		"AWS_SECRET_ACCESS_KEY": "testbed-secret-key",
		"ARCHIVE_BUCKET":        bucket,
		"ARCHIVE_CLUSTER":       "test",
		"ARCHIVE_SPOOL_DIR":     t.TempDir(),
		"RECLAIM_ARCHIVE_AFTER": "0s",
		"RECLAIM_DELETE_AFTER":  "0s",
	}}
}

// later sets all clocks ahead, the program's and the servers'.
func (w *world) later(ahead time.Duration) {
	w.env[clockAhead] = ahead.String()
	w.journal.Shift(ahead)
}

// ended is what a run of the program left.
type ended struct {
	code    int
	output  string
	lines   []map[string]any
	foreign []string // lines that are not ours
	summary summary
}

type summary = reclaimtest.Summary

// command is one run of the program that has not started.
func (w *world) command(env ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(w.binary)
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		cmd.Env = append(cmd.Env, name+"="+w.env[name])
	}
	cmd.Env = append(cmd.Env, env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	return cmd, &output
}

// run lets the program run, with these variables (NAME=value) beside the
// world's, and checks what must hold after every run: the summary's sum, the
// number of listed pods, nothing in the output but the log, and no
// secret, an empty spool.
func (w *world) run(env ...string) ended {
	w.t.Helper()
	before := w.journal.Len()
	w.journal.Mark()
	cmd, output := w.command(env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	e := read(w.t, cmd.ProcessState.ExitCode(), output.Bytes())
	for _, secret := range w.secrets {
		if strings.Contains(e.output, secret) {
			w.t.Errorf("the secret %s is in the output:\n%s", secret, e.output)
		}
	}
	if e.code != 2 && len(e.foreign) > 0 {
		w.t.Errorf("not every line is one of the log's: %q", e.foreign)
	}
	if e.summary.Sum() != e.summary.Listed {
		w.t.Errorf("listed %d, but the outcomes sum to %d", e.summary.Listed, e.summary.Sum())
	}
	if listed := reclaimtest.Listed(w.journal.Entries()[before:]); e.code != 2 && listed != e.summary.Listed {
		w.t.Errorf("the summary says %d listed, the API server's answers had %d", e.summary.Listed, listed)
	}
	if left, _ := os.ReadDir(w.env["ARCHIVE_SPOOL_DIR"]); len(left) > 0 {
		w.t.Errorf("the spool is not empty: %v", left)
	}
	return e
}

// runPastGrace runs with a grace that is over; twice if a pod waits for a log that
// the first run has missed.
func (w *world) runPastGrace(env ...string) ended {
	w.t.Helper()
	env = append(env, "RECLAIM_LOG_GRACE=1m")
	e := w.run(env...)
	if e.summary.Kept["log-wait"] > 0 {
		e = w.run(env...)
	}
	return e
}

func read(t testing.TB, code int, output []byte) ended {
	t.Helper()
	e := ended{code: code, output: string(output)}
	scanner := bufio.NewScanner(bytes.NewReader(output))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := map[string]any{}
		if json.Unmarshal(scanner.Bytes(), &line) != nil {
			e.foreign = append(e.foreign, scanner.Text())
			continue
		}
		e.lines = append(e.lines, line)
		if line["msg"] == "run finished" {
			if err := json.Unmarshal(scanner.Bytes(), &e.summary); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e
}

// expect compares exit code and summary.
func (e ended) expect(t testing.TB, code int, what string, ok bool) {
	t.Helper()
	if e.code != code || !ok {
		t.Errorf("want exit code %d and %s, got exit code %d:\n%s", code, what, e.code, e.output)
	}
}

// eventually waits for something that takes a moment; it fails after a limit
// that no healthy run reaches.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	pause := 20 * time.Millisecond
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(pause) {
		if ok() {
			return
		}
		pause = min(2*pause, 300*time.Millisecond)
	}
	t.Fatalf("waited in vain: %s", what)
}
