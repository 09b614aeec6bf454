package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A full spool fails the pod, names the directory, leaves nothing behind and
// loses nothing.
func TestFullSpool(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to mount a small file system")
	}
	w := newStubs(t)
	spool := w.env["ARCHIVE_SPOOL_DIR"]
	if err := syscall.Mount("tmpfs", spool, "tmpfs", 0, "size=256k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(spool, syscall.MNT_DETACH) })
	pod := w.api.Add(ranPod("a"))
	w.api.Add(ranPod("small"))
	log := reclaimtest.Lines(pod.CreationTimestamp.Time, strings.Repeat("x", 3<<20))
	w.api.SetLog("default/a", "main", log)

	e := w.run()
	e.expect(t, 3, "one failed, naming the directory, the small one deleted",
		e.summary.Failed["bundle"] == 1 && e.summary.Deleted == 1 && strings.Contains(e.output, spool) && strings.Contains(e.output, "ARCHIVE_SPOOL_DIR"))
	if err := syscall.Unmount(spool, 0); err != nil {
		t.Fatal(err)
	}
	e = w.run()
	e.expect(t, 0, "deleted once there is room", e.summary.Deleted == 1 && e.summary.Logs["complete"] == 1)
}
