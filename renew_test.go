package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

const day = 24 * time.Hour

// archivedLongAgo makes all pods archived and kept, and three days pass.
func archivedLongAgo(w *stubs) {
	w.run("RECLAIM_DELETE_AFTER=48h")
	w.later(3 * day)
}

// hold holds all pods of the namespace default, or no longer.
func (w *stubs) hold(held bool) {
	ns := &corev1.Namespace{}
	if held {
		ns.ObjectMeta = metav1.ObjectMeta{Annotations: map[string]string{"pod-reclaimer/hold": "true"}}
	}
	w.api.Set("/api/v1/namespaces/default", ns)
}

// expire removes what is past its retention date, as a lifecycle rule does.
func (w *stubs) expire(now time.Time) {
	for _, key := range w.store.Bundles() {
		if w.store.Object(key).Metadata["retain-until"] <= now.UTC().Format(time.DateOnly) {
			w.store.Remove(key)
		}
	}
}

// Retention counts from the day the pod left the cluster: a pod that is held for
// twenty days of a class of seven has its evidence all the time, with the log
// that was there on the first day, and seven days more from its delete.
func TestHeldForTwentyDays(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a"))
	log := reclaimtest.Lines(pod.CreationTimestamp.Time, "first", "last")
	w.api.SetLog("default/a", "main", log)
	w.hold(true)
	w.run().expect(t, 0, "archived", len(w.store.Bundles()) == 1)
	w.api.SetLog("default/a", "main", "")
	renewed := 0
	for d := 1; d <= 20; d++ {
		w.later(time.Duration(d) * day)
		e := w.run()
		e.expect(t, 0, "held, not archived again", e.summary.Kept["hold"] == 1 && e.summary.Archived == 0)
		renewed += e.summary.Renewed
		w.expire(time.Now().Add(time.Duration(d) * day))
		if len(w.store.Bundles()) == 0 {
			t.Fatalf("day %d: no bundle is left", d)
		}
	}
	if renewed != 2 {
		t.Errorf("renewed %d times, want 2", renewed)
	}
	w.hold(false)
	e := w.run()
	e.expect(t, 0, "renewed and deleted", e.summary.Deleted == 1 && e.summary.Renewed == 1 && e.summary.Archived == 0)
	w.expire(time.Now().Add(27 * day))
	left := w.store.Bundles()
	if len(left) != 1 {
		t.Fatalf("seven days later there are the bundles %v", left)
	}
	b, err := archivetest.OpenBundle(left[0], w.store.Object(left[0]).Body)
	if err != nil || string(b.Files["logs/main.log"]) != log {
		t.Errorf("the log in %s is %q, %v", left[0], b.Files["logs/main.log"], err)
	}
}

// A bundle archived over a day before its pod goes is copied; a dry run only
// says so. A run after one that died finds the copy (see the kill tests).
func TestRenewedBeforeTheDelete(t *testing.T) {
	for name, strict := range map[string]archivetest.Strict{
		"by the store":                          archivetest.Strictest(),
		"by hand, where the store cannot":       {Copies: true},
		"by hand, where it has no conditions":   {Copies: true, Conditions: true},
		"by the store, where it has none":       {Conditions: true},
		"by the store, where copies have none":  {CopyConditions: true},
		"by hand, where the store can do least": archivetest.Least(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			if strict.Tags {
				w.env["ARCHIVE_TAGGING"] = "off"
			}
			w.store.Refusing(strict)
			w.api.Add(ranPod("a"))
			archivedLongAgo(w)
			e := w.run("RECLAIM_DRY_RUN=true")
			e.expect(t, 0, "what would happen", e.summary.Renewed == 1 && e.summary.Deleted == 1 && len(w.store.Bundles()) == 1)
			e = w.run()
			e.expect(t, 0, "renewed and deleted", e.summary.Renewed == 1 && e.summary.Deleted == 1 && e.summary.Archived == 0)
			keys := w.store.Bundles()
			if len(keys) != 2 || !strings.HasSuffix(keys[1], "_2.tar.zst") {
				t.Fatalf("bundles: %v", keys)
			}
			first, second := w.store.Object(keys[0]), w.store.Object(keys[1])
			if string(first.Body) != string(second.Body) || first.Metadata["retain-until"] >= second.Metadata["retain-until"] {
				t.Errorf("%v was renewed as %v", first.Metadata, second.Metadata)
			}
			if tag := second.Tags.Get("retain-until"); !strict.Tags && tag != second.Metadata["retain-until"] {
				t.Errorf("the copy's tag says %q", tag)
			}
		})
	}
}

// An earlier bundle that lacks what is asked now is not enough: it is copied, or
// where the class is another, archived under that.
func TestAskedForMoreLater(t *testing.T) {
	for _, c := range []struct {
		before, now       string
		renewed, archived int
	}{
		{"ARCHIVE_OBJECT_LOCK=off", "ARCHIVE_OBJECT_LOCK=compliance", 1, 0},
		{"ARCHIVE_OBJECT_LOCK=governance", "ARCHIVE_OBJECT_LOCK=compliance", 1, 0},
		{"ARCHIVE_OBJECT_LOCK=compliance", "ARCHIVE_OBJECT_LOCK=governance", 0, 0},
		{"ARCHIVE_TAGGING=off", "ARCHIVE_TAGGING=on", 1, 0},
		{"ARCHIVE_SSE=AES256", "ARCHIVE_SSE=aws:kms", 1, 0},
		{"ARCHIVE_STORAGE_CLASS=STANDARD", "ARCHIVE_STORAGE_CLASS=STANDARD_IA", 0, 0},
		{"ARCHIVE_RETENTION=7d", "ARCHIVE_RETENTION=30d", 0, 1},
		{"ARCHIVE_RETENTION=7d,forever", "ARCHIVE_RETENTION=forever,7d", 0, 1},
	} {
		t.Run(c.before+" "+c.now, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.store.EnableObjectLock(false)
			w.api.Add(ranPod("a"))
			e := w.run("RECLAIM_DELETE_AFTER=24h", c.before)
			e.expect(t, 0, "archived", e.summary.Archived == 1)
			e = w.run(c.now)
			e.expect(t, 0, "deleted", e.summary.Deleted == 1 && e.summary.Renewed == c.renewed && e.summary.Archived == c.archived)
		})
	}
}

// A provisional bundle does not expire either while its pod waits for a log.
func TestProvisionalBundleIsRenewed(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		down := strings.HasSuffix(req.URL.Path, "/log")
		if down {
			reclaimtest.Refuse(rw, http.StatusInternalServerError, "", "dial tcp 10.0.0.1:10250: connect: connection refused")
		}
		return down
	})
	e := w.run()
	e.expect(t, 0, "provisional", e.summary.Provisional == 1)
	for d := 1; d <= 20; d++ {
		w.later(time.Duration(d) * day)
		e := w.run()
		e.expect(t, 0, "waiting", e.summary.Kept["log-wait"] == 1 && e.summary.Provisional == 0)
		w.expire(time.Now().Add(time.Duration(d) * day))
		if len(w.store.Bundles()) == 0 {
			t.Fatalf("day %d: no bundle is left", d)
		}
	}
}

// Two runs at once renew each bundle once.
func TestTwoRunsRenewAtOnce(t *testing.T) {
	w := newStubs(t)
	w.addPods(10)
	archivedLongAgo(w)
	var both sync.WaitGroup
	deleted := make(chan int, 2)
	w.journal.Mark()
	for range 2 {
		both.Go(func() {
			cmd, output := w.command()
			cmd.Run()
			e := read(t, cmd.ProcessState.ExitCode(), output.Bytes())
			e.expect(t, 0, "a sum that adds up", e.summary.Sum() == e.summary.Listed)
			deleted <- e.summary.Deleted
		})
	}
	both.Wait()
	if n := <-deleted + <-deleted; n != 10 || len(w.api.Names()) != 0 || len(w.store.Bundles()) != 20 {
		t.Errorf("deleted %d, left %d, bundles %d", n, len(w.api.Names()), len(w.store.Bundles()))
	}
}
