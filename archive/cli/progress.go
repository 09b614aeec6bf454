package cli

import (
	"github.com/schollz/progressbar/v3"
)

// progress counts on a terminal what has been done; elsewhere it shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

func (p Program) progress(what string) progress {
	if !terminal(p.Err) {
		return progress{}
	}
	return progress{progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(p.Err), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSpinnerType(14), progressbar.OptionEnableColorCodes(false), progressbar.OptionClearOnFinish(),
	)}
}

func (p progress) add(n int) {
	if p.bar != nil {
		p.bar.Add(n)
	}
}

// clear takes the bar away before something is printed; add shows it again.
func (p progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
