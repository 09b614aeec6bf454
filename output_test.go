package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// Lines are not sampled, and one failure among many is an exit code.
func TestOneOfManyFails(t *testing.T) {
	w := newStubs(t)
	w.addPods(250)
	w.refusePut("p-100")
	e := w.run()
	lines := 0
	for _, line := range e.lines {
		if line["outcome"] == "deleted" {
			lines++
		}
	}
	e.expect(t, 3, "249 deleted, one failed, a line for each", e.summary.Deleted == 249 && e.summary.Failed["put"] == 1 && lines == 249)
}

// refusePut makes the store forbid the bundles of one pod.
func (w *stubs) refusePut(pod string) {
	w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		refused := server == "store" && req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/"+pod+"/")
		if refused {
			archivetest.Refuse(rw, http.StatusForbidden, "AccessDenied")
		}
		return refused
	})
}

// Outputs that are closed, full or gone change neither what is done nor the exit
// code.
func TestOutputThatCannotBeWritten(t *testing.T) {
	device := func(path string) func(*testing.T, *exec.Cmd) {
		return func(t *testing.T, cmd *exec.Cmd) {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { file.Close() })
			cmd.Stdout, cmd.Stderr = file, file
		}
	}
	const many = 250 // more lines than a logger that samples would write
	for name, c := range map[string]struct {
		pods int
		set  func(*testing.T, *exec.Cmd)
	}{
		"full":    {20, device("/dev/full")},
		"nowhere": {many, device("/dev/null")},
		"closed": {many, func(_ *testing.T, cmd *exec.Cmd) {
			cmd.Args = []string{"sh", "-c", `exec "$0" >&- 2>&-`, cmd.Path}
			cmd.Path = "/bin/sh"
			cmd.Stdout, cmd.Stderr = nil, nil
		}},
		"a pipe": {many, func(_ *testing.T, cmd *exec.Cmd) {
			cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
		}},
		"a pipe that nobody reads from the start": {20, func(t *testing.T, cmd *exec.Cmd) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			t.Cleanup(func() { w.Close() })
			cmd.Stdout, cmd.Stderr = w, w
		}},
		"a pipe that nobody reads after a while": {20, func(t *testing.T, cmd *exec.Cmd) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				io.CopyN(io.Discard, r, 1000)
				r.Close()
			}()
			t.Cleanup(func() { w.Close() })
			cmd.Stdout, cmd.Stderr = w, w
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.addPods(c.pods)
			w.refusePut("p-010")
			w.journal.Mark()
			cmd, _ := w.command()
			c.set(t, cmd)
			cmd.Run() // the exit code is looked at
			if code := cmd.ProcessState.ExitCode(); code != 3 {
				t.Errorf("exit code %d: %v", code, cmd.ProcessState)
			}
			if left := w.api.Names(); len(left) != 1 || left[0] != "default/p-010" {
				t.Errorf("left: %v", left)
			}
		})
	}
}
