package chaostest

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// figures count what a series was about.
type figures struct {
	pods, deleted, bundles, provisional, damaged, logs int
	bytes                                              int64
	killed                                             int
	outcomes                                           map[string]int
}

func (f *figures) print(w io.Writer) {
	fmt.Fprintf(w, "%8d  pods, %d of them deleted by the program\n", f.pods, f.deleted)
	fmt.Fprintf(w, "%8d  bundles read and compared, %d of them without logs, %d half kept by the store\n", f.bundles, f.provisional, f.damaged)
	fmt.Fprintf(w, "%8d  bytes in them\n", f.bytes)
	fmt.Fprintf(w, "%8d  logs compared with the nodes' files:", f.logs)
	for _, outcome := range slices.Sorted(maps.Keys(f.outcomes)) {
		fmt.Fprintf(w, " %s %d", outcome, f.outcomes[outcome])
	}
	fmt.Fprintln(w)
}
