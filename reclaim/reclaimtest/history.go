package reclaimtest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// bundlePath finds what a complete bundle is of: "namespace/pod/uid_version".
var bundlePath = regexp.MustCompile(`/pods/(?:[0-9]+d|forever)/([^/]+/[^/]+/[^/_]+_[^/_.]+)(?:_[0-9]+)?\.tar\.(?:zst|gz)$`)

// history is what a journal has shown so far, by index.
type history struct {
	run     int              // the last mark
	puts    map[string][]put // by what the bundle is of
	answers map[string][]int // of the store to reads, by path
	// bodies are what was sent to be put, by path; also what was answered with
	// an error, and may have been put.
	bodies map[string][][]byte
	// absent are the paths that the store said, in this run, are free.
	absent map[string]bool
	// noConditions says that the store, in this run, refused a condition on a
	// put or, apart from that, on a copy.
	noConditions map[bool]bool
}

// put is a PUT of a bundle; that of a copy has the body of what was copied.
type put struct {
	index int
	archivetest.Entry
}

func newHistory() *history {
	return &history{puts: map[string][]put{}, answers: map[string][]int{}, bodies: map[string][][]byte{}, absent: map[string]bool{}, noConditions: map[bool]bool{}}
}

// begin starts a run, which must ask anew what it relies on.
func (h *history) begin(i int) {
	h.run, h.absent, h.noConditions = i, map[string]bool{}, map[bool]bool{}
}

func (h *history) put(i int, e archivetest.Entry) {
	if source := e.Header.Get("X-Amz-Copy-Source"); source != "" {
		path, _ := url.PathUnescape(source) // "" is the path of nothing
		e.Body = h.body("/"+path, e.Header.Get("X-Amz-Meta-Sha256"))
	}
	h.bodies[e.Path] = append(h.bodies[e.Path], e.Body)
	if m := bundlePath.FindStringSubmatch(e.Path); m != nil {
		h.puts[m[1]] = append(h.puts[m[1]], put{i, e})
	}
}

// body is what a path may have that has this SHA-256.
func (h *history) body(path, sha string) []byte {
	for _, body := range h.bodies[path] {
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) == sha {
			return body
		}
	}
	return nil
}

func (h *history) answer(i int, e archivetest.Entry) {
	switch {
	case e.Method == http.MethodHead && e.Status == http.StatusNotFound:
		h.absent[e.Path] = true
	case e.Status == http.StatusOK:
		h.answers[e.Path] = append(h.answers[e.Path], i)
	}
}

// overwrites tells whether a PUT may have replaced what was there: it has no
// condition, though the store takes them, or the path was not seen to be free.
func (h *history) overwrites(put archivetest.Entry) bool {
	free, copied := h.absent[put.Path], put.Header.Get("X-Amz-Copy-Source") != ""
	if put.Status >= 200 && put.Status < 300 { // else it may be sent again, with the same bytes
		delete(h.absent, put.Path)
	}
	if put.Header.Get("If-None-Match") == "*" {
		h.noConditions[copied] = h.noConditions[copied] || put.Status == http.StatusNotImplemented
		return false
	}
	return !h.noConditions[copied] || !free
}
