package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// testbed is one run folder and what its state.json says.
type testbed struct {
	name string
	dir  string
	state
}

// newTestbed names a testbed without reading or making anything.
func newTestbed(name string) *testbed {
	return &testbed{name: name, dir: filepath.Join(os.TempDir(), "testbed-"+name)}
}

// nameRule keeps names usable as host names and short enough for the unix
// socket paths below the run folder, which end at 107 bytes.
var nameRule = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$`)

func (t *testbed) checkName() error {
	if !nameRule.MatchString(t.name) {
		return fmt.Errorf("name %q: use 1 to 20 lower-case letters, digits and dashes", t.name)
	}
	return nil
}

func (t *testbed) path(elem ...string) string {
	return filepath.Join(append([]string{t.dir}, elem...)...)
}

func (t *testbed) pki(file string) string { return t.path("pki", file) }
func (t *testbed) log(part string) string { return t.path("logs", part+".log") }
func (t *testbed) config(f string) string { return t.path("config", f) }
func (t *testbed) kubeconfig() string     { return t.path("kubeconfig") }
func (t *testbed) nodeName() string       { return "node-" + t.name }
func (t *testbed) url(scheme, part string) string {
	return scheme + "://" + t.addr(part)
}

// addr is the loopback address that a part listens on.
func (t *testbed) addr(part string) string {
	return fmt.Sprintf("127.0.0.1:%d", t.Ports[part])
}

func (t *testbed) makeFolders() error {
	for _, d := range []string{"pki", "logs", "config", "data"} {
		if err := os.MkdirAll(t.path(d), 0o700); err != nil {
			return fmt.Errorf("make run folder: %w", err)
		}
	}
	return nil
}

// progress tells the person at the terminal what is going on; stdout is for
// the environment alone.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "testbed: "+format+"\n", args...)
}
