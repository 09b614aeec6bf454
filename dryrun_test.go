package main

import (
	"strings"
	"testing"
)

// A dry run sends no request that writes, and says what would happen.
func TestDryRun(t *testing.T) {
	w := newStubs(t)
	w.addPods(3)
	w.api.Add(ranPod("held", annotated("pod-reclaimer/hold", "true")))
	e := w.run("RECLAIM_DRY_RUN=true")
	e.expect(t, 0, "what would happen", e.summary.Deleted == 3 && e.summary.Kept["hold"] == 1 && e.summary.Archived == 4)
	w.nothingWritten(0)
}

// nothingWritten checks that no request has written since.
func (w *stubs) nothingWritten(since int) {
	w.t.Helper()
	for _, e := range w.journal.Entries()[since:] {
		read := e.Method == "GET" || e.Method == "HEAD" || strings.HasSuffix(e.Path, "/selfsubjectaccessreviews")
		if !read && e.Server != "mark" {
			w.t.Errorf("%s %s", e.Method, e.Path)
		}
	}
}

// A program that forgets that it must not write cannot: the transports of both
// servers refuse. Each of these has one of the questions removed.
func TestDryRunThatForgets(t *testing.T) {
	for _, m := range []struct {
		name, file, old, new string
		archived             bool // by a run before
	}{
		{"to delete nothing", "reclaim/pod.go", "case r.Config.DryRun:\n\t\treturn s.with(s.outcome(Deleted))\n", "", true},
		{"to put no bundle", "reclaim/pod.go", "if r.Config.DryRun {\n\t\treturn nil, false, p.foreseen()\n\t}\n", "", false},
		{"to begin no record", "reclaim/record.go", "if r.Config.DryRun {\n\t\treturn nil\n\t}\n", "", false},
		{"not to claim the archive", "reclaim/record.go", "r.Bucket.Claim(ctx, uid, r.Config.DryRun)", "r.Bucket.Claim(ctx, uid, false)", false},
	} {
		t.Run(m.name, func(t *testing.T) {
			w := newStubs(t)
			w.api.Set("/api/v1/namespaces/kube-system", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"uid": "u"}})
			w.api.Add(ranPod("a"))
			if m.archived {
				w.run("RECLAIM_DELETE_AFTER=24h")
			}
			before := w.journal.Len()
			w.binary = buildEdited(t, []edit{withClock, {m.file, m.old, m.new}})
			e := w.run("RECLAIM_DRY_RUN=true")
			if !strings.Contains(e.output, "dry run: this request would write") || e.code == 0 {
				t.Errorf("exit code %d; it did not even try:\n%s", e.code, e.output)
			}
			w.nothingWritten(before)
		})
	}
}
