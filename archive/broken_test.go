package archive

import (
	"bytes"
	"errors"
	"testing"
)

// Wherever the bundle cannot be written on (in its first block, its last, in
// what the compression adds at the end), the error is told; only the whole
// bundle is none.
func TestBrokenAtEveryByte(t *testing.T) {
	for _, c := range compressions {
		b := exampleBundle(t, t.TempDir(), c)
		seal(t, b, exampleIndex())
		entries := append(b.documents, b.entries...)
		entries = append(entries, entry{File: File{Path: IndexName, Size: 2}, content: []byte("{}")})
		var whole bytes.Buffer
		if err := b.write(&whole, entries, finishedAt); err != nil {
			t.Fatal(err)
		}
		for left := range whole.Len() {
			if left%7 != 0 && left < whole.Len()-300 {
				continue
			}
			if err := b.write(&brokenWriter{left: left}, entries, finishedAt); !errors.Is(err, errBroken) {
				t.Fatalf("%s: broken after %d bytes of %d: %v", c, left, whole.Len(), err)
			}
		}
		if err := b.write(&brokenWriter{left: whole.Len()}, entries, finishedAt); err != nil {
			t.Errorf("%s: a bundle of %d bytes is not written into as many: %v", c, whole.Len(), err)
		}
	}
}
