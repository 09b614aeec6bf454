package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// buildMutant builds the program, its clock to be set, with one text of one file
// replaced.
func buildMutant(t testing.TB, file, old, new string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%s no longer has the text that the mutant replaces: %s", file, old)
	}
	return buildWithClock(t, map[string]string{file: strings.Replace(string(source), old, new, 1)})
}

// buildWithClock builds the program with a clock that clockAhead sets, and with
// these files instead of its own.
func buildWithClock(t testing.TB, files map[string]string) string {
	t.Helper()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "var now = time.Now\n", `var now = func() time.Time {
	ahead, _ := time.ParseDuration(os.Getenv("`+clockAhead+`"))
	return time.Now().Add(ahead)
}
`, 1)
	if text == string(source) {
		t.Fatal("main.go no longer has the clock that is replaced")
	}
	dir := t.TempDir()
	replace := map[string]string{}
	all := maps.Clone(files)
	all["main.go"] = text
	for file, text := range all {
		original, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, filepath.Base(file))
		write(t, replace[original], text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	binary := filepath.Join(dir, "pod-reclaimer")
	goBuild(t, "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary)
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
