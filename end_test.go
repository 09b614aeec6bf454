package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// SIGTERM starts no new pods; those in flight are finished, and the summary
// comes.
func TestInterrupted(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		w := newStubs(t)
		w.addPods(20)
		release, reached := make(chan struct{}), make(chan struct{})
		var once sync.Once
		w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
			if strings.HasSuffix(req.URL.Path, "/log") {
				once.Do(func() { close(reached) })
				<-release
			}
			return false
		})
		w.journal.Mark()
		cmd, output := w.command("RECLAIM_CONCURRENCY=2")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-reached
		cmd.Process.Signal(signal)
		time.Sleep(500 * time.Millisecond) // lets the signal arrive; too early makes the test weaker, not wrong
		close(release)
		cmd.Wait()
		e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
		e.expect(t, code, "a summary that adds up", e.summary.Sum() == 20 && e.summary.Remaining >= 16)
	}
}

// hangAt makes requests whose path has this end hang until the test is over, and
// closes reached at the first one.
func (w *stubs) hangAt(pathEnd string) (reached chan struct{}) {
	reached = make(chan struct{})
	end := make(chan struct{})
	w.t.Cleanup(func() { close(end) })
	var once sync.Once
	w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, pathEnd) {
			return false
		}
		once.Do(func() { close(reached) })
		<-end
		return true
	})
	return reached
}

// interrupt starts a run and sends SIGTERM when it is where it is wanted, and
// again if it is to be sent often.
func (w *stubs) interrupt(reached chan struct{}, often bool, env ...string) (*exec.Cmd, ended) {
	w.t.Helper()
	w.journal.Mark()
	cmd, output := w.command(env...)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	<-reached
	cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		cmd.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return cmd, read(w.t, cmd.ProcessState.ExitCode(), output.Bytes())
		case <-time.After(100 * time.Millisecond):
			if often {
				cmd.Process.Signal(syscall.SIGTERM)
			}
		}
	}
}

// A pod in flight that never ends is given up, which is no failure of that pod:
// summary and end.json come, and it is no success.
func TestInterruptedWithAPodThatHangs(t *testing.T) {
	t.Parallel()
	w, p := newStubs(t), newPushgateway(t)
	w.addPods(5)
	_, e := w.interrupt(w.hangAt("/pods/p-001/log"), false, "RECLAIM_CONCURRENCY=2", "RECLAIM_PUSHGATEWAY_URL="+p.URL)
	e.expect(t, 143, "a summary that adds up, no pod failed", e.summary.Listed == 5 && e.summary.Sum() == 5 && e.summary.Remaining == 5)
	if w.journal.Count("store", "PUT", "/end.json") != 1 {
		t.Error("end.json is not there")
	}
	_, success := p.value(theGroup, "last_success_timestamp_seconds")
	if _, started := p.value(theGroup, "run_start_timestamp_seconds"); success || !started {
		t.Errorf("pushed: %v, as a success: %v", started, success)
	}
}

// A list or a preflight that is interrupted touches no pod.
func TestInterruptedBeforeTheFirstPod(t *testing.T) {
	for _, path := range []string{"/api/v1/pods", "/selfsubjectaccessreviews", "/start.json"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.addPods(3)
			_, e := w.interrupt(w.hangAt(path), false)
			e.expect(t, 143, "no pod touched", e.summary.Remaining == e.summary.Listed && len(w.api.Names()) == 3)
		})
	}
}

// A second signal ends the program at once, whatever hangs.
func TestSecondSignal(t *testing.T) {
	w := newStubs(t)
	w.addPods(3)
	cmd, _ := w.interrupt(w.hangAt("/log"), true)
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended by itself: %v", cmd.ProcessState)
	}
}

// The summary file gets the summary, or why the run failed, if it is there.
func TestSummaryFile(t *testing.T) {
	w := newStubs(t)
	w.addPods(2)
	file := filepath.Join(t.TempDir(), "termination-log")
	e := w.run("RECLAIM_SUMMARY_FILE=" + file)
	e.expect(t, 0, "no file made", e.summary.Deleted == 2 && !exists(file))
	write(t, file, strings.Repeat("old", 5000))
	for _, c := range []struct {
		code int
		says string
	}{{0, `"listed":0`}, {1, "ARCHIVE_BUCKET"}} {
		bucket := w.env["ARCHIVE_BUCKET"]
		if c.code == 1 {
			bucket = "another"
		}
		e = w.run("RECLAIM_SUMMARY_FILE="+file, "ARCHIVE_BUCKET="+bucket)
		text, err := os.ReadFile(file)
		e.expect(t, c.code, c.says+" in the file: "+string(text), err == nil && len(text) <= 4096 && json.Valid(text) && strings.Contains(string(text), c.says))
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	w.run("RECLAIM_SUMMARY_FILE="+t.TempDir()).expect(t, 0, "a directory does no harm", true)
	for name, file := range map[string]string{"no space": "/dev/full", "read only": "/proc/version", "a pipe that nobody reads": pipe} {
		e := w.run("RECLAIM_SUMMARY_FILE=" + file)
		e.expect(t, 0, name+": a line says so", strings.Contains(e.output, "RECLAIM_SUMMARY_FILE"))
	}
}
