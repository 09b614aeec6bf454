package archive

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// GNU tar, bsdtar and Python open a bundle of each compression, with long names
// and files of every size, and give back its bytes.
func TestOtherProgramsOpenIt(t *testing.T) {
	const python = `
import sys, tarfile
with tarfile.open(sys.argv[1]) as t:
    t.extractall(sys.argv[2])
`
	for _, tt := range []struct {
		name    string
		c       Compression
		command string // $0: the bundle, also on stdin; $1: the directory to unpack into
		tools   []string
	}{
		{"GNU tar, gzip", Gzip, `tar --version | grep -q GNU && tar -xzf - -C "$1"`, []string{"tar", "gzip"}},
		{"GNU tar, zstd", Zstd, `tar --version | grep -q GNU && tar --zstd -xf - -C "$1"`, []string{"tar", "zstd"}},
		{"bsdtar, gzip", Gzip, `bsdtar -xf - -C "$1"`, []string{"bsdtar"}},
		{"bsdtar, zstd", Zstd, `bsdtar -xf - -C "$1"`, []string{"bsdtar"}},
		{"Python, gzip", Gzip, `python3 -c "$PROGRAM" "$0" "$1"`, []string{"python3"}},
		{"Python, zstd", Zstd, `zstd -dcq -o "$0.tar" && python3 -c "$PROGRAM" "$0.tar" "$1"`, []string{"python3", "zstd"}},
		{"gzip's own check", Gzip, `gzip -t`, []string{"gzip"}},
		{"zstd's own check", Zstd, `zstd -tq`, []string{"zstd"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, tool := range tt.tools {
				needTool(t, tool)
			}
			b := exampleBundle(t, t.TempDir(), tt.c)
			if err := b.AddLog("logs/big.log", fill(noise(1, 3<<19))); err != nil {
				t.Fatal(err)
			}
			// longer than a name in the first tar header, which has 100 bytes
			b.Add("owners/StatefulSet."+strings.Repeat("n", 231)+".json", []byte("{}"))
			if err := b.AddLog("logs/"+strings.Repeat("c", 63)+".previous.log", fill([]byte("before"))); err != nil {
				t.Fatal(err)
			}
			s := seal(t, b, exampleIndex())
			dir, file := t.TempDir(), filepath.Join(t.TempDir(), "bundle")
			if err := os.WriteFile(file, readAll(t, s.Body()), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("bash", "-euo", "pipefail", "-c", tt.command, file, dir)
			command.Env = append(os.Environ(), "PROGRAM="+python)
			command.Stdin = s.Body()
			if out, err := command.CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%v: %s", err, out)
			}
			if !strings.Contains(tt.command, "$1") {
				return
			}
			for _, e := range unpack(t, tt.c, s) {
				if got, err := os.ReadFile(filepath.Join(dir, e.Name)); err != nil || !bytes.Equal(got, e.content) {
					t.Errorf("%s: %d bytes, %v", e.Name, len(got), err)
				}
			}
		})
	}
}

// needTool skips the test where a program is missing, and fails it in CI.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}
