package chaostest

import "testing"

func TestServed(t *testing.T) {
	file := "2026-11-30T10:00:00.5Z stdout F one\n" +
		"2026-11-30T10:00:01.123456789Z stderr P two \n" +
		"2026-11-30T10:00:02Z stderr P and \n" +
		"2026-11-30T10:00:03Z stderr F a half\n" +
		"2026-11-30T10:00:04Z stdout F \n" +
		"2026-11-30T10:00:05Z stdout P no end\n"
	want := "2026-11-30T10:00:00.500000000Z one\n" +
		"2026-11-30T10:00:01.123456789Z two and a half\n" +
		"2026-11-30T10:00:04.000000000Z \n" +
		"2026-11-30T10:00:05.000000000Z no end"
	got, err := served([]byte(file))
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"2026-11-30T10:00:00Z stdout F no newline", "2026-11-30T10:00:00Z stdout F\n", "yesterday stdout F text\n"} {
		if _, err := served([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
