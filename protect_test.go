package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// putHeaders are the headers of all puts of bundles and of the run's record.
func (w *stubs) putHeaders() map[string]http.Header {
	found := map[string]http.Header{}
	for _, e := range w.journal.Entries() {
		if e.Server == "store" && e.Method == http.MethodPut && !strings.HasSuffix(e.Path, "/cluster.json") {
			found[e.Path] = e.Header
		}
	}
	return found
}

// What is asked for is sent with every object, is confirmed before the delete,
// and a lock's date is the tag's.
func TestProtection(t *testing.T) {
	for _, c := range []struct {
		name   string
		env    []string
		header string
		want   string
	}{
		{"governance", []string{"ARCHIVE_OBJECT_LOCK=governance"}, "X-Amz-Object-Lock-Mode", "GOVERNANCE"},
		{"compliance", []string{"ARCHIVE_OBJECT_LOCK=compliance"}, "X-Amz-Object-Lock-Mode", "COMPLIANCE"},
		{"the store's keys", []string{"ARCHIVE_SSE=AES256"}, "X-Amz-Server-Side-Encryption", "AES256"},
		{"KMS, the default key", []string{"ARCHIVE_SSE=aws:kms"}, "X-Amz-Server-Side-Encryption", "aws:kms"},
		{"KMS", []string{"ARCHIVE_SSE=aws:kms", "ARCHIVE_KMS_KEY_ID=1234"}, "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id", "1234"},
		{"storage class", []string{"ARCHIVE_STORAGE_CLASS=STANDARD_IA"}, "X-Amz-Storage-Class", "STANDARD_IA"},
	} {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, lock hidden: %v", c.name, hidden), func(t *testing.T) {
				t.Parallel()
				w := newStubs(t)
				w.store.EnableObjectLock(hidden)
				w.api.Add(ranPod("a"))
				e := w.run(c.env...)
				e.expect(t, 0, "deleted", e.summary.Deleted == 1)
				for path, header := range w.putHeaders() {
					if header.Get(c.header) != c.want {
						t.Errorf("%s: %s is %q, want %q", path, c.header, header.Get(c.header), c.want)
					}
					until := header.Get("X-Amz-Object-Lock-Retain-Until-Date")
					if until != "" && (!strings.HasSuffix(until, "T00:00:00Z") || !strings.Contains(header.Get("X-Amz-Tagging"), until[:len("2006-01-02")])) {
						t.Errorf("%s is locked until %s, its tags are %s", path, until, header.Get("X-Amz-Tagging"))
					}
				}
			})
		}
	}
}

// A store that drops what it was asked for costs no pod; also not when it did
// so in an earlier run, or when it was not asked then.
func TestProtectionThatIsMissing(t *testing.T) {
	const mode, until, sse, key = "X-Amz-Object-Lock-Mode", "X-Amz-Object-Lock-Retain-Until-Date",
		"X-Amz-Server-Side-Encryption", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"
	lock, kms := "ARCHIVE_OBJECT_LOCK=compliance", "ARCHIVE_SSE=aws:kms"
	for name, c := range map[string]struct {
		env []string
		lie func(http.Header)
	}{
		"no lock":          {[]string{lock}, func(h http.Header) { h.Del(mode); h.Del(until) }},
		"a weaker lock":    {[]string{lock}, func(h http.Header) { h.Set(mode, "GOVERNANCE") }},
		"a shorter lock":   {[]string{lock}, func(h http.Header) { h.Set(until, "2020-01-01T00:00:00Z") }},
		"not encrypted":    {[]string{kms}, func(h http.Header) { h.Del(sse) }},
		"otherwise so":     {[]string{kms}, func(h http.Header) { h.Set(sse, "AES256") }},
		"with another key": {[]string{kms, "ARCHIVE_KMS_KEY_ID=1234"}, func(h http.Header) { h.Set(key, "arn:aws:kms:us-east-1:1:key/5678") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.store.EnableObjectLock(false)
			w.api.Add(ranPod("a"))
			w.store.LieWith(func(key string, o *archivetest.Stored) {
				if strings.Contains(key, "/pods/") {
					c.lie(o.Header)
				}
			})
			e := w.run(c.env...)
			e.expect(t, 3, "a failure to verify", e.summary.Failed["verify"] == 1 && len(w.api.Names()) == 1)
			w.store.LieWith(nil)
			e = w.run(c.env...)
			e.expect(t, 0, "the pod done under a later number", e.summary.Deleted == 1 && len(w.store.Bundles()) == 3)
		})
	}
}

// With a lock the bucket must have Object Lock, which is found out before the
// first pod.
func TestLockWithoutLockOnTheBucket(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	e := w.run("ARCHIVE_OBJECT_LOCK=governance")
	e.expect(t, 1, "the variable named", strings.Contains(e.output, "ARCHIVE_OBJECT_LOCK=governance: bucket bundles has no Object Lock"))
	if len(w.putHeaders()) != 0 {
		t.Error("something was put")
	}
}
