package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// logPrinter prints the logs that it has chosen, each from a bundle that was
// read and proven before, so that nothing is printed that is not.
type logPrinter struct {
	p        Program
	bucket   *archive.Bucket
	flags    logFlags
	since    time.Time
	finished time.Time
	chosen   []chosen
}

// errNoLog says that a log that was asked for is not there.
var errNoLog = errors.New("there is no such log")

func (l *logPrinter) print(ctx context.Context) error {
	if l.flags.since > 0 {
		l.since = l.finished.Add(-l.flags.since)
	}
	var missing []error
	for _, c := range l.chosen {
		if c.log.Path != "" {
			if err := l.printOne(ctx, c); err != nil {
				return err
			}
		}
		if err := l.explain(c); err != nil {
			missing = append(missing, err)
		}
	}
	if len(missing) < len(l.chosen) || len(missing) == 0 {
		for _, err := range missing {
			l.p.warn("%v", err)
		}
		return nil
	}
	return errors.Join(missing...)
}

// printOne prints one log; for its last lines it is read twice.
func (l *logPrinter) printOne(ctx context.Context, c chosen) error {
	filter := lineFilter{w: io.Discard, timestamps: l.flags.timestamps, since: l.since}
	if l.flags.prefix {
		filter.prefix = fmt.Sprintf("[pod/%s/%s] ", l.flags.pod, c.container)
	}
	if l.flags.tail >= 0 {
		count := filter
		if err := l.stream(ctx, c, &count); err != nil {
			return err
		}
		filter.skip = max(0, count.lines-l.flags.tail)
	}
	out := safe(l.p.Out, l.flags.raw)
	filter.w = out
	if err := l.stream(ctx, c, &filter); err != nil {
		return err
	}
	return out.Close()
}

func (l *logPrinter) stream(ctx context.Context, c chosen, to *lineFilter) error {
	_, err := l.bucket.Read(ctx, c.object, func(f archive.File, content io.Reader) error {
		if f.Path != c.log.Path {
			return nil
		}
		if _, err := io.Copy(to, content); err != nil {
			return err
		}
		return to.Close()
	})
	return err
}

// explain says what a reader must know of a log: a warning, or the error that
// there is none.
func (l *logPrinter) explain(c chosen) error {
	what := fmt.Sprintf("container %q in pod %q", c.container, l.flags.pod)
	if l.flags.previous {
		what = "previous terminated " + what
	}
	note := ""
	if c.log.Note != "" {
		note = ": " + c.log.Note
	}
	switch c.log.Outcome {
	case archive.Complete, archive.Empty:
		return nil
	case archive.PossiblyRotated:
		l.p.warn("the log of %s may lack its beginning: it was rotated while the container ran%s", what, note)
	case archive.Truncated:
		l.p.warn("the log of %s is only its beginning: it was longer than RECLAIM_LOG_MAX_BYTES%s", what, note)
	case archive.Unconfirmed:
		l.p.warn("the log of %s may lack its end, which could not be confirmed%s", what, note)
	case archive.NeverStarted:
		return fmt.Errorf("%w: %s never started%s", errNoLog, what, note)
	case archive.Unavailable:
		return fmt.Errorf("%w: that of %s could not be had when it was archived%s", errNoLog, what, note)
	case "":
		return fmt.Errorf("%w: %s not found", errNoLog, what)
	default:
		l.p.warn("the log of %s is %s%s", what, c.log.Outcome, note)
	}
	return nil
}
