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
		whole := int(seal(t, b, exampleIndex()).Size)
		entries := append(b.documents, b.entries...)
		entries = append(entries, entry{File: File{Path: IndexName, Size: 2}, content: []byte("{}")})
		size := 0
		for left := range whole {
			if left%7 != 0 && left < whole-300 {
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
