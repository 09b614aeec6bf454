package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

func (p Program) get() *cobra.Command {
	var f podFlags
	var output string
	cmd := &cobra.Command{
		Use:   "get POD [-n NAMESPACE] [-o FORMAT]",
		Short: "Print an archived pod, or its bundle",
		Long: `Print an archived pod, by its newest manifest: a line, or with -o

  wide     the line, and what became of each container's log
  yaml     what "kubectl get pod -o yaml" printed when it was archived
  json     what "kubectl get pod -o json" printed
  name     its name
  events   its events, as JSON
  index    what is in the bundle and how complete it is, as JSON
  bundle   the bundle as it is stored, for tar -xf; not to a terminal

It is read to its end and proven before anything is printed, but for -o bundle.
It needs the permissions s3:ListBucket and s3:GetObject.`,
		Example: p.example(
			"# the manifest of an archived pod",
			"NAME get nightly-report-x7k2p -n shop -o yaml",
			"",
			"# all that was archived of it",
			"NAME get nightly-report-x7k2p -n shop -o bundle > bundle.tar.zst",
		),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.take(args); err != nil {
			return err
		}
		if output == "bundle" && terminal(p.Out) {
			return fmt.Errorf("%w: a bundle is not for a terminal: write it to a file", ErrUsage)
		}
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		pod, err := p.lookup(cmd.Context(), bucket, f)
		if err != nil {
			return err
		}
		if output == "bundle" {
			return p.saveBundle(cmd.Context(), bucket, pod)
		}
		return p.printPod(cmd.Context(), bucket, pod, output)
	}
	f.add(cmd, p)
	outputFlag(cmd, &output, "wide", "yaml", "json", "name", "events", "index", "bundle")
	return cmd
}

// printPod prints the newest manifest that can be read.
func (p Program) printPod(ctx context.Context, bucket *archive.Bucket, pod archive.Pod, output string) error {
	return p.firstReadable(pod, func(o archive.Object) (bool, error) {
		entries, index, err := p.readDocuments(ctx, bucket, o)
		if err != nil {
			return true, err
		}
		return false, p.printDocuments(o, entries, index, output)
	})
}

// firstReadable calls read with the pod's bundles, those with the newest manifest
// first, until it wants no more. A bundle that is damaged, or not given out, is
// passed over if there is another.
func (p Program) firstReadable(pod archive.Pod, read func(archive.Object) (more bool, err error)) error {
	var failed error
	for _, o := range pod.ByManifest() {
		if failed != nil {
			p.warn("passed over: %v", failed)
		}
		more, err := read(o)
		failed = nil
		switch {
		case errors.Is(err, archive.ErrNotFound) || errors.Is(err, archive.ErrMismatch) || errors.Is(err, archive.ErrRefused):
			failed = err
		case err != nil || !more:
			return err
		}
	}
	return failed
}

const eventsName = "events.json"

// readDocuments reads a bundle to its end and keeps the manifest and the events.
func (p Program) readDocuments(ctx context.Context, bucket *archive.Bucket, o archive.Object) (map[string][]byte, archive.Index, error) {
	entries := map[string][]byte{}
	index, err := bucket.Read(ctx, o, func(f archive.File, content io.Reader) error {
		if f.Path != manifestName && f.Path != eventsName {
			return nil
		}
		text, err := readDocument(f.Path, content)
		entries[f.Path] = text
		return err
	})
	if err == nil && entries[manifestName] == nil {
		err = fmt.Errorf("%w: %s has no %s", archive.ErrMismatch, o.Name(), manifestName)
	}
	return entries, index, err
}

func (p Program) printDocuments(o archive.Object, entries map[string][]byte, index archive.Index, output string) error {
	var text []byte
	var err error
	switch output {
	case "yaml", "json":
		text, err = kubectlForm(entries[manifestName], output == "yaml")
	case "index":
		text, err = json.MarshalIndent(index, "", "    ")
	case "events":
		text = entries[eventsName]
		if text == nil {
			p.note("no events were archived")
		}
	case "name":
		text = []byte("pod/" + printable(index.Pod))
	default:
		return p.printIndex(o, index, output == "wide")
	}
	if err != nil || len(text) == 0 {
		return err
	}
	out := safe(p.Out, false)
	if _, err := out.Write(append(bytes.TrimSuffix(text, []byte("\n")), '\n')); err != nil {
		return err
	}
	return out.Close()
}

// printIndex prints the pod in a line, and if wide its logs below.
func (p Program) printIndex(o archive.Object, index archive.Index, wide bool) error {
	until := "never"
	if at := o.RetainUntil(); !at.IsZero() {
		until = dateText(&at)
	}
	table := newTable(p.Out)
	table.row("NAME", "PHASE", "REASON", "FINISHED", "NODE", "LOGS", "RETAIN-UNTIL")
	table.row(index.Pod, index.Phase, orNone(index.Reason), age(p.Now(), index.FinishedAt), orNone(index.Node), string(archive.Worst(index.Logs)), until)
	if err := table.flush(); err != nil || !wide {
		return err
	}
	fmt.Fprintln(p.Out)
	logs := newTable(p.Out)
	logs.row("CONTAINER", "TYPE", "LOG", "LAST-LINE", "NOTE")
	for _, l := range index.Logs {
		name := l.Container
		if l.Previous {
			name += " (previous)"
		}
		last, _, _ := strings.Cut(l.LastTimestamp, ".")
		logs.row(name, l.Type, string(l.Outcome), orNone(last), orNone(l.Note))
	}
	return logs.flush()
}

func orNone(text string) string { return orText(text, "<none>") }

// saveBundle writes the newest bundle as it is stored.
func (p Program) saveBundle(ctx context.Context, bucket *archive.Bucket, pod archive.Pod) error {
	o := pod.Newest()
	if _, err := bucket.Save(ctx, o, p.Out); err != nil {
		return fmt.Errorf("what was written is not the bundle: %w", err)
	}
	p.note("%s", o.Name())
	return nil
}
