package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// eventOf is an event as an item of a list: without kind, with a field that we
// do not know.
func eventOf(uid, at, message string) map[string]any {
	return map[string]any{
		"metadata":       map[string]any{"name": message, "fieldFromTheFuture": 7},
		"involvedObject": map[string]any{"kind": "Pod", "uid": uid}, "firstTimestamp": at, "message": message,
	}
}

// A namespace's events are listed page by page, once for many pods, and each
// bundle has those of its own UID, oldest first. A token that expires on the way
// is replaced.
func TestEventsOfEachPod(t *testing.T) {
	w := newStubs(t)
	a, b, quiet := w.api.Add(ranPod("a")), w.api.Add(ranPod("b")), w.api.Add(ranPod("quiet"))
	pages := map[string][]any{
		"": {eventOf(string(a.UID), "2026-11-30T10:00:02Z", "a-second"), eventOf(string(b.UID), "2026-11-30T10:00:00Z", "b-only")},
		// an empty page with a token is not the end
		"2": {},
		"3": {eventOf("another-uid", "2026-11-30T10:00:00Z", "of the pod that had the name before"), eventOf(string(a.UID), "2026-11-30T10:00:01Z", "a-first")},
	}
	next := map[string]string{"": "2", "2": "old", "3": ""}
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		if !strings.HasSuffix(req.URL.Path, "/events") {
			return false
		}
		token := req.URL.Query().Get("continue")
		if token == "old" {
			expired(rw, "3")
			return true
		}
		reclaimtest.Answer(rw, http.StatusOK, map[string]any{
			"kind": "EventList", "apiVersion": "v1", "metadata": map[string]any{"continue": next[token]}, "items": pages[token],
		})
		return true
	})
	e := w.run()
	e.expect(t, 0, "three deleted", e.summary.Deleted == 3)
	if n := w.journal.Count("api", "GET", "/events"); n != 4 {
		t.Errorf("%d requests for events, want one for each page", n)
	}
	for _, entry := range w.journal.Entries() {
		if strings.HasSuffix(entry.Path, "/events") && entry.Query.Get("fieldSelector") != "involvedObject.kind=Pod" {
			t.Errorf("events are asked for by %v", entry.Query)
		}
	}
	want := map[string][]string{"a": {"a-first", "a-second"}, "b": {"b-only"}}
	for _, key := range w.store.Bundles() {
		bundle := w.open(key)
		text, has := bundle.Files["events.json"]
		if bundle.Index.UID == string(quiet.UID) {
			if has {
				t.Errorf("events of a pod that has none: %s", text)
			}
			continue
		}
		var list struct {
			APIVersion, Kind string
			Items            []struct {
				Kind, Message string
				Metadata      struct{ FieldFromTheFuture int }
			}
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Message)
			if item.Kind != "Event" || item.Metadata.FieldFromTheFuture != 7 {
				t.Errorf("the event is not as it was sent: %s", text)
			}
		}
		if !slices.Equal(got, want[bundle.Index.Pod]) || list.Kind != "List" || list.APIVersion != "v1" {
			t.Errorf("%s: %v of %s", bundle.Index.Pod, got, text)
		}
	}
}

// Not being allowed to list events is a note, no failure; any other error fails
// the pod, since its events may be all that tells why it failed.
func TestEventsThatCannotBeRead(t *testing.T) {
	for status, code := range map[int]int{403: 0, 500: 3} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			var asked atomic.Int64
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				if !strings.HasSuffix(req.URL.Path, "/events") {
					return false
				}
				asked.Add(1)
				reclaimtest.Refuse(rw, status, "events", "as the test wants it")
				return true
			})
			e := w.run()
			e.expect(t, code, "the pod's outcome", e.summary.Deleted == 1 != (code == 3) && asked.Load() > 0)
			if code == 0 && !strings.Contains(strings.Join(w.bundle().Index.Notes, " "), "events: ") {
				t.Errorf("notes: %q", w.bundle().Index.Notes)
			}
		})
	}
}
