package archive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// More than fits one page and one batch; and stores that refuse batches, or some
// of one.
func TestExpireMany(t *testing.T) {
	const n = 2345
	for name, c := range map[string]struct {
		strict archivetest.Strict
		fault  func(http.ResponseWriter, *http.Request) bool
		want   Past
		failed int
		err    string
	}{
		"batches":         {archivetest.Strictest(), nil, Past{Bundles: n, Bytes: n}, 0, ""},
		"singles":         {archivetest.Least(), nil, Past{Bundles: n, Bytes: n}, 0, ""},
		"a batch refused": {archivetest.Strictest(), refusing(http.MethodPost, "", http.StatusBadRequest), Past{Bundles: n, Bytes: n}, 0, ""},
		"one refused":     {archivetest.Least(), refusing(http.MethodDelete, "/pod-7/", http.StatusBadRequest), Past{Bundles: n - 1, Bytes: n - 1}, 1, ""},
		"all refused":     {archivetest.Least(), refusing(http.MethodDelete, "", http.StatusForbidden), Past{}, 0, "not allowed, needs s3:DeleteObject"},
		"no list":         {archivetest.Least(), refusing(http.MethodGet, "", http.StatusForbidden), Past{}, 0, "needs s3:ListBucket"},
	} {
		t.Run(name, func(t *testing.T) {
			b, store := openStub(t, Zstd)
			b.now = func() time.Time { return time.Now().Add(time.Minute) }
			store.Refusing(c.strict)
			key := exampleKey()
			key.Number, key.Class = 1, Class{7}
			for i := range n {
				key.Pod = fmt.Sprintf("pod-%d", i)
				store.Set(b.layout.object(key), &archivetest.Stored{Body: []byte("x"), Stored: time.Now().Add(-9 * day)})
			}
			if c.fault != nil {
				store.Journal.Before(func(_ string, w http.ResponseWriter, req *http.Request) bool { return c.fault(w, req) })
			}
			failed := 0
			e, err := b.Expire(t.Context(), ExpireOptions{Confirm: true, Refused: func(error) { failed++ }})
			if e.Past[Class{7}] != c.want || e.Failed != c.failed || failed != c.failed || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

func refusing(method, part string, code int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != method || !strings.Contains(req.URL.Path, part) {
			return false
		}
		archivetest.Refuse(w, code, "AsTheTestWants")
		return true
	}
}

// A clock that is wrong deletes nothing.
func TestExpireWrongClock(t *testing.T) {
	b, store := openStub(t, Zstd)
	b.now = func() time.Time { return time.Now().Add(365 * day) }
	store.Set("prod-1/pods/7d/shop/a/"+uid+"_1.tar.zst", &archivetest.Stored{Body: []byte("x")})
	if _, err := b.Expire(t.Context(), ExpireOptions{Confirm: true}); err == nil || !strings.Contains(err.Error(), "clocks") || len(store.Keys()) != 1 {
		t.Errorf("%v, left %v", err, store.Keys())
	}
}

// Interrupted, it stops; what was deleted is told.
func TestExpireInterrupted(t *testing.T) {
	b, store := openStub(t, Zstd)
	store.Refusing(archivetest.Least())
	for i := range 3000 {
		store.Set(fmt.Sprintf("prod-1/pods/7d/shop/pod-%d/%s_1.tar.zst", i, uid), &archivetest.Stored{Body: []byte("x"), Stored: time.Now().Add(-9 * day)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	store.Journal.After(func(_ string, req *http.Request) {
		if req.Method == http.MethodDelete {
			cancel()
		}
	})
	e, err := b.Expire(ctx, ExpireOptions{Confirm: true, Refused: func(error) {}})
	if !errors.Is(err, context.Canceled) || e.Past[Class{7}].Bundles > 1000 || len(store.Keys()) < 2000 {
		t.Errorf("%+v, %v, %d left", e, err, len(store.Keys()))
	}
}

func TestPast(t *testing.T) {
	stored := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		class  Class
		stored time.Time
		now    string
		want   bool
	}{
		{Class{7}, stored, "2026-12-09T23:59:59Z", false},
		{Class{7}, stored, "2026-12-10T00:00:00Z", true},
		{Class{7}, time.Time{}, "2026-12-10T00:00:00Z", false},
		{Class{}, stored, "2199-12-10T00:00:00Z", false},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if got := c.class.Past(c.stored, now); err != nil || got != c.want {
			t.Errorf("%s stored %s at %s: %v", c.class, c.stored, c.now, got)
		}
	}
}
