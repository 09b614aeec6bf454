package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// escaper writes text so that it cannot steer a terminal: everything that does
// not print is shown as Go would write it (\x1b, \u202e), but for line ends and
// tabs. Close writes what may have been the beginning of a character.
type escaper struct {
	w    io.Writer
	held []byte // the beginning of a character, or a carriage return
}

func (e *escaper) Write(p []byte) (int, error) {
	text := append(e.held, p...)
	var out bytes.Buffer
	for len(text) > 0 && !(!utf8.FullRune(text) || text[0] == '\r' && len(text) == 1) {
		text = text[escapeOne(&out, text):]
	}
	e.held = bytes.Clone(text)
	if _, err := e.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is held.
func (e *escaper) Close() error {
	var out bytes.Buffer
	for text := e.held; len(text) > 0; {
		text = text[escapeOne(&out, text):]
	}
	e.held = nil
	_, err := e.w.Write(out.Bytes())
	return err
}

// escapeOne writes the first character of text and returns its length.
func escapeOne(out *bytes.Buffer, text []byte) int {
	r, n := utf8.DecodeRune(text)
	switch {
	case r == '\n' || r == '\t' || r == '\r' && len(text) > 1 && text[1] == '\n':
		out.WriteRune(r)
	case r == utf8.RuneError && n == 1 || r < 0x80 && !unicode.IsPrint(r):
		fmt.Fprintf(out, `\x%02x`, text[0])
	case !unicode.IsPrint(r) && r > 0xffff:
		fmt.Fprintf(out, `\U%08x`, r)
	case !unicode.IsPrint(r) && r != '\u00a0' && r != '\u200d' && r != '\ufeff':
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		out.Write(text[:n])
	}
	return n
}
