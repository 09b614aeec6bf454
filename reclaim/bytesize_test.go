package reclaim

import "testing"

func TestByteSizeUnmarshalText(t *testing.T) {
	for _, tt := range []struct {
		text string
		want ByteSize
		ok   bool
	}{
		{"0", 0, true},
		{"1", 1, true},
		{"10485760", 10 << 20, true},
		{"10Mi", 10 << 20, true},
		{"10M", 10_000_000, true},
		{"1.5Ki", 1536, true},
		{"2G", 2_000_000_000, true},
		{"1e6", 1_000_000, true},
		{"9223372036854775807", 1<<63 - 1, true},
		{"-1", -1, true}, // Validate refuses it
		{"", 0, false},
		{"10MB", 0, false},
		{"10 Mi", 0, false},
		{"ten", 0, false},
		{"100m", 0, false},
		{"0.5", 0, false},
		{"1.3Ki", 0, false},
		{"10E", 0, false},
		{"9223372036854775808", 0, false},
	} {
		var got ByteSize
		err := got.UnmarshalText([]byte(tt.text))
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("%q: %d, %v", tt.text, got, err)
		}
	}
}
