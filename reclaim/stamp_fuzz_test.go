package reclaim

import (
	"strings"
	"testing"
	"time"
)

// What is taken for a timestamp is one, ends with the first space, and fits
// into the bytes that are kept of a line; every timestamp that the log endpoint
// writes is taken for one.
func FuzzStamp(f *testing.F) {
	for _, line := range append([]string{
		"2026-11-30T12:00:00.000000001Z text", "2026-11-30T12:00:00+05:30 ", "2026-11-30T12:00:00Z\ttext", " 2026-11-30T12:00:00Z x",
		"2026-11-30T12:00:60Z leap", "0000-01-01T00:00:00Z x", "2026-11-30T12:00:00.12345678901234567890123Z x", "2026-11-30t12:00:00z x",
		"2026-02-30T12:00:00Z x", "2026-11-30T12:00:00,5Z x",
	}, inBand...) {
		f.Add([]byte(line), int64(1_800_000_000_000_000_001))
	}
	f.Fuzz(func(t *testing.T, line []byte, nanoseconds int64) {
		n := stampLen(line)
		if n == 0 {
			if stamp(line) != "" {
				t.Errorf("%q has no timestamp, and it is %q", line, stamp(line))
			}
		} else {
			text, _, _ := strings.Cut(string(line), " ")
			if _, err := time.Parse(time.RFC3339Nano, text); err != nil || n != len(text)+1 || stamp(line) != text {
				t.Errorf("%q: %d bytes of timestamp, %q: %v", line, n, stamp(line), err)
			}
		}
		at := time.Unix(0, nanoseconds).UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
		whole := append([]byte(at+" "), line...)
		if stamp(whole[:min(len(whole), stampMax)]) != at {
			t.Errorf("%q is not found before %q", at, line)
		}
	})
}

// A log that begins late may be the rest of a rotated one; one that begins in
// time is not.
func FuzzRotated(f *testing.F) {
	f.Add("2026-11-30T12:00:10Z", int64(1_796_040_000), int64(10))
	f.Add("2026-11-30T12:00:10.000000001Z", int64(1_796_040_000), int64(0))
	f.Add("nonsense", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, first string, started, after int64) {
		if started <= 0 || started > 1<<36 || after < 0 || after > 1<<30 {
			t.Skip("no time of a container")
		}
		begun := time.Unix(started, 0)
		if _, err := time.Parse(time.RFC3339Nano, first); err != nil && rotated(first, begun) {
			t.Errorf("%q is no time", first)
		}
		at := begun.Add(time.Duration(after) * time.Second).UTC()
		if got := rotated(at.Format(time.RFC3339Nano), begun); got != (after > 10) {
			t.Errorf("%d s after the start: %v", after, got)
		}
	})
}
