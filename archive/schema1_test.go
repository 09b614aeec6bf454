package archive

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// What the first version wrote is read for ever: every bundle of testdata/schema-1
// is whole, and holds what a reader that shares no code with ours finds in it.
func TestSchema1(t *testing.T) {
	bundles, err := filepath.Glob("testdata/schema-1/bucket/evidence/prod-1/pods/*/*/*/*.tar.*")
	if err != nil || len(bundles) != 6 {
		t.Fatalf("%d bundles, %v", len(bundles), err)
	}
	for _, path := range bundles {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := compressionOf(path)
		index, files, err := collect(bytes.NewReader(content), c)
		if !ok || err != nil || index.Schema != 1 || files["pod.json"] == "" || files["events.json"] == "" {
			t.Errorf("%s: %v, index %+v", path, err, index)
			continue
		}
		want, err := archivetest.OpenBundle(path, content)
		if err != nil {
			t.Fatal(err)
		}
		if index.UID != want.Index.UID || len(index.Logs) == 0 || len(index.Logs) != len(want.Index.Logs) {
			t.Errorf("%s: index %+v, want %+v", path, index, want.Index)
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if files[name] != string(want.Files[name]) {
				t.Errorf("%s: %s differs", path, name)
			}
		}
	}
}
