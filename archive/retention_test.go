package archive

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"
	_ "time/tzdata"
)

// inZone says that this process is one of inEveryZone's.
const inZone = "TEST_IN_ZONE"

// inEveryZone runs the test of t again in processes with other local time zones:
// where the program runs must not matter.
func inEveryZone(t *testing.T, check func(t *testing.T)) {
	if os.Getenv(inZone) != "" {
		if zone := time.Local.String(); zone != os.Getenv("TZ") {
			t.Fatalf("the local time zone is %s", zone)
		}
		check(t)
		return
	}
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), "TZ="+zone, inZone+"=1", "GORACE=atexit_sleep_ms=0")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("in %s: %v\n%s", zone, err, output)
		}
	}
}

func TestRetainUntil(t *testing.T) {
	cases := []struct {
		name, class, archived, want string
	}{
		{"the example of the S3 documentation", "3d", "2014-01-15T10:30:00Z", "2014-01-19T00:00:00Z"},
		{"one day", "1d", "2026-11-30T12:00:00Z", "2026-12-02T00:00:00Z"},
		{"a week", "7d", "2026-11-30T12:00:00Z", "2026-12-08T00:00:00Z"},
		{"a week as weeks", "1w", "2026-11-30T12:00:00Z", "2026-12-08T00:00:00Z"},
		{"the last second of a day", "7d", "2026-11-30T23:59:59Z", "2026-12-08T00:00:00Z"},
		{"exactly midnight goes to the next one", "7d", "2026-11-30T00:00:00Z", "2026-12-08T00:00:00Z"},
		{"just after midnight", "7d", "2026-11-30T00:00:00.000000001Z", "2026-12-08T00:00:00Z"},
		{"before Berlin loses an hour", "1d", "2024-03-30T23:30:00Z", "2024-04-01T00:00:00Z"},
		{"across Berlin's lost hour", "30d", "2024-03-30T23:30:00Z", "2024-04-30T00:00:00Z"},
		{"before Berlin gains an hour", "1d", "2024-10-26T23:30:00Z", "2024-10-28T00:00:00Z"},
		{"across Berlin's gained hour", "30d", "2024-10-26T23:30:00Z", "2024-11-26T00:00:00Z"},
		{"when São Paulo had no midnight", "1d", "2018-11-03T12:00:00Z", "2018-11-05T00:00:00Z"},
		{"into a leap day", "1d", "2024-02-27T12:00:00Z", "2024-02-29T00:00:00Z"},
		{"a year from a leap day", "365d", "2024-02-29T12:00:00Z", "2025-03-01T00:00:00Z"},
		{"across a year without one", "1d", "2026-02-27T12:00:00Z", "2026-03-01T00:00:00Z"},
		{"over the end of the year", "7d", "2026-12-30T12:00:00Z", "2027-01-07T00:00:00Z"},
		{"the longest class", "36500d", "2026-11-30T12:00:00Z", "2126-11-07T00:00:00Z"},
		{"given in another zone", "7d", "2026-11-30T23:30:00-05:00", "2026-12-09T00:00:00Z"},
	}
	inEveryZone(t, func(t *testing.T) {
		for _, tt := range cases {
			archived, err := time.Parse(time.RFC3339Nano, tt.archived)
			if err != nil {
				t.Fatal(err)
			}
			for _, archived := range []time.Time{archived, archived.Local(), archived.UTC()} {
				got := class(t, tt.class).RetainUntil(archived)
				if got.Format(time.RFC3339) != tt.want {
					t.Errorf("%s: archived %s, class %s: %s, want %s", tt.name, archived, tt.class, got.Format(time.RFC3339), tt.want)
				}
				if got.Location() != time.UTC {
					t.Errorf("%s: the date is in zone %s", tt.name, got.Location())
				}
			}
		}
	})
}

func TestRetainUntilIsNeverTooEarly(t *testing.T) {
	start := time.Date(2024, 2, 27, 0, 0, 0, 0, time.UTC)
	for minutes := range 4 * 24 * 60 {
		archived := start.Add(time.Duration(minutes) * time.Minute)
		for _, c := range []Class{{1}, {7}, {365}} {
			kept := c.RetainUntil(archived).Sub(archived)
			least := time.Duration(c.days) * 24 * time.Hour
			if kept <= least || kept > least+24*time.Hour {
				t.Fatalf("archived %s, class %s: kept for %s", archived, c, kept)
			}
		}
	}
}

func TestForeverHasNoDate(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if got := (Class{}).RetainUntil(now); !got.IsZero() {
		t.Errorf("RetainUntil = %s, want the zero time", got)
	}
	if got := retainUntil(Class{}, now); got != "never" {
		t.Errorf("retainUntil = %q, want never", got)
	}
}

func TestTags(t *testing.T) {
	// every store accepts these in a tag's value
	plain := regexp.MustCompile(`^[A-Za-z0-9._:-]+$`)
	inEveryZone(t, func(t *testing.T) {
		for _, tt := range []struct{ class, archived, header string }{
			{"7d", "2026-11-30T23:59:59Z", "retain-until=2026-12-08&retention=7d"},
			{"4w", "2024-03-30T23:30:00Z", "retain-until=2024-04-28&retention=28d"},
			{"forever", "2026-11-30T12:00:00Z", "retain-until=never&retention=forever"},
		} {
			archived, err := time.Parse(time.RFC3339, tt.archived)
			if err != nil {
				t.Fatal(err)
			}
			got := tags(class(t, tt.class), archived.Local())
			if header := encodeTags(got); header != tt.header {
				t.Errorf("class %s: %s, want %s", tt.class, header, tt.header)
			}
			for name, value := range got {
				if !plain.MatchString(value) {
					t.Errorf("tag %s: %q has characters that some stores refuse", name, value)
				}
			}
		}
	})
}

// archived is an object of this class, archived at this time.
func archived(t *testing.T, class_, at string) Object {
	return Object{class: class(t, class_), Metadata: map[string]string{metaArchivedAt: at}}
}

func TestWhenABundleIsRenewed(t *testing.T) {
	for _, tt := range []struct {
		class, archived, now string
		lapses, stale        bool
	}{
		{"7d", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z", false, false},
		{"7d", "2026-11-30T12:00:00Z", "2026-12-01T12:00:00Z", false, false},
		{"7d", "2026-11-30T12:00:00Z", "2026-12-01T12:00:01Z", false, true},
		{"7d", "2026-11-30T12:00:00Z", "2026-12-07T00:00:00Z", false, true}, // expires a day later
		{"7d", "2026-11-30T12:00:00Z", "2026-12-07T00:00:01Z", true, true},
		{"7d", "2026-11-30T12:00:00Z", "2027-12-07T00:00:00Z", true, true},
		{"1d", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z", false, false},
		{"1d", "2026-11-30T12:00:00Z", "2026-12-01T00:00:01Z", true, false},
		{"forever", "2026-11-30T12:00:00Z", "2126-11-30T12:00:00Z", false, false},
		{"7d", "no time", "2026-11-30T12:00:00Z", true, true},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		o := archived(t, tt.class, tt.archived)
		if o.Lapses(now) != tt.lapses || o.Stale(now) != tt.stale {
			t.Errorf("%s archived %s, now %s: lapses %v, stale %v", tt.class, tt.archived, tt.now, o.Lapses(now), o.Stale(now))
		}
	}
}

func TestOver(t *testing.T) {
	for _, tt := range []struct {
		class string
		age   time.Duration
		want  bool
	}{{"7d", 7*day - 1, false}, {"7d", 7 * day, true}, {"1d", day, true}, {"forever", 1 << 62, false}} {
		if got := class(t, tt.class).Over(tt.age); got != tt.want {
			t.Errorf("%s after %s: %v", tt.class, tt.age, got)
		}
	}
}
