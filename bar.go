package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar is a terminal with a progress bar below the lines that are written to it.
type bar struct {
	mu       sync.Mutex
	terminal io.Writer
	bar      *progressbar.ProgressBar // nil before the first progress
}

// newBar is nil unless people look: stderr is a terminal, and lines are for them.
func newBar(cfg config, stderr io.Writer) *bar {
	file, ok := stderr.(*os.File)
	if !ok || cfg.Log.Format != "console" || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &bar{terminal: file}
}

// Write writes a line above the bar.
func (b *bar) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return b.terminal.Write(line)
	}
	b.bar.Clear() // the bar is not worth an error
	n, err := b.terminal.Write(line)
	b.bar.RenderBlank()
	return n, err
}

// set shows that so many of the listed pods are done.
func (b *bar) set(done, listed int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		b.bar = progressbar.NewOptions(listed,
			progressbar.OptionSetWriter(b.terminal), progressbar.OptionSetDescription("pods"), progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	b.bar.Set(done)
}

// end takes the bar away.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.Clear()
		b.bar = nil
	}
}
