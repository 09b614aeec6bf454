package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// part is one long-running program of a testbed.
type part struct {
	name string
	// program is the file in the folder of built programs, if not the name.
	program string
	args    []string
	// ready returns nil once the part really answers.
	ready func(context.Context) error
	// patience is how long a start may take; zero means three minutes.
	patience time.Duration
}

// mark is in the environment of every process of this testbed and of their
// children, and of nothing else.
func (t *testbed) mark() string { return "TESTBED_RUN_FOLDER=" + t.dir }

// ensure leaves all of these parts running and ready, whatever it finds:
// nothing, a dead process, a frozen one, or one that is well. They start
// together; what needs another part to be ready belongs in a later call.
func (t *testbed) ensure(ctx context.Context, parts ...part) error {
	exited := map[string]chan error{}
	for _, p := range parts {
		exited[p.name] = make(chan error, 1)
		if err := t.wake(p, exited[p.name]); err != nil {
			return fmt.Errorf("start %s: %w", p.name, err)
		}
	}
	for _, p := range parts {
		if err := t.wait(ctx, p, exited[p.name]); err != nil {
			return fmt.Errorf("start %s: %w\n%s", p.name, err, t.logEnd(p.name, 20))
		}
	}
	return nil
}

// wake lets a frozen process go on, starts a dead one, and leaves a live one.
func (t *testbed) wake(p part, exited chan<- error) error {
	id := t.Parts[p.name]
	if id.stopped() {
		progress("%s was frozen; it goes on", p.name)
		return id.signal(syscall.SIGCONT)
	}
	if id.alive() {
		return nil
	}
	progress("start %s", p.name)
	return t.start(p, exited)
}

// start runs the part in a session of its own, so that it outlives this call,
// and notes who it is before anything else can happen.
func (t *testbed) start(p part, exited chan<- error) error {
	logFile, err := os.OpenFile(t.log(p.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	program := p.program
	if program == "" {
		program = p.name
	}
	cmd := exec.Command(t.bin(program), p.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.dir, logFile, logFile
	cmd.Env = []string{"HOME=" + t.dir, "TMPDIR=" + os.TempDir(), "GOGC=200", "PATH=" + t.Bin + ":/usr/sbin:/usr/bin:/sbin:/bin", t.mark()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { exited <- cmd.Wait() }()
	id, err := identify(cmd.Process.Pid)
	if err != nil {
		return err
	}
	t.Parts[p.name] = id
	return t.save()
}

// wait polls until the part is ready, has ended, or its time is over.
func (t *testbed) wait(ctx context.Context, p part, exited <-chan error) error {
	if p.patience == 0 {
		p.patience = 3 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	for {
		try, stop := context.WithTimeout(ctx, 5*time.Second)
		err := p.ready(try)
		stop()
		if err == nil {
			return nil
		}
		select {
		case end := <-exited:
			return fmt.Errorf("it ended (%v)", end)
		case <-ctx.Done():
			return fmt.Errorf("not ready after %v: %w", p.patience, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// logEnd is the last lines of a part's log, each set off for a message.
func (t *testbed) logEnd(part string, lines int) string {
	text, err := os.ReadFile(t.log(part))
	if err != nil {
		return "  (no log)"
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return fmt.Sprintf("end of %s:\n  %s", t.log(part), strings.Join(all, "\n  "))
}
