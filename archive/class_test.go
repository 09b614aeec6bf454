package archive

import (
	"slices"
	"testing"
)

func TestParseClass(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // as it is written in keys; empty: refused
	}{
		{"1d", "1d"},
		{"7d", "7d"},
		{"1w", "7d"},
		{"2w", "14d"},
		{"forever", "forever"},
		{"36500d", "36500d"}, // 100 years, the longest
		{"5214w", "36498d"},
		{"36501d", ""},
		{"5215w", ""},
		{"65543d", ""}, // would be 7 in 16 bits
		{"99999999999999999999d", ""},
		{"0d", ""},
		{"0w", ""},
		{"-1d", ""},
		{"+1d", ""},
		{"1.5d", ""},
		{"", ""},
		{"7", ""},
		{"d", ""},
		{"w", ""},
		{"7h", ""},
		{"1m", ""}, // a month or a minute
		{"1y", ""},
		{"7D", ""},
		{"7 d", ""},
		{" 7d", ""},
		{"7dd", ""},
		{"7dw", ""},
		{"٧d", ""},
		{"Forever", ""},
		{"never", ""},
	} {
		got, err := ParseClass(tt.text)
		if (err == nil) != (tt.want != "") {
			t.Errorf("ParseClass(%q): error %v, want %q", tt.text, err, tt.want)
			continue
		}
		if err == nil && got.String() != tt.want {
			t.Errorf("ParseClass(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestEveryClassIsReadAsItIsWritten(t *testing.T) {
	for days := range 36501 {
		class := Class{days}
		if got, err := ParseClass(class.String()); err != nil || got != class {
			t.Fatalf("ParseClass(%q) = %v, %v", class, got, err)
		}
	}
}

func TestAtLeast(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"7d", "7d", true},
		{"8d", "7d", true},
		{"7d", "8d", false},
		{"forever", "36500d", true},
		{"36500d", "forever", false},
		{"forever", "forever", true},
	} {
		if got := class(t, tt.a).AtLeast(class(t, tt.b)); got != tt.want {
			t.Errorf("%s at least %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestClassesUnmarshalText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // nil: refused
	}{
		{"one class", "7d", []string{"7d"}},
		{"the order is kept, the first is the default", "30d,7d,forever", []string{"30d", "7d", "forever"}},
		{"white space and empty items are dropped", " 7d , ,30d,", []string{"7d", "30d"}},
		{"weeks are written as days", "1w,2w", []string{"7d", "14d"}},
		{"the same class twice is one", "7d,1w,30d,7d", []string{"7d", "30d"}},
		{"nothing", "", nil},
		{"only commas", " , ,", nil},
		{"one bad item spoils the list", "7d,1y", nil},
		{"less than a day", "0d", nil},
	} {
		var got Classes
		err := got.UnmarshalText([]byte(tt.text))
		if (err != nil) != (tt.want == nil) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		var names []string
		for _, c := range got {
			names = append(names, c.String())
		}
		if !slices.Equal(names, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, names, tt.want)
		}
		if err == nil && got.Default().String() != tt.want[0] {
			t.Errorf("%s: the default is %s, want %s", tt.name, got.Default(), tt.want[0])
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, tt := range []struct {
		name, classes, want string
		got                 string // empty: no class is long enough
	}{
		{"a configured class stays", "7d,30d,90d", "30d", "30d"},
		{"the next longer one is taken", "7d,30d,90d", "8d", "30d"},
		{"whatever the order", "7d,forever,90d,30d", "8d", "30d"},
		{"exactly the longest", "7d,30d,90d", "90d", "90d"},
		{"longer than all", "7d,30d,90d", "91d", ""},
		{"forever is longer than all that end", "7d,30d", "forever", ""},
		{"forever where it is configured", "7d,forever", "forever", "forever"},
		{"forever is the next longer one", "7d,forever", "8d", "forever"},
		{"never shorter than the default", "30d,7d,90d", "7d", "30d"},
		{"never shorter than the default, between two", "30d,7d,14d", "8d", "30d"},
		{"never shorter than a default of forever", "forever,7d", "7d", "forever"},
		{"shorter than every class is the default", "7d,30d", "1d", "7d"},
	} {
		var classes Classes
		if err := classes.UnmarshalText([]byte(tt.classes)); err != nil {
			t.Fatal(err)
		}
		got, ok := classes.RoundUp(class(t, tt.want))
		if ok != (tt.got != "") || ok && got.String() != tt.got {
			t.Errorf("%s: %s of %s: %s, %v, want %q", tt.name, tt.want, tt.classes, got, ok, tt.got)
		}
	}
}

func class(t testing.TB, text string) Class {
	t.Helper()
	c, err := ParseClass(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
