package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// compile runs `go build` in a module's folder and shows how far it is.
func compile(ctx context.Context, m module, out string, packages []string) error {
	total, err := countStale(ctx, m, packages)
	if err != nil {
		return err
	}
	args := append(append([]string{"build", "-v"}, m.flags...), "-o", out+"/")
	cmd := goCommand(ctx, m.dir, append(args, packages...)...)
	output, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	var compiled atomic.Int64
	done := make(chan struct{})
	go show(done, &compiled, total)
	other := countLines(output, &compiled)
	err = cmd.Wait()
	close(done)
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, other)
	}
	return nil
}

// goCommand ends with its context, and all compilers with it.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// countStale counts the packages that are not in Go's build cache yet: those
// that `go build -v` is going to name.
func countStale(ctx context.Context, m module, packages []string) (int, error) {
	format := `{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}`
	args := append(append([]string{"list", "-deps"}, m.flags...), "-f", format)
	cmd := goCommand(ctx, m.dir, append(args, packages...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	list, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w\n%s", err, problems.String())
	}
	return len(strings.Fields(string(list))), nil
}

// countLines counts the package paths in the output of `go build -v` and
// returns the last of what else it says.
func countLines(r io.Reader, compiled *atomic.Int64) string {
	var other []string
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading"):
		case strings.ContainsAny(line, " \t:#"):
			other = append(other, line)
		default:
			compiled.Add(1)
		}
	}
	if len(other) > 40 {
		other = other[len(other)-40:]
	}
	return strings.Join(other, "\n")
}

// show writes one line over and over on a terminal, elsewhere a line every
// quarter of a minute. Linking comes after the last package and is not counted.
func show(done <-chan struct{}, compiled *atomic.Int64, total int) {
	begin, every, end := time.Now(), 15*time.Second, "\n"
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		every, end = 500*time.Millisecond, "\r"
	}
	say := func(end string) {
		fmt.Fprintf(os.Stderr, "testbed: %d of %d packages compiled, %v %s",
			compiled.Load(), total, time.Since(begin).Round(time.Second), end)
	}
	for tick := time.NewTicker(every); ; {
		select {
		case <-tick.C:
			say(end)
		case <-done:
			say("\n")
			return
		}
	}
}
