// Package reclaimtest has what tests of a run need: a Kubernetes API server in
// memory for faults that a real one will not produce on demand, and the check
// of the invariant, which holds after every test.
package reclaimtest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
// bundle of exactly these, and its retention. Nothing else is ever written to
// the API server, and nothing in the store is overwritten.
func Violations(entries []archivetest.Entry) []string {
	var found []string
	past := history{puts: map[string][]int{}, answers: map[string][]int{}, absent: map[string]bool{}}
	for i, e := range entries {
		switch {
		case e.Server == "mark":
			past.run = i
			past.absent, past.noConditions = map[string]bool{}, false
		case e.Server == "api" && e.Method == http.MethodDelete:
			if why := past.badDelete(entries, e); why != "" {
				found = append(found, "DELETE "+e.Path+": "+why)
			}
		case e.Server == "api" && e.Method != http.MethodGet && !strings.HasSuffix(e.Path, "/selfsubjectaccessreviews"):
			found = append(found, e.Method+" "+e.Path+": only pods are written to, and only by DELETE")
		case e.Server == "store" && e.Method == http.MethodDelete:
			found = append(found, "DELETE "+e.Path+": nothing in the store is deleted")
		case e.Server == "store" && e.Method == http.MethodPut:
			if past.overwrites(e) {
				found = append(found, "PUT "+e.Path+": could overwrite what is there")
			}
			if m := bundlePath.FindStringSubmatch(e.Path); m != nil {
				past.puts[m[1]] = append(past.puts[m[1]], i)
			}
		case e.Server == "store" && e.Method == http.MethodHead && e.Status == http.StatusNotFound:
			past.absent[e.Path] = true
		case e.Server == "store" && e.Status == http.StatusOK:
			past.answers[e.Path] = append(past.answers[e.Path], i)
		}
	}
	return found
}

// bundlePath finds what a complete bundle is of: "namespace/pod/uid_version".
var bundlePath = regexp.MustCompile(`/pods/(?:[0-9]+d|forever)/([^/]+/[^/]+/[^/_]+_[^/_.]+)(?:_[0-9]+)?\.tar\.(?:zst|gz)$`)

// history is where to look in a journal, by index.
type history struct {
	run     int              // the last mark
	puts    map[string][]int // by what the bundle is of
	answers map[string][]int // of the store to reads, by path
	// absent are the paths that the store said, in this run, are free.
	absent map[string]bool
	// noConditions says that the store, in this run, refused a condition.
	noConditions bool
}

// overwrites tells whether a PUT may have replaced what was there: it has no
// condition, though the store takes them, or the path was not seen to be free.
func (h *history) overwrites(put archivetest.Entry) bool {
	free := h.absent[put.Path]
	delete(h.absent, put.Path)
	if put.Header.Get("If-None-Match") == "*" {
		h.noConditions = h.noConditions || put.Status == http.StatusNotImplemented
		return false
	}
	return !h.noConditions || !free
}

// badDelete says what is wrong with one DELETE, given all that came before.
func (h history) badDelete(entries []archivetest.Entry, e archivetest.Entry) string {
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
	for _, i := range h.puts[pod[1]+"/"+pod[2]+"/"+want.UID+"_"+want.ResourceVersion] {
		put := entries[i]
		if why = badBundle(put, want.UID, want.ResourceVersion); why != "" {
			continue
		}
		var after []archivetest.Entry
		for _, j := range h.answers[put.Path] {
			if j > max(i, h.run) {
				after = append(after, entries[j])
			}
		}
		if why = unproven(after, put); why == "" {
			return ""
		}
	}
	return why
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

// unproven says what the store has not confirmed, in this run, of what was put.
func unproven(after []archivetest.Entry, put archivetest.Entry) string {
	md5sum, sha := md5.Sum(put.Body), sha256.Sum256(put.Body)
	bytesProven, tagsProven := false, put.Header.Get("X-Amz-Tagging") == ""
	for _, e := range after {
		switch {
		case e.Method == http.MethodGet && e.Query.Has("tagging"):
			tagsProven = bytes.Contains(e.AnswerBody, []byte("<Key>retention</Key>")) && bytes.Contains(e.AnswerBody, []byte(retainUntilTag(put)))
		case e.Method == http.MethodHead:
			bytesProven = bytesProven || strings.Trim(e.Answer.Get("ETag"), `"`) == hex.EncodeToString(md5sum[:])
		case e.Method == http.MethodGet:
			bytesProven = bytesProven || sha256.Sum256(e.AnswerBody) == sha
		}
	}
	switch {
	case !bytesProven:
		return "the store never confirmed the bytes of its bundle"
	case !tagsProven:
		return "the store never confirmed the retention of its bundle"
	}
	return ""
}

// retainUntilTag is the tag that the bundle must have, computed from its class
// in the key and the time at which it was archived.
func retainUntilTag(put archivetest.Entry) string {
	class := strings.Split(put.Path[strings.Index(put.Path, "/pods/"):], "/")[2]
	date := "never"
	if class != "forever" {
		var days int
		fmt.Sscanf(class, "%dd", &days)
		at, err := time.Parse(time.RFC3339, put.Header.Get("X-Amz-Meta-Archived-At"))
		if err != nil {
			return "no time of archiving"
		}
		y, m, d := at.UTC().Date()
		date = time.Date(y, m, d+days+1, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
	}
	return "<Value>" + date + "</Value>"
}
