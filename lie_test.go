package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// lies are what a store may keep instead of what it was given, while it answers
// that all is well.
var lies = map[string]func(*archivetest.Stored){
	"keeps nothing":                      func(o *archivetest.Stored) { o.Lost = true },
	"one bit flipped":                    func(o *archivetest.Stored) { o.Body[len(o.Body)/2] ^= 1 },
	"one bit flipped, and no ETag":       func(o *archivetest.Stored) { o.Body[len(o.Body)/2] ^= 1; o.Header.Set("ETag", `"none"`) },
	"one byte short":                     func(o *archivetest.Stored) { o.Body = o.Body[:len(o.Body)-1] },
	"one byte short, and says it is not": func(o *archivetest.Stored) { o.Body = o.Body[:len(o.Body)-1]; o.Header.Set("ETag", `"none"`) },
	"no bytes":                           func(o *archivetest.Stored) { o.Body = nil },
	"chunk framing":                      func(o *archivetest.Stored) { o.Body = append([]byte("10;chunk-signature=0\r\n"), o.Body...) },
	"no tags":                            func(o *archivetest.Stored) { o.Tags = nil },
	"another retention date":             func(o *archivetest.Stored) { o.Tags.Set("retain-until", "2020-01-01") },
	"another class":                      func(o *archivetest.Stored) { o.Tags.Set("retention", "1d") },
	"no metadata":                        func(o *archivetest.Stored) { o.Metadata = nil },
	"another UID":                        func(o *archivetest.Stored) { o.Metadata["uid"] = "x" },
	"another time of archive":            func(o *archivetest.Stored) { o.Metadata["archived-at"] = "2020-01-01T00:00:00Z" },
	"a content encoding":                 func(o *archivetest.Stored) { o.Header.Set("Content-Encoding", "aws-chunked") },
	"seen only later":                    func(o *archivetest.Stored) { o.Late = 2 },
}

// lieAboutBundles makes the store lie; nil ends it.
func (w *stubs) lieAboutBundles(lie func(*archivetest.Stored)) {
	if lie == nil {
		w.store.LieWith(nil)
		return
	}
	w.store.LieWith(func(key string, o *archivetest.Stored) {
		if strings.Contains(key, "/pods/") {
			lie(o)
		}
	})
}

// A store that lies about what it keeps costs no pod; also not when it lied to
// an earlier run.
func TestStoreThatLies(t *testing.T) {
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			w.lieAboutBundles(lie)
			e := w.run()
			e.expect(t, 3, "a failure to verify", e.summary.Failed["verify"] == 1 && len(w.api.Names()) == 1)
			if n := w.journal.Count("store", "PUT", "/pods/"); n != 2 {
				t.Errorf("%d puts: want the first and one more try", n)
			}

			w.lieAboutBundles(nil)
			e = w.run()
			e.expect(t, 0, "deleted", e.summary.Deleted == 1)
		})
	}
}

// A lie about a copy costs no pod either, and the first bundle is still there to
// copy from.
func TestStoreThatLiesAboutACopy(t *testing.T) {
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a"))
			archivedLongAgo(w)
			w.lieAboutBundles(lie)
			e := w.run()
			e.expect(t, 3, "a failure to verify", e.summary.Failed["verify"] == 1 && len(w.api.Names()) == 1)
			w.lieAboutBundles(nil)
			e = w.run()
			e.expect(t, 0, "deleted, not captured again", e.summary.Deleted == 1 && e.summary.Archived == 0)
		})
	}
}

// An ETag that is no MD5 is no lie: the bundle is read back.
func TestETagThatIsNoMD5(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.store.LieWith(func(_ string, o *archivetest.Stored) { o.Header.Set("ETag", `"0123-1"`) })
	e := w.run()
	e.expect(t, 0, "deleted", e.summary.Deleted == 1)
	if n := w.journal.Count("store", http.MethodGet, ".tar.zst"); n != 2 {
		t.Errorf("%d GETs of the bundle, want its bytes and its tags", n)
	}
}
