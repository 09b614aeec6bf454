package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// verb runs the program with arguments and these variables (NAME=value), and
// returns its output and exit code.
func (w *world) verb(args []string, env ...string) (output string, code int) {
	w.t.Helper()
	cmd := exec.Command(w.binary, args...)
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// The verbs need the archive's variables only, and look at no others; what is
// wrong is one line each and exit code 2.
func TestVerbs(t *testing.T) {
	w := newStubs(t)
	plugin := filepath.Join(t.TempDir(), "kubectl-reclaimed")
	goBuild(t, "-o", plugin)
	for _, c := range []struct {
		binary string
		args   string
		env    []string
		code   int
		want   string
	}{
		{w.binary, "version", nil, 0, "VERSION"},
		{w.binary, "help", []string{"ARCHIVE_BUCKET="}, 0, "expire"},
		{w.binary, "-help", nil, 0, "RECLAIM_NAMESPACES"},
		{w.binary, "expire", []string{"KUBECONFIG=/none", "ARCHIVE_SPOOL_DIR=/none", "TMPDIR=/none", "RECLAIM_PHASES=Never", "RECLAIM_TYPO=1"}, 0, "0 to delete"},
		{w.binary, "expire", []string{"ARCHIVE_CLUSTER= ", "ARCHIVE_RETENTION=1y", "ARCHIVE_TYPO=1"}, 2, "ARCHIVE_TYPO"},
		{w.binary, "expire", []string{"ARCHIVE_BUCKET=none"}, 1, "ARCHIVE_BUCKET names no bucket"},
		{w.binary, "reclaim", nil, 2, "unknown command"},
		{w.binary, "--verbose", nil, 2, "unknown flag"},
		{plugin, "", nil, 0, "kubectl reclaimed"},
		{plugin, "expire", nil, 0, "0 to delete"},
	} {
		w.binary = c.binary
		output, code := w.verb(strings.Fields(c.args), c.env...)
		if code != c.code || !strings.Contains(output, c.want) {
			t.Errorf("%s %s, %v: exit code %d, want %d with %q:\n%s", filepath.Base(c.binary), c.args, c.env, code, c.code, c.want, output)
		}
	}
	if n := w.journal.Count("api", "GET", ""); n != 0 {
		t.Errorf("the verbs sent %d requests to the API server", n)
	}
}

// The real kubectl finds it as its plugin.
func TestKubectlPlugin(t *testing.T) {
	b := newBed(t)
	b.endedPod("a")
	b.run().expect(t, 0, "archived", true)
	dir := t.TempDir()
	if err := os.Symlink(build(t), filepath.Join(dir, "kubectl-reclaimed")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(os.Getenv("TESTBED_BIN"), "kubectl"), "reclaimed", "list", "-n", b.namespace, "-o", "name")
	cmd.Env = []string{"PATH=" + dir}
	for name, value := range b.env {
		if name != "PATH" && name != asProgram {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if output, err := cmd.CombinedOutput(); err != nil || string(output) != "pod/a\n" {
		t.Errorf("%v\n%s", err, output)
	}
}
