package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/liggitt/tabwriter"
)

// table is a table in kubectl's style, made by the writer that kubectl uses:
// columns keep their width when it is flushed in between.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer) *table {
	return &table{tabwriter.NewWriter(w, 6, 4, 3, ' ', tabwriter.RememberWidths)}
}

func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = printable(c)
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t"))
}

func (t *table) flush() error { return t.w.Flush() }

// printable is text without what could steer a terminal or break a table.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return text
	}
	return strconv.Quote(text)
}

// bytesText is a size in the style of Kubernetes: 512, 1.2Ki, 3.4Mi.
func bytesText(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	value, unit := float64(n)/1024, 0
	for ; value >= 1023.95; unit++ {
		value /= 1024
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}[unit]
}

// orText is text, or other if there is none.
func orText(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
