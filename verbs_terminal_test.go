package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// onTerminal starts a verb on a terminal and returns what that shows.
func (w *world) onTerminal(args string, env ...string) (*exec.Cmd, io.ReadWriteCloser) {
	w.t.Helper()
	cmd := exec.Command(w.binary, strings.Fields(args)...)
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	screen, err := pty.Start(cmd)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { screen.Close() })
	return cmd, screen
}

// shownBy lets a verb run to its end on a terminal.
func (w *world) shownBy(args string, env ...string) string {
	w.t.Helper()
	cmd, screen := w.onTerminal(args, env...)
	var out bytes.Buffer
	io.Copy(&out, screen) // ends with an error when the program has ended
	cmd.Wait()
	return out.String()
}

// On a terminal, a log cannot steer it, warnings are coloured, unless NO_COLOR
// is set, and a bundle is not written there.
func TestVerbsOnTerminal(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	log := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "\x1b]0;owned\x07\x1b[2Jlast")
	w.api.SetLog("default/a", "main", log)
	w.run().expect(t, 0, "archived", true)
	for _, c := range []struct{ args, env, want string }{
		{"logs a", "A=1", `\x1b]0;owned\x07\x1b[2Jlast`},
		{"logs a --raw", "A=1", "\x1b]0;owned\x07\x1b[2Jlast"},
		{"logs b", "A=1", "\x1b[31merror\x1b[0m: pod"},
		{"logs b", "NO_COLOR=1", "error: pod"},
		{"get a -o bundle", "NO_COLOR=1", "not for a terminal"},
		{"list", "A=1", "a      "},
	} {
		shown := w.shownBy(c.args, c.env)
		if !strings.Contains(shown, c.want) {
			t.Errorf("%s with %s shows %q, want %q", c.args, c.env, shown, c.want)
		}
		if c.want[0] != 0x1b && strings.Contains(shown, "\x1b") {
			t.Errorf("%s with %s shows %q, which has escapes", c.args, c.env, shown)
		}
	}
	if shown := w.shownBy("audit"); !strings.Contains(shown, "no findings") || !strings.Contains(shown, "\r") {
		t.Errorf("audit shows no progress: %q", shown)
	}
	if output, code := w.verb([]string{"audit"}); code != 0 || strings.ContainsAny(output, "\r\x1b") {
		t.Errorf("audit to a file shows progress: %q", output)
	}
	if output, _ := w.verb([]string{"logs", "a"}); !strings.HasSuffix(output, "\x1b]0;owned\x07\x1b[2Jlast\n") {
		t.Errorf("logs to a file: %q", output)
	}
}

// Ctrl-C ends every verb at once, while the store does not answer.
func TestVerbsInterrupted(t *testing.T) {
	for _, args := range []string{"list", "logs a", "get a", "audit", "expire --confirm", "lifecycle --apply"} {
		t.Run(args, func(t *testing.T) {
			w := newStubs(t)
			asked, end := make(chan bool, 100), make(chan bool)
			t.Cleanup(func() { close(end) })
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				asked <- true
				select {
				case <-end:
				case <-req.Context().Done():
				}
				return true
			})
			cmd, screen := w.onTerminal(args)
			go io.Copy(io.Discard, screen)
			<-asked
			fmt.Fprint(screen, "\x03")
			err := cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) {
				t.Errorf("exit code %d, %v", code, err)
			}
		})
	}
}

// However large a bundle becomes when it is read, it takes little memory; and the
// log goes out as it comes.
func TestLogsOfManyBytes(t *testing.T) {
	w := newStubs(t)
	w.binary = build(t)
	const n = 400 << 20
	w.putLog("a", func(to io.Writer) error {
		fmt.Fprint(to, "2026-12-07T09:00:00.123456789Z ")
		for range n >> 16 {
			to.Write(bytes.Repeat([]byte("x"), 1<<16))
		}
		_, err := to.Write([]byte("\n"))
		return err
	})
	cmd := exec.Command(w.binary, "logs", "a")
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out := &watched{after: n / 10 * 9, peak: func() int { return highWater(t, cmd.Process.Pid) }}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil || out.n != n+1 {
		t.Errorf("%d bytes, %v", out.n, err)
	}
	if t.Logf("it takes %d MiB", out.mib); out.mib == 0 || out.mib > 128 {
		t.Errorf("it takes %d MiB, want at most 128", out.mib)
	}
}

// putLog archives a pod of one container with this log, past the API server.
func (w *stubs) putLog(pod string, fill func(io.Writer) error) {
	w.t.Helper()
	bucket := w.openArchive()
	b := archive.NewBundle(w.t.TempDir(), archive.Zstd)
	defer b.Remove()
	b.Add("pod.json", []byte(`{"metadata":{},"spec":{"containers":[{"name":"main"}]}}`))
	if err := b.AddLog("logs/main.log", fill); err != nil {
		w.t.Fatal(err)
	}
	class, _ := archive.ParseClass("7d")
	key := archive.Key{Class: class, Namespace: "default", Pod: pod, UID: "0d5f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d11", ResourceVersion: "1", Number: 1}
	sealed, err := b.Seal(archive.Index{Namespace: key.Namespace, Pod: pod, UID: key.UID, ResourceVersion: "1", Phase: "Failed", Logs: []archive.Log{
		{Container: "main", Outcome: archive.Complete, Path: "logs/main.log"},
	}}, time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := bucket.Put(w.t.Context(), key, sealed); err != nil {
		w.t.Fatal(err)
	}
}

// openArchive is the archive of the test's variables.
func (w *world) openArchive() *archive.Bucket {
	w.t.Helper()
	t := w.t.(*testing.T)
	for name, value := range w.env {
		if strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "ARCHIVE_") {
			t.Setenv(name, value)
		}
	}
	bucket, err := openArchive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

// watched counts what a program prints, and looks at its memory while it does.
type watched struct {
	n, after, mib int
	peak          func() int
}

func (w *watched) Write(p []byte) (int, error) {
	w.n += len(p)
	if w.n > w.after && w.mib == 0 {
		w.mib = w.peak()
	}
	return len(p), nil
}
