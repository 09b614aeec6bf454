package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (p Program) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and date of this program",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			commit, date := p.source()
			table := newTable(p.Out)
			table.row("VERSION", "COMMIT", "DATE")
			table.row(p.Version, commit, date)
			return table.flush()
		},
	}
}

// source is the commit from which the program was built, and its date: as the
// linker was told, else as the compiler saw the repository.
func (p Program) source() (commit, date string) {
	commit, date = p.Commit, p.Date
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return orUnknown(commit), orUnknown(date)
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && commit == "":
			commit = fmt.Sprintf("%.12s", s.Value)
		case s.Key == "vcs.time" && date == "":
			date = s.Value
		}
	}
	return orUnknown(commit), orUnknown(date)
}

func orUnknown(text string) string { return orText(text, "unknown") }
