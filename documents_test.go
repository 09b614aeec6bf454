package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a document.
type block struct {
	file     string
	line     int
	language string
	// mark is the comment before it: "run by TestX" or "file: NAME".
	mark string
	text string
}

// documents are all that a reader is shown.
func documents(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v, %v", files, err)
	}
	return append(files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
}

var (
	fence   = regexp.MustCompile("^( *)```([a-z]*)$")
	comment = regexp.MustCompile(`^ *<!-- (.*) -->$`)
)

// blocks are the fenced blocks of a document, without the indentation of a list.
func blocks(t testing.TB, file string) []block {
	t.Helper()
	var all []block
	var open *block
	indent, mark := "", ""
	for i, line := range strings.Split(string(readFile(t, file)), "\n") {
		found := fence.FindStringSubmatch(line)
		switch {
		case open != nil && found != nil && found[1] == indent && found[2] == "":
			all = append(all, *open)
			open, mark = nil, ""
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case found != nil:
			indent = found[1]
			open = &block{file: file, line: i + 1, language: found[2], mark: mark}
		case comment.MatchString(line):
			mark = comment.FindStringSubmatch(line)[1]
		case line != "":
			mark = ""
		}
	}
	if open != nil {
		t.Errorf("%s:%d: a block without an end", file, open.line)
	}
	return all
}

// documented runs the commands that the documents show and mark with the name of
// this test, all as one script, in a folder with the files that they name. The
// documents are read in the order given. What is replaced stands for what is the
// reader's own, and must be there. It returns what the script printed.
func documented(t testing.TB, dir string, env []string, replace map[string]string, files ...string) string {
	t.Helper()
	for _, file := range documents(t) {
		for _, b := range blocks(t, file) {
			if b.mark == "run by "+t.Name() && !slices.Contains(files, file) {
				t.Errorf("%s:%d is marked for this test, which does not read the document", file, b.line)
			}
		}
	}
	script, all := "set -euo pipefail\n", ""
	var pairs []string
	for old, new := range replace {
		pairs = append(pairs, old, new)
	}
	own := strings.NewReplacer(pairs...)
	for _, file := range files {
		for _, b := range blocks(t, file) {
			name, isFile := strings.CutPrefix(b.mark, "file: ")
			switch {
			case isFile:
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, path, own.Replace(b.text))
			case b.mark == "run by "+t.Name():
				script += fmt.Sprintf("echo '## %s:%d'\n%s", file, b.line, own.Replace(b.text))
			default:
				continue
			}
			all += b.text
		}
	}
	for old := range replace {
		if !strings.Contains(all, old) {
			t.Errorf("the documents no longer say %q", old)
		}
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return string(output)
}
