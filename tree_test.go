package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// checkout is a copy of this folder without what was built in it, as somebody
// gets it who clones the repository; for tests of what is done there.
func checkout(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path == ".git" || path == "bin" || path == "dist" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, path), 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
