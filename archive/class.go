package archive

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Class is how long a bundle is kept, counted in whole days from the moment it
// is archived. The zero Class means forever.
type Class struct{ days int }

// ParseClass reads "7d", "2w" (normalised to days) or "forever". A class is at
// least one day and at most 100 years.
func ParseClass(s string) (Class, error) {
	if s == "forever" {
		return Class{}, nil
	}
	unit := map[string]int{"d": 1, "w": 7}
	for suffix, days := range unit {
		number, ok := strings.CutSuffix(s, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 || int(n)*days > 36500 {
			break
		}
		return Class{days: int(n) * days}, nil
	}
	return Class{}, fmt.Errorf("retention %q: want a number of days or weeks (7d, 2w), at least 1d, or forever", s)
}

// String is the form used in keys, tags and configuration: "7d" or "forever".
func (c Class) String() string {
	if c.Forever() {
		return "forever"
	}
	return strconv.Itoa(c.days) + "d"
}

// Forever tells whether bundles of this class never expire.
func (c Class) Forever() bool { return c.days == 0 }

// AtLeast tells whether c keeps a bundle as long as d does, or longer.
func (c Class) AtLeast(d Class) bool {
	return c.Forever() || !d.Forever() && c.days >= d.days
}

// Over tells whether a bundle of this class that is so old may have expired.
func (c Class) Over(age time.Duration) bool {
	return !c.Forever() && age >= time.Duration(c.days)*day
}

// RetainUntil is the instant until which a bundle archived at this time is
// kept: archived plus the class, then the next midnight UTC. This is how S3
// lifecycle rules count Days from an object's creation, so the date follows
// from a LIST alone. It is the zero time for forever.
func (c Class) RetainUntil(archived time.Time) time.Time {
	if c.Forever() {
		return time.Time{}
	}
	return archived.UTC().Add(time.Duration(c.days) * day).Truncate(day).Add(day)
}

// Past tells whether what was stored at this time under this class is a full day
// past its retain-until. The day is for who is at work on it at midnight, and
// for a pod that is still there: its bundle is copied before that.
func (c Class) Past(stored, now time.Time) bool {
	return !c.Forever() && !stored.IsZero() && !now.Before(c.RetainUntil(stored).Add(day))
}

// Classes is a non-empty list of retention classes; the first is the default.
type Classes []Class

// UnmarshalText reads a comma list such as "7d,30d,forever". Empty items and
// repeated classes are dropped.
func (cs *Classes) UnmarshalText(text []byte) error {
	seen := map[Class]bool{}
	var list Classes
	for item := range strings.SplitSeq(string(text), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		class, err := ParseClass(item)
		if err != nil {
			return err
		}
		if !seen[class] {
			list = append(list, class)
		}
		seen[class] = true
	}
	if len(list) == 0 {
		return fmt.Errorf("no retention class given")
	}
	*cs = list
	return nil
}

// Default is the class of a pod that asks for none.
func (cs Classes) Default() Class { return cs[0] }

// RoundUp is the shortest configured class that keeps a bundle at least as
// long as want and as the default does; false if every class is shorter.
func (cs Classes) RoundUp(want Class) (Class, bool) {
	var best Class
	found := false
	for _, c := range cs {
		if c.AtLeast(want) && c.AtLeast(cs.Default()) && (!found || best.AtLeast(c)) {
			best, found = c, true
		}
	}
	return best, found
}
