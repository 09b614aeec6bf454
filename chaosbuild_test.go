package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/chaostest"
)

// chaosMutants are programs from which one safety step was removed.
var chaosMutants = map[string][]edit{
	// nothing that was put is verified, nor what an earlier run has put
	"verify": {
		{"archive/verify.go", "(ctx context.Context, want Object) (Object, error) {\n", "(ctx context.Context, want Object) (Object, error) {\n\tif true {\n\t\treturn want, nil\n\t}\n"},
		{"archive/verify.go", "(ctx context.Context, got Object) error {\n\tif got.Metadata[metaUID]", "(ctx context.Context, got Object) error {\n\tif true {\n\t\treturn nil\n\t}\n\tif got.Metadata[metaUID]"},
	},
	// a pod is deleted by its name and resourceVersion
	"uid": {{"reclaim/delete.go", "metav1.Preconditions{UID: &r.uid, ResourceVersion: &r.resourceVersion}", "metav1.Preconditions{ResourceVersion: &r.resourceVersion}"}},
	// a pod is deleted by its name alone
	"name": {{"reclaim/delete.go", "&metav1.Preconditions{UID: &r.uid, ResourceVersion: &r.resourceVersion}", "nil"}},
	// a log that ends is whole
	"tail": {{"reclaim/logs.go", "a.confirmed, a.tailErr = a.end.confirm(func", "a.confirmed = true\n\t_, _ = a.end.confirm(func"}},
	// a bundle of any resourceVersion will do
	"key": {
		{"archive/key.go", `name := k.UID + "_" + k.ResourceVersion`, `name := k.UID + "_1"`},
		{"archive/verify.go", ` || got.Metadata[metaResourceVersion] != got.Key.ResourceVersion {`, ` {`},
	},
}

// buildForChaos builds the program, or a mutant of it, so that it writes its
// goroutines to a file at its end; with the race detector if the test has it.
func buildForChaos(t *testing.T, mutant string) string {
	t.Helper()
	edits, known := chaosMutants[mutant]
	if mutant != "" && !known {
		t.Fatalf("no such mutant: %s; there are %v", mutant, slices.Sorted(maps.Keys(chaosMutants)))
	}
	edits = append(edits[:len(edits):len(edits)], edit{
		"main.go",
		"os.Exit(exitCode(run(ctx, os.Args[1:], os.Stdout, os.Stderr), context.Cause(ctx)))",
		`err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	time.Sleep(10 * time.Millisecond) // those that have been told to end are ending
	stacks := make([]byte, 1<<20)
	os.WriteFile(os.Getenv("` + chaostest.Goroutines + `"), stacks[:runtime.Stack(stacks, true)], 0o600)
	os.Exit(exitCode(err, context.Cause(ctx)))`,
	}, edit{"main.go", "\t\"os\"\n", "\t\"os\"\n\t\"runtime\"\n"})
	if raced {
		return buildEdited(t, edits, "-race")
	}
	return buildEdited(t, edits)
}
