package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// mutants are programs with one safety step removed, each by replacing text in
// one source file. The check of the invariant must find every one of them, or
// it would not find the same mistake in the program either.
var mutants = []struct {
	name, file, old, new string
	// world makes the mistake show.
	world func(*stubs)
}{
	{
		name: "verify removed", file: "reclaim/pod.go",
		old: "object, err := r.Bucket.VerifyPut(ctx, want)", new: "object, err := want, error(nil)",
	},
	{
		name: "verify removed for earlier bundles", file: "reclaim/pod.go",
		old: "err := r.Bucket.Verify(ctx, s.object)", new: "err := error(nil)",
		world: func(w *stubs) { w.run("RECLAIM_DELETE_AFTER=24h") },
	},
	{
		name: "delete before put", file: "reclaim/pod.go",
		old: "object, step, err := r.put(ctx, key, c, b)\n\tif err != nil {\n\t\treturn nil, p.failed(step, err)",
		new: "r.Cluster.delete(ctx, p)\n\tobject, step, err := r.put(ctx, key, c, b)\n\tif err != nil {\n\t\treturn nil, p.failed(step, err)",
	},
	{
		name: "no preconditions", file: "reclaim/delete.go",
		old: "Preconditions:      &metav1.Preconditions{UID: &r.uid, ResourceVersion: &r.resourceVersion},", new: "",
	},
	{
		name: "UID left out of the preconditions", file: "reclaim/delete.go",
		old: "UID: &r.uid, ", new: "",
	},
	{
		name: "resourceVersion left out of the preconditions", file: "reclaim/delete.go",
		old: ", ResourceVersion: &r.resourceVersion", new: "",
	},
	{
		name: "resourceVersion of the list, not of the manifest", file: "reclaim/pod.go",
		old: "p.resourceVersion, p.class, p.keep, p.note = c.pod.ResourceVersion, ", new: "p.class, p.keep, p.note = ",
		world: func(w *stubs) { w.changeAfterList() },
	},
	{
		name: "tags not read back", file: "archive/verify.go",
		old: "return b.verifyTags(ctx, got)", new: "return nil",
	},
	{
		name: "overwrites", file: "archive/put.go",
		old: "input.IfNoneMatch = ifNoneMatch", new: "_ = ifNoneMatch",
	},
	{
		name: "overwrites where the store has no conditions", file: "archive/condition.go",
		old: "_, err := b.head(ctx, name, Class{})", new: "err := ErrNotFound",
		world: func(w *stubs) { w.store.Refusing(archivetest.Strict{Conditions: true}) },
	},
	{
		name: "bundle not finished", file: "archive/bundle.go",
		old: "all = append(all, entry{File: File{Path: IndexName, Size: int64(len(text))}, content: text})", new: "_ = text",
	},
	{
		name: "a container forgotten", file: "reclaim/ref.go",
		old: "for _, c := range pod.Spec.InitContainers {", new: "for _, c := range pod.Spec.InitContainers[:0] {",
	},
}

func TestMutantsAreFound(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			w := newStubs(silent{t})
			w.api.Add(ranPod("a", withInit))
			if m.world != nil {
				m.world(w)
			}
			w.binary = buildMutant(t, m.file, m.old, m.new)
			w.journal.Mark()
			cmd, output := w.command()
			cmd.Run() // whatever its exit code is
			if found := reclaimtest.Violations(w.journal.Entries()); len(found) == 0 {
				t.Errorf("the mutant was not found; it printed\n%s", output)
			}
		})
	}
}

// The program itself, in the same worlds, is not taken for a mutant.
func TestProgramIsNoMutant(t *testing.T) {
	binary := build(t)
	for _, m := range mutants {
		w := newStubs(t)
		w.binary = binary
		w.api.Add(ranPod("a", withInit))
		if m.world != nil {
			m.world(w)
		}
		w.run()
	}
}

// silent is a test that no violation fails: the mutants' journals are full of
// them.
type silent struct{ *testing.T }

func (silent) Errorf(string, ...any) {}

// buildMutant builds the program with one text of one file replaced.
func buildMutant(t *testing.T, file, old, new string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%s no longer has the text that the mutant replaces: %s", file, old)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, "changed.go")
	write(t, changed, strings.Replace(string(source), old, new, 1))
	original, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	binary := filepath.Join(dir, "mutant")
	goBuild(t, "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary)
	return binary
}

// build builds the program as it is released.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pod-reclaimer")
	goBuild(t, "-o", binary)
	return binary
}

func goBuild(t *testing.T, flags ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, append(flags, ".")...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
