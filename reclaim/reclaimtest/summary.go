package reclaimtest

// Summary is the final line of a run, as a reader of the logs sees it.
type Summary struct {
	Listed, Deleted, Gone, Pending, Remaining int
	Kept, Skipped, Failed                     map[string]int
	Archived, Provisional, Renewed            int
	Logs                                      map[string]int
	DeletedWithoutLogs                        int
	DeletedWithPartialLogs                    int
}

// Sum is the number of pods that have an outcome.
func (s Summary) Sum() int {
	n := s.Deleted + s.Gone + s.Pending + s.Remaining
	for _, counts := range []map[string]int{s.Kept, s.Skipped, s.Failed} {
		for _, c := range counts {
			n += c
		}
	}
	return n
}
