package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// records are the objects of all runs' records by the end of their keys.
func (w *stubs) records() map[string]*archivetest.Stored {
	found := map[string]*archivetest.Stored{}
	for _, key := range w.store.Keys() {
		if strings.Contains(key, "/runs/7d/") {
			found[key[strings.LastIndex(key, "/")+1:]] = w.store.Object(key)
		}
	}
	return found
}

// A run leaves a record: its start, a line for each pod, its summary. All of it
// is tagged as bundles are. A run that had nothing to do leaves none.
func TestRunRecord(t *testing.T) {
	w := newStubs(t)
	w.run()
	if keys := w.store.Keys(); len(keys) != 0 {
		t.Fatalf("written with nothing to do: %v", keys)
	}
	w.addPods(1001)
	e := w.run("RECLAIM_CONCURRENCY=32")
	e.expect(t, 0, "all deleted", e.summary.Deleted == 1001)
	records := w.records()
	lines := map[string]bool{}
	for _, part := range []string{"0001.ndjson", "0002.ndjson"} {
		for line := range strings.Lines(string(records[part].Body)) {
			var l struct{ Pod, Outcome, Bundle string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			if l.Outcome != "deleted" || w.store.Object(l.Bundle) == nil {
				t.Errorf("line %s", line)
			}
			lines[l.Pod] = true
		}
	}
	var end summary
	if err := json.Unmarshal(records["end.json"].Body, &end); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1001 || end.Deleted != 1001 || records["start.json"] == nil {
		t.Errorf("%d lines, end.json says %d deleted", len(lines), end.Deleted)
	}
	for name, r := range records {
		if r.Tags.Get("retention") != "7d" || r.Tags.Get("retain-until") == "" {
			t.Errorf("%s has the tags %v", name, r.Tags)
		}
	}
}

// Two clusters of one name would mix their bundles: the second is refused, and
// touches nothing.
func TestNameOfAnotherCluster(t *testing.T) {
	w := newStubs(t)
	w.store.Set("test/cluster.json", &archivetest.Stored{Body: []byte(`{"clusterUID":"somebody else"}`)})
	w.api.Add(ranPod("a"))
	for _, env := range []string{"RECLAIM_DRY_RUN=false", "RECLAIM_DRY_RUN=true"} {
		e := w.run(env)
		e.expect(t, 1, "ARCHIVE_CLUSTER named", strings.Contains(e.output, "ARCHIVE_CLUSTER=test is the name of another cluster"))
	}
	if len(w.api.Names()) != 1 || len(w.store.Bundles()) != 0 {
		t.Error("something was touched")
	}
}

// A record that cannot be written later stops no pod, but the run says so.
func TestRecordThatFails(t *testing.T) {
	w := newStubs(t)
	w.addPods(3)
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/end.json") {
			archivetest.Refuse(rw, http.StatusForbidden, "AccessDenied")
			return true
		}
		return false
	})
	e := w.run()
	e.expect(t, 1, "the record named", e.summary.Deleted == 3 && strings.Contains(e.output, "write the run's record"))
}
