package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// startWatchdog runs this program again, in a session of its own, to end the
// testbed when its owner or its time is gone. One that runs already stays,
// unless this call names another owner or time.
func (t *testbed) startWatchdog(o upOptions) error {
	if t.Watchdog.alive() && !o.newGuard {
		return nil
	}
	if err := t.Watchdog.kill(); err != nil {
		return fmt.Errorf("end watchdog: %w", err)
	}
	args := []string{"watchdog", "--name", t.name, "--ttl", o.ttl.String()}
	if o.owner != 0 {
		id, err := identify(o.owner)
		if err != nil {
			return fmt.Errorf("owner %d: %w", o.owner, err)
		}
		args = append(args, "--owner", strconv.Itoa(id.PID), "--owner-start", strconv.FormatUint(id.Start, 10))
	}
	logFile, err := os.OpenFile(t.log("watchdog"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start watchdog: %w", err)
	}
	defer logFile.Close()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = "testbed"
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start watchdog: %w", err)
	}
	go cmd.Wait()
	if t.Watchdog, err = identify(cmd.Process.Pid); err != nil {
		return fmt.Errorf("start watchdog: %w", err)
	}
	return t.save()
}

func watchdogCommand(name *string) *cobra.Command {
	var owner identity
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:    "watchdog",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return watch(*name, owner, ttl) },
	}
	cmd.Flags().IntVar(&owner.PID, "owner", 0, "")
	cmd.Flags().Uint64Var(&owner.Start, "owner-start", 0, "")
	cmd.Flags().DurationVar(&ttl, "ttl", 0, "")
	return cmd
}

// watch ends the testbed when the time has come; `down` ends the watchdog.
func watch(name string, owner identity, ttl time.Duration) error {
	for end := time.Now().Add(ttl); time.Now().Before(end); time.Sleep(time.Second) {
		if owner.PID != 0 && !owner.alive() {
			break
		}
	}
	return down(name)
}
