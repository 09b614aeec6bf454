package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// candidate is a bundle of the pod that was read to its end and proven.
type candidate struct {
	object   archive.Object
	index    archive.Index
	manifest manifest
}

// maxCandidates is how many bundles of one pod are read for a better log.
const maxCandidates = 16

// chosen is one log to print, and the bundle that has the best of it.
type chosen struct {
	container string
	log       archive.Log
	object    archive.Object
}

// choose decides what to print. The newest manifest says which containers there
// are. Where its logs are whole, and that is nearly always, it is the only bundle
// that is read.
func (l *logPrinter) choose(ctx context.Context, pod archive.Pod) error {
	var all []candidate
	err := l.p.firstReadable(pod, func(o archive.Object) (bool, error) {
		c, err := l.read(ctx, o)
		if err == nil {
			all = append(all, c)
		}
		return len(all) < maxCandidates && (len(all) == 0 || !archive.Worst(all[0].index.Logs).Whole()), err
	})
	if err != nil && len(all) == 0 {
		return err
	}
	if err != nil {
		l.p.warn("passed over: %v", err)
	}
	containers, err := l.containers(all[0].manifest)
	if err != nil {
		return err
	}
	for _, name := range containers {
		l.chosen = append(l.chosen, l.best(name, all))
	}
	l.finished = all[0].index.FinishedAt
	return nil
}

// read reads a bundle to its end; what is kept of it is small.
func (l *logPrinter) read(ctx context.Context, o archive.Object) (candidate, error) {
	c := candidate{object: o}
	var err error
	c.index, err = l.bucket.Read(ctx, o, func(f archive.File, content io.Reader) error {
		if f.Path != manifestName {
			return nil
		}
		text, err := readDocument(f.Path, content)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &c.manifest); err != nil {
			return fmt.Errorf("%w: decode %s: %w", archive.ErrMismatch, manifestName, err)
		}
		return nil
	})
	return c, err
}

// containers are those to print, as kubectl chooses them.
func (l *logPrinter) containers(m manifest) ([]string, error) {
	name := l.flags.container
	switch {
	case l.flags.allContainers:
		return m.all(), nil
	case name == "":
		name = m.Metadata.Annotations[defaultContainer]
	}
	if name != "" {
		if !slices.Contains(m.all(), name) {
			return nil, fmt.Errorf("container %s is not valid for pod %s out of: %s", name, l.flags.pod, m.described())
		}
		return []string{name}, nil
	}
	if len(m.Spec.Containers) == 0 {
		return nil, fmt.Errorf("pod %s has no containers", l.flags.pod)
	}
	name = m.Spec.Containers[0].Name
	if len(m.all()) > 1 {
		fmt.Fprintf(l.p.Err, "Defaulted container %q out of: %s\n", name, printable(m.described()))
	}
	return []string{name}, nil
}

// best is the best log of one container in all bundles; of equal ones the
// newest.
func (l *logPrinter) best(name string, all []candidate) chosen {
	best := chosen{container: name}
	for _, c := range all {
		for _, log := range c.index.Logs {
			if log.Container != name || log.Previous != l.flags.previous {
				continue
			}
			if best.log.Container == "" || best.log.Outcome.Worse(log.Outcome) {
				best.log, best.object = log, c.object
			}
		}
	}
	return best
}
