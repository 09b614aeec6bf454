package archive

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// On every store exactly what is a full day past its date goes, with its
// versions, and not earlier.
func TestExpire(t *testing.T) {
	for _, store := range testStores(t) {
		t.Run(store.name, func(t *testing.T) {
			now, age := time.Now(), &aged{}
			b := store.openWith(t, Options{Now: func() time.Time { return now }, Wrap: age.wrap}, func(c *Config) { c.Retention = Classes{{7}, {30}} })
			expired, kept := fillArchive(t, b)
			// what was stored before this is a full day past its date
			limit := now.UTC().Truncate(day).Add(-8 * day)
			age.by = now.Sub(limit.Add(10 * time.Minute))
			if e := expire(t, b, true); len(e.Past) != 0 || e.Young != len(expired)+len(kept) || e.Foreign != len(foreign) {
				t.Fatalf("too early: %+v", e)
			}
			hide(t, b, expired[0])
			age.by = now.Sub(limit.Add(-time.Minute))
			markers := 0
			if versioned(t, b) {
				markers = 1
			}
			bundles, records := 5, 3
			if markers == 0 {
				bundles-- // what is deleted where there are no versions is gone
			}
			for _, confirm := range []bool{false, true} {
				e := expire(t, b, confirm)
				if p := e.Past[Class{7}]; len(e.Past) != 1 || p.Bundles != bundles || p.Records != records || p.Markers != markers || p.Bytes == 0 || e.Locked+e.Failed > 0 || e.Foreign != len(foreign) {
					t.Errorf("confirm %v: %+v", confirm, e)
				}
				left := names(t, b)
				if all := len(expired) + len(kept) + len(foreign); !confirm && len(left) != all-1+2*markers {
					t.Errorf("the plan deleted something: %d of %d left", len(left), all)
				}
				if want := slices.Sorted(slices.Values(slices.Concat(kept, foreignNames(b)))); confirm && !slices.Equal(left, want) {
					t.Errorf("left\n%s\nwant\n%s", strings.Join(left, "\n"), strings.Join(want, "\n"))
				}
			}
			if e := expire(t, b, true); len(e.Past) != 0 || e.Young != len(kept) {
				t.Errorf("once more: %+v", e)
			}
		})
	}
}

func expire(t *testing.T, b *Bucket, confirm bool) Expiry {
	t.Helper()
	e, err := b.Expire(t.Context(), ExpireOptions{Confirm: confirm, Refused: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A locked version stays, is named, and stops nothing.
func TestExpireLocked(t *testing.T) {
	for _, store := range testStores(t) {
		if !store.locks || store.less {
			continue
		}
		t.Run(store.name, func(t *testing.T) {
			age := &aged{}
			b := store.openWith(t, Options{Now: time.Now, Wrap: age.wrap})
			expired, kept := fillArchive(t, b)
			lockUntil(t, b, store.memory, expired[1], time.Now().Add(60*day))
			age.by = 20 * day
			var refused []string
			e, err := b.Expire(t.Context(), ExpireOptions{Confirm: true, Refused: func(err error) { refused = append(refused, err.Error()) }})
			if err != nil || e.Locked != 1 || e.Failed != 0 || e.Past[Class{7}].Bundles != 4 || e.Past[Class{7}].Records != 3 {
				t.Errorf("%+v, %v", e, err)
			}
			if len(refused) != 1 || !strings.Contains(refused[0], expired[1]) || !strings.Contains(refused[0], "locked until 20") {
				t.Errorf("refused: %q", refused)
			}
			if left := names(t, b); len(left) != 1+len(kept)+len(foreign) || !slices.Contains(left, expired[1]) {
				t.Errorf("left:\n%s", strings.Join(left, "\n"))
			}
		})
	}
}
