package main

import (
	"net/http"
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
		name: "verify removed", file: "reclaim/confirm.go",
		old: "object, err := r.Bucket.VerifyPut(ctx, want)", new: "object, err := want, error(nil)",
	},
	{
		name: "verify removed for earlier bundles", file: "reclaim/renew.go",
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
		old: "switch _, err := b.head(ctx, name, Class{}); {", new: "switch err := ErrNotFound; {",
		world: func(w *stubs) { w.store.Refusing(archivetest.Strict{Conditions: true}) },
	},
	{
		name: "lock not verified", file: "archive/verify.go",
		old: "if err := b.verifyLock(ctx, got); err != nil {", new: "if err := error(nil); err != nil {",
		world: func(w *stubs) {
			w.store.EnableObjectLock(true)
			w.env["ARCHIVE_OBJECT_LOCK"] = "governance"
		},
	},
	{
		name: "encryption not verified", file: "archive/verify.go",
		old: "if err := b.verifyEncryption(got); err != nil {", new: "if err := error(nil); err != nil {",
		world: func(w *stubs) {
			w.env["ARCHIVE_SSE"] = "AES256"
			w.store.LieWith(func(_ string, o *archivetest.Stored) { o.Header = http.Header{} })
		},
	},
	{
		name: "not renewed", file: "archive/retention.go",
		old: "return !o.class.Forever() && now.Sub(o.ArchivedAt()) > day", new: "return false",
		world: archivedLongAgo,
	},
	{
		name: "copy not verified", file: "reclaim/confirm.go",
		old: "object, err := r.Bucket.VerifyPut(ctx, want)", new: "object, err := want, error(nil)",
		world: archivedLongAgo,
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
			w.binary = buildEdited(t, []edit{withClock, {m.file, m.old, m.new}})
			if m.world != nil {
				m.world(w)
			}
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
	binary := buildEdited(t, []edit{withClock})
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
