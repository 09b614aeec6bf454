package reclaim

import (
	"strconv"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Whatever stands in the annotations: no retention is shorter than the default
// or than what is asked for; what does not parse is an error, and so keeps the
// pod; and a hold is never missed.
func FuzzOverrides(f *testing.F) {
	f.Add("7d,30d", "true", true, "30d", true, "", false, "", false)
	f.Add("7d,30d", "yes", true, "8d", true, "false", true, "1d", true)
	f.Add("30d", "", false, "", false, "T", true, "forever", true)
	f.Add("1d,forever", "0", true, "a month", true, "1", true, "40000d", true)
	f.Fuzz(func(t *testing.T, list, podHold string, podHasHold bool, podRetention string, podHasRetention bool,
		nsHold string, nsHasHold bool, nsRetention string, nsHasRetention bool) {
		var classes archive.Classes
		if classes.UnmarshalText([]byte(list)) != nil {
			t.Skip("no classes")
		}
		notes := func(hold string, hasHold bool, retention string, hasRetention bool) map[string]string {
			m := map[string]string{"example.com/other": "x"}
			if hasHold {
				m[HoldAnnotation] = hold
			}
			if hasRetention {
				m[RetentionAnnotation] = retention
			}
			return m
		}
		pod, ns := notes(podHold, podHasHold, podRetention, podHasRetention), notes(nsHold, nsHasHold, nsRetention, nsHasRetention)
		got, err := overrides(pod, Namespace{Readable: true, Annotations: ns}, classes)
		if _, err := overrides(pod, Namespace{}, classes); err == nil {
			t.Error("an unreadable namespace is no error")
		}
		if !got.class.AtLeast(classes.Default()) || err != nil && got.class != classes.Default() {
			t.Errorf("class %s, the default is %s, error %v", got.class, classes.Default(), err)
		}
		hold, hasHold := first(podHold, podHasHold, nsHold, nsHasHold)
		held, bad := strconv.ParseBool(hold)
		if err == nil && hasHold && (bad != nil || held != got.hold) || !hasHold && got.hold {
			t.Errorf("hold %q: %v", hold, got.hold)
		}
		retention, hasRetention := first(podRetention, podHasRetention, nsRetention, nsHasRetention)
		want, bad := archive.ParseClass(retention)
		if err == nil && hasRetention && (bad != nil || !got.class.AtLeast(want)) {
			t.Errorf("retention %q: %s", retention, got.class)
		}
		if err == nil && !hasRetention && got.class != classes.Default() {
			t.Errorf("no retention asked for: %s", got.class)
		}
	})
}

// first is a if it is there, else b.
func first(a string, hasA bool, b string, hasB bool) (string, bool) {
	if hasA {
		return a, true
	}
	return b, hasB
}
