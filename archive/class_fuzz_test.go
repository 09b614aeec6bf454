package archive

import (
	"strings"
	"testing"
	"time"
)

// A class that can be read is written so that it reads the same, and keeps a
// bundle at least as long as it says, at most a day longer.
func FuzzParseClass(f *testing.F) {
	for _, text := range []string{"7d", "1w", "36500d", "36501d", "0d", "forever", "07d", "+7d", "-1d", "7 d", "7D", "d", "", "5214w", "65536d", "7dw", "٧d"} {
		f.Add(text, int64(1_709_208_000))
	}
	f.Add("1d", int64(86_399))
	f.Add("30d", int64(-1))
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		c, err := ParseClass(text)
		if err != nil {
			if c != (Class{}) && text != "forever" {
				t.Errorf("%q: %s in spite of %v", text, c, err)
			}
			return
		}
		if back, err := ParseClass(c.String()); err != nil || back != c {
			t.Errorf("%q is written %s, which is read as %s, %v", text, c, back, err)
		}
		if c.Forever() != (text == "forever") || c.days < 0 || c.days > 36500 {
			t.Errorf("%q: %d days", text, c.days)
		}
		if c.Forever() || unix < -1<<36 || unix > 1<<36 {
			return
		}
		archived := time.Unix(unix, 0)
		until, least := c.RetainUntil(archived), archived.Add(time.Duration(c.days)*24*time.Hour)
		if !until.After(least) || until.After(least.Add(24*time.Hour)) || until.Unix()%86_400 != 0 {
			t.Errorf("%s from %s is %s", c, archived.UTC(), until)
		}
	})
}

// The class that a bundle gets is a configured one, keeps it at least as long
// as is asked for and as the default does, and no shorter one would.
func FuzzClasses(f *testing.F) {
	f.Add("7d,30d,forever", "8d")
	f.Add("30d,7d", "1d")
	f.Add(" 1w ,, 7d,7d", "7d")
	f.Add("forever,1d", "400d")
	f.Add(",", "1d")
	f.Fuzz(func(t *testing.T, list, wanted string) {
		var classes Classes
		if classes.UnmarshalText([]byte(list)) != nil {
			if len(classes) > 0 {
				t.Errorf("%q: refused, and %v", list, classes)
			}
			return
		}
		seen := map[Class]bool{}
		for _, c := range classes {
			if seen[c] || !strings.Contains(list, strings.TrimSuffix(c.String(), "d")) && !strings.Contains(list, "w") {
				t.Errorf("%q: %s in %v", list, c, classes)
			}
			seen[c] = true
		}
		want, err := ParseClass(wanted)
		if err != nil {
			return
		}
		got, ok := classes.RoundUp(want)
		for _, c := range classes {
			enough := c.AtLeast(want) && c.AtLeast(classes.Default())
			if enough && (!ok || !c.AtLeast(got)) {
				t.Errorf("%v for %s: %s, though %s is enough", classes, want, got, c)
			}
		}
		if ok && (!seen[got] || !got.AtLeast(want) || !got.AtLeast(classes.Default())) {
			t.Errorf("%v for %s: %s", classes, want, got)
		}
	})
}
