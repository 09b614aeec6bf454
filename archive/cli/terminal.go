package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal tells whether w is one.
func terminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// colored tells whether what goes to w may have colours: on a terminal, unless
// NO_COLOR is set (no-color.org).
func colored(w io.Writer) bool {
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// note tells on stderr what the reader should know about the output.
func (p Program) note(format string, args ...any) { p.say("note", "36", format, args...) }

// warn tells on stderr what is missing in the output.
func (p Program) warn(format string, args ...any) { p.say("warning", "33", format, args...) }

func (p Program) say(word, color, format string, args ...any) {
	text := printableLines(fmt.Sprintf(format, args...))
	if colored(p.Err) {
		word = "\x1b[" + color + "m" + word + "\x1b[0m"
	}
	fmt.Fprintf(p.Err, "%s: %s\n", word, text)
}

// printableLines is printable for text of several lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printableTabs(line)
	}
	return strings.Join(lines, "\n")
}

func printableTabs(line string) string {
	fields := strings.Split(line, "\t")
	for i, f := range fields {
		fields[i] = printable(f)
	}
	return strings.Join(fields, "\t")
}

// safe is where content goes that may be hostile: on a terminal it cannot steer
// it, and everywhere else it is as it is.
func safe(w io.Writer, raw bool) io.WriteCloser {
	if raw || !terminal(w) {
		return nopCloser{w}
	}
	return &escaper{w: w}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
