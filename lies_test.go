package main

import (
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// A store that was broken for some runs leaves several bundles that do not
// match; once it is well, they are passed over.
func TestStoreThatLiedForSomeRuns(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.store.LieWith(func(key string, o *archivetest.Stored) {
		if strings.Contains(key, "/pods/") {
			o.Tags = nil
		}
	})
	for range 3 {
		e := w.run()
		e.expect(t, 3, "a failure to verify", e.summary.Failed["verify"] == 1)
	}
	bad := len(w.store.Bundles())
	w.store.LieWith(nil)
	e := w.run()
	e.expect(t, 0, "the pod done under the next number", e.summary.Deleted == 1 && len(w.store.Bundles()) == bad+1)
}
