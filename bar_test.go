package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

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
			w.journal.Mark()
			if c.terminal {
				cmd, screen := w.onTerminal("", "LOG_FORMAT="+c.format)
				var all bytes.Buffer
				io.Copy(&all, screen) // ends with an error when the program has ended
				cmd.Wait()            // the exit code is looked at
				code, shown = cmd.ProcessState.ExitCode(), all.String()
			} else {
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
