package archive

import (
	"errors"
	"testing"
)

// Wherever the bundle cannot be written on (in its first block, its last, in
// what the compression adds at the end), the error is told; only the whole
// bundle is none.
func TestBrokenAtEveryByte(t *testing.T) {
	for _, c := range compressions {
		b := exampleBundle(t, t.TempDir(), c)
		if err := b.AddLog("logs/noise.log", fill(noise(1, 60<<10))); err != nil {
			t.Fatal(err)
		}
		whole := int(seal(t, b, exampleIndex()).Size)
		entries := append(b.documents, b.entries...)
		entries = append(entries, entry{File: File{Path: IndexName, Size: 2}, content: []byte("{}")})
		size := 0
		for left := range whole {
			// most of what lies in the middle is noise; each end byte by byte
			if left > 1000 && left < whole-1500 && left%997 != 0 {
				continue
			}
			w := &brokenWriter{left: left}
			err := b.write(w, entries, finishedAt)
			if err == nil && size == 0 {
				size = left
			}
			if err != nil && (size > 0 || !errors.Is(err, errBroken)) {
				t.Fatalf("%s: broken after %d bytes: %v", c, left, err)
			}
		}
		if size == 0 || size > whole {
			t.Errorf("%s: a bundle of %d bytes is written whole into %d", c, whole, size)
		}
		if err := b.write(&brokenWriter{left: size - 1}, entries, finishedAt); !errors.Is(err, errBroken) {
			t.Errorf("%s: one byte too few: %v", c, err)
		}
	}
}
