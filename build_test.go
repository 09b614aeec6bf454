package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// edit replaces one text of one file.
type edit struct{ file, old, new string }

// withClock lets clockAhead set the program's clock.
var withClock = edit{"main.go", "var now = time.Now\n", `var now = func() time.Time {
	ahead, _ := time.ParseDuration(os.Getenv("` + clockAhead + `"))
	return time.Now().Add(ahead)
}
`}

// buildEdited builds the program with these edits, each of a text that is there
// once.
func buildEdited(t testing.TB, edits []edit, flags ...string) string {
	t.Helper()
	texts := map[string]string{}
	for _, e := range edits {
		if _, read := texts[e.file]; !read {
			texts[e.file] = string(readFile(t, e.file))
		}
		if strings.Count(texts[e.file], e.old) != 1 {
			t.Fatalf("%s no longer has the text that is replaced: %s", e.file, e.old)
		}
		texts[e.file] = strings.Replace(texts[e.file], e.old, e.new, 1)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for file, text := range texts {
		original, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		write(t, replace[original], text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	binary := filepath.Join(dir, "pod-reclaimer")
	goBuild(t, append(flags, "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary)...)
	return binary
}

// released is the program as it is released, in a folder that TestMain makes
// and removes.
var released struct {
	dir    string
	once   sync.Once
	binary string
}

// build builds the program as it is released, once for all tests.
func build(t testing.TB) string {
	t.Helper()
	released.once.Do(func() {
		binary := filepath.Join(released.dir, "pod-reclaimer")
		goBuild(t, "-o", binary)
		released.binary = binary
	})
	if released.binary == "" {
		t.Fatal("the program could not be built")
	}
	return released.binary
}

func goBuild(t testing.TB, flags ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, append(flags, ".")...)...)
	cgo := "0"
	if slices.Contains(flags, "-race") {
		cgo = "1"
	}
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
