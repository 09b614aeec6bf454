package randomtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// Finding is something that the program should not have done.
type Finding struct {
	Case *Case // nil: the whole world's
	What string
}

// Judge looks at all that was done so far.
func (w *World) Judge() []Finding {
	var found []Finding
	for _, v := range reclaimtest.Violations(w.Journal.Entries()) {
		path, _, _ := strings.Cut(v, ": ")
		found = append(found, Finding{w.caseOf(path), "invariant broken: " + v})
	}
	seen := map[string]int{} // PUTs by path
	kept := map[string]int{} // days of the longest class, by "uid_resourceVersion"
	for _, e := range w.Journal.Entries() {
		if e.Server != "store" || e.Method != http.MethodPut || !strings.Contains(e.Path, "/pods/") {
			continue
		}
		c := w.caseOf(e.Path)
		then := c.snapshot(e.Path, seen)
		if e.Header.Get("X-Amz-Copy-Source") != "" {
			continue // of a bundle that is judged
		}
		b, err := archivetest.OpenBundle(e.Path, e.Body)
		if err != nil {
			found = append(found, Finding{c, fmt.Sprintf("%s: %v", e.Path, err)})
			continue
		}
		if !strings.Contains(e.Path, "/"+b.Index.UID+"_"+b.Index.ResourceVersion) {
			found = append(found, Finding{c, e.Path + ": its name is another pod's or state's"})
		}
		for _, what := range c.untrue(b, then, strings.Contains(e.Path, "_nologs")) {
			found = append(found, Finding{c, e.Path + ": " + what})
		}
		if !strings.Contains(e.Path, "_nologs") {
			state := b.Index.UID + "_" + b.Index.ResourceVersion
			kept[state] = max(kept[state], classDays(b.Index.Class))
		}
	}
	for _, d := range w.deletes {
		for _, what := range d.wrong(kept[string(d.pod.UID)+"_"+d.pod.ResourceVersion]) {
			found = append(found, Finding{d.c, fmt.Sprintf("run %d, deleted %s at %s: %s", d.run, d.pod.UID, d.pod.ResourceVersion, what)})
		}
	}
	return found
}
