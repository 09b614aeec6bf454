package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal lets the program run with a terminal as stdout and stderr, and
// returns what it showed there.
func (w *stubs) onTerminal(env ...string) (code int, shown string) {
	w.t.Helper()
	w.journal.Mark()
	cmd, _ := w.command(env...)
	terminal, tty, err := pty.Open()
	if err != nil {
		w.t.Fatal(err)
	}
	defer terminal.Close()
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	tty.Close()
	all, err := io.ReadAll(terminal)
	if err != nil && !strings.Contains(err.Error(), "input/output error") { // how the end of a terminal reads
		w.t.Fatal(err)
	}
	cmd.Wait() // the exit code is looked at
	return cmd.ProcessState.ExitCode(), string(all)
}

// A bar is shown to people at a terminal only, and every line is still whole.
func TestBar(t *testing.T) {
	for name, c := range map[string]struct {
		format   string
		terminal bool
	}{"console": {"console", true}, "json": {"json", true}, "console into a file": {"console", false}} {
		t.Run(name, func(t *testing.T) {
			w := newStubs(t)
			w.addPods(20)
			var code int
			var shown string
			if c.terminal {
				code, shown = w.onTerminal("LOG_FORMAT=" + c.format)
			} else {
				w.journal.Mark()
				cmd, output := w.command("LOG_FORMAT=" + c.format)
				cmd.Run() // the exit code is looked at
				code, shown = cmd.ProcessState.ExitCode(), output.String()
			}
			if want := c.terminal && c.format == "console"; strings.Contains(shown, "/20") != want || code != 0 {
				t.Errorf("exit code %d, a bar is wanted: %v:\n%q", code, want, shown)
			}
			finished := 0
			for line := range strings.Lines(shown) {
				line = line[strings.LastIndex(strings.TrimRight(line, "\r\n"), "\r")+1:] // what stands when the line is over
				if strings.Contains(line, "deleted") && strings.Contains(line, "p-0") && !strings.Contains(line, "%") {
					finished++
				}
			}
			if finished != 20 {
				t.Errorf("%d whole lines of 20 pods:\n%q", finished, shown)
			}
		})
	}
}

// The bar needs no terminal to be no bar.
func TestNoBar(t *testing.T) {
	var cfg config
	cfg.Log.Format = "console"
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, w := range []io.Writer{io.Discard, null} {
		if newBar(cfg, w) != nil {
			t.Errorf("a bar on %T", w)
		}
	}
}
