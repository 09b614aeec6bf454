// Package reclaimtest has what tests of a run need: a Kubernetes API server in
// memory for faults that a real one will not produce on demand, and the check
// of the invariant, which holds after every test.
package reclaimtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// Check fails the test, when it ends, if the journal shows that the invariant
// was broken. Every test that lets the program run calls it.
func Check(t testing.TB, j *archivetest.Journal) {
	t.Helper()
	t.Cleanup(func() {
		for _, v := range Violations(j.Entries()) {
			t.Errorf("invariant broken: %s", v)
		}
	})
}

var podPath = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)$`)

// Violations tells how the journal breaks the invariant: a pod is deleted only
// by UID and resourceVersion, and only after the store has confirmed a complete
// bundle of exactly these, and its retention, which counts from the delete.
// Nothing else is ever written to the API server, and nothing in the store is
// overwritten.
func Violations(entries []archivetest.Entry) []string {
	var found []string
	past := newHistory()
	for i, e := range entries {
		switch {
		case e.Server == "mark":
			past.begin(i)
		case e.Server == "api" && e.Method == http.MethodDelete:
			if why := past.badDelete(entries, e); why != "" {
				found = append(found, "DELETE "+e.Path+": "+why)
			}
		case e.Server == "api" && strings.HasSuffix(e.Path, "/log"):
			if e.Query.Get("timestamps") != "true" || e.Query.Has("follow") {
				found = append(found, "GET "+e.Path+": logs are asked for with timestamps, and never followed")
			}
		case e.Server == "api" && e.Method != http.MethodGet && !strings.HasSuffix(e.Path, "/selfsubjectaccessreviews"):
			found = append(found, e.Method+" "+e.Path+": only pods are written to, and only by DELETE")
		case e.Server == "store" && e.Method == http.MethodDelete:
			found = append(found, "DELETE "+e.Path+": nothing in the store is deleted")
		case e.Server == "store" && e.Method == http.MethodPut:
			if past.overwrites(e) {
				found = append(found, "PUT "+e.Path+": could overwrite what is there")
			}
			past.put(i, e)
		case e.Server == "store":
			past.answer(i, e)
		}
	}
	return found
}

// badDelete says what is wrong with one DELETE, given all that came before.
func (h *history) badDelete(entries []archivetest.Entry, e archivetest.Entry) string {
	pod := podPath.FindStringSubmatch(e.Path)
	if pod == nil {
		return "not one pod"
	}
	var options struct {
		Preconditions struct{ UID, ResourceVersion string }
	}
	if err := json.Unmarshal(e.Body, &options); err != nil {
		return "no delete options: " + err.Error()
	}
	want := options.Preconditions
	if want.UID == "" || want.ResourceVersion == "" {
		return "preconditions must name UID and resourceVersion"
	}
	why := "no bundle of this UID and resourceVersion was put"
	for _, put := range h.puts[pod[1]+"/"+pod[2]+"/"+want.UID+"_"+want.ResourceVersion] {
		if why = badBundle(put.Entry, want.UID, want.ResourceVersion); why != "" {
			continue
		}
		if why = endsEarly(put.Entry, e.At); why != "" {
			continue
		}
		var after []archivetest.Entry
		for _, j := range h.answers[put.Path] {
			if j > max(put.index, h.run) {
				after = append(after, entries[j])
			}
		}
		if why = unproven(after, put.Entry); why == "" {
			return ""
		}
	}
	return why
}

// endsEarly says that the retention does not count from the delete.
func endsEarly(put archivetest.Entry, deleted time.Time) string {
	at, err := time.Parse(time.RFC3339, put.Header.Get("X-Amz-Meta-Archived-At"))
	if err != nil || !strings.Contains(put.Path, "/pods/forever/") && deleted.Sub(at) > 25*time.Hour {
		return "its bundle was archived over a day before, so it is kept too short"
	}
	return ""
}

// badBundle says what is wrong with the content that was put.
func badBundle(put archivetest.Entry, uid, resourceVersion string) string {
	b, err := archivetest.OpenBundle(put.Path, put.Body)
	if err != nil {
		return "its bundle is not complete: " + err.Error()
	}
	var pod struct {
		Kind     string
		Metadata struct{ UID, ResourceVersion string }
		Spec     struct{ InitContainers, Containers, EphemeralContainers []struct{ Name string } }
	}
	if err := json.Unmarshal(b.Files["pod.json"], &pod); err != nil {
		return "its manifest is none: " + err.Error()
	}
	if pod.Kind != "Pod" || pod.Metadata.UID != uid || pod.Metadata.ResourceVersion != resourceVersion ||
		b.Index.UID != uid || b.Index.ResourceVersion != resourceVersion {
		return "its bundle is of another pod or resourceVersion"
	}
	containers := append(append(pod.Spec.InitContainers, pod.Spec.Containers...), pod.Spec.EphemeralContainers...)
	for _, c := range containers {
		if _, ok := b.Log(c.Name, false); !ok {
			return "its index does not say what became of the log of " + c.Name
		}
	}
	return ""
}
