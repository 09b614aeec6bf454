package chaostest

import (
	"os"
	"path/filepath"
	"strings"
)

// left are the files that a run has left behind.
func (r *run) left() []string {
	var left []string
	for _, dir := range []string{"spool", "home", "tmp"} {
		filepath.WalkDir(filepath.Join(r.dir, dir), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				left = append(left, path)
			}
			return nil
		})
	}
	return left
}

// goroutines are those that the packages of the program have started and that
// were still there at its end; package main's, which waits for signals, is not
// named like them.
func goroutines(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var left []string
	for _, stack := range strings.Split(string(text), "\n\n") {
		if strings.Contains(stack, "created by github.com/pod-reclaimer/") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
