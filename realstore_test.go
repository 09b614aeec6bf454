package main

import (
	"os"
	"strings"
	"testing"
)

// On real servers, in each kind of bucket, with the longest name that a pod can
// have: bundles that were archived with less than is asked for now are copied,
// and the pods deleted.
func TestRenewedOnRealStore(t *testing.T) {
	for _, c := range []struct{ bucket, before, now string }{
		{"TESTBED_BUCKET", "ARCHIVE_TAGGING=off", "ARCHIVE_TAGGING=on"},
		{"TESTBED_BUCKET_VERSIONED", "ARCHIVE_TAGGING=off", "ARCHIVE_TAGGING=on"},
		{"TESTBED_BUCKET_LOCKED", "ARCHIVE_OBJECT_LOCK=off", "ARCHIVE_OBJECT_LOCK=governance"},
		{"TESTBED_BUCKET_LOCKED", "ARCHIVE_OBJECT_LOCK=governance", "ARCHIVE_OBJECT_LOCK=compliance"},
	} {
		t.Run(c.bucket+" "+c.now, func(t *testing.T) {
			b := newBed(t)
			b.env["ARCHIVE_BUCKET"] = os.Getenv(c.bucket)
			b.endedPod(strings.Repeat("a", 253))
			b.endedPod("b")
			e := b.run("RECLAIM_DELETE_AFTER=1000000h", c.before)
			e.expect(t, 0, "archived", e.summary.Archived == 2 && e.summary.Kept["young"] == 2)
			e = b.run(c.now)
			e.expect(t, 0, "renewed and deleted", e.summary.Renewed == 2 && e.summary.Deleted == 2 && e.summary.Archived == 0)
		})
	}
}
