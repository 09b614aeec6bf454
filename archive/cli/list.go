package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// listed is a pod in the output of list. Its JSON form is stable: fields may be
// added.
type listed struct {
	Namespace       string    `json:"namespace"`
	Pod             string    `json:"pod"`
	UID             string    `json:"uid"`
	ResourceVersion string    `json:"resourceVersion"`
	Class           string    `json:"class"`
	ArchivedAt      time.Time `json:"archivedAt"`
	// RetainUntil is null for a pod that is kept forever.
	RetainUntil *time.Time `json:"retainUntil"`
	Size        int64      `json:"size"`
	Bundles     int        `json:"bundles"`
	Key         string     `json:"key"`
	// Phase, Logs (their worst outcome) and FinishedAt are in the bundle's
	// metadata, which only -o wide asks for.
	Phase      string `json:"phase,omitempty"`
	Logs       string `json:"logs,omitempty"`
	FinishedAt string `json:"finishedAt,omitempty"`
	newest     archive.Object
}

func (p Program) list() *cobra.Command {
	var namespace, output string
	var all, noHeaders bool
	var since time.Duration
	cmd := &cobra.Command{
		Use:     "list [POD] [-n NAMESPACE]",
		Aliases: []string{"ls"},
		Short:   "List archived pods",
		Long: `List archived pods, of all namespaces without -n. One line is one pod: its
newest bundle, and how many there are. Only the store's list is asked for; with
-o wide also each bundle's metadata.

It needs the permission s3:ListBucket, and for -o wide s3:GetObject.`,
		Example: p.example(
			"# what was archived of one namespace since yesterday",
			"NAME list -n shop --since 24h",
			"",
			"# all pods of one name, with phase and state of their logs",
			"NAME list nightly-report-x7k2p -n shop -o wide",
		),
		Args: cobra.MaximumNArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		pod := ""
		if len(args) == 1 {
			f := podFlags{namespace: "-"}
			if err := f.take(args); err != nil {
				return err
			}
			pod = f.pod
		}
		if all && namespace != "" {
			return fmt.Errorf("%w: -n and -A exclude each other", ErrUsage)
		}
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		l := &lister{
			p: p, bucket: bucket, out: p.listPrinter(output, namespace == "", noHeaders), wide: output == "wide",
			pod: pod, since: p.since(since),
		}
		return l.run(cmd.Context(), namespace)
	}
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "", "Namespace that the pods were in (default all)")
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "List the pods of all namespaces, which is the default")
	cmd.Flags().BoolVar(&noHeaders, "no-headers", false, "Print no headers")
	cmd.Flags().DurationVar(&since, "since", 0, "Only pods that were archived in this time, such as 24h")
	outputFlag(cmd, &output, "wide", "json", "yaml", "name")
	cmd.ValidArgsFunction = p.completePods(&namespace)
	cmd.RegisterFlagCompletionFunc("namespace", p.completeNamespaces)
	return cmd
}

// lister prints pods as they come, so many at a time.
type lister struct {
	p      Program
	bucket *archive.Bucket
	out    listPrinter
	wide   bool
	pod    string
	since  time.Time
	held   []listed
	n      int
}

const listChunk = 256

func (l *lister) run(ctx context.Context, namespace string) error {
	s := archive.Selection{Namespace: namespace}
	if namespace != "" {
		s.Pod = l.pod
	}
	err := l.bucket.List(ctx, s, func(pod archive.Pod) error { return l.take(ctx, pod) })
	if err == nil {
		err = l.flush(ctx)
	}
	if err != nil {
		return err
	}
	if err := l.out.end(); err != nil {
		return err
	}
	if l.n > 0 {
		return nil
	}
	if l.pod != "" && namespace != "" {
		return l.p.notFound(ctx, l.bucket, podFlags{namespace: namespace, pod: l.pod})
	}
	fmt.Fprintln(l.p.Err, "No pods found.")
	return nil
}

func (l *lister) take(ctx context.Context, pod archive.Pod) error {
	newest := pod.Newest()
	if l.pod != "" && pod.Name != l.pod || newest.Stored.Before(l.since) {
		return nil
	}
	line := listed{
		Namespace: pod.Namespace, Pod: pod.Name, UID: pod.UID, ResourceVersion: newest.Key.ResourceVersion, Class: newest.Key.Class.String(),
		ArchivedAt: newest.Stored.UTC(), Size: newest.Size, Bundles: len(pod.Bundles), Key: newest.Name(), newest: newest,
	}
	if until := newest.RetainUntil(); !until.IsZero() {
		line.RetainUntil = &until
	}
	l.held = append(l.held, line)
	l.n++
	if len(l.held) < listChunk {
		return nil
	}
	return l.flush(ctx)
}

func (l *lister) flush(ctx context.Context) error {
	if l.wide {
		if err := l.look(ctx); err != nil {
			return err
		}
	}
	err := l.out.print(l.held)
	l.held = l.held[:0]
	return err
}

// look asks for the metadata of those that are held, some at a time.
func (l *lister) look(ctx context.Context) error {
	errs := make([]error, len(l.held))
	slots := make(chan struct{}, 16)
	var asked sync.WaitGroup
	for i := range l.held {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			line := &l.held[i]
			o, err := l.bucket.Look(ctx, line.newest)
			if errors.Is(err, archive.ErrNotFound) {
				line.Phase, line.Logs = "expired", ""
				return
			}
			errs[i] = err
			line.Phase, line.Logs, line.FinishedAt = o.Phase(), string(o.Logs()), o.FinishedAt()
		})
	}
	asked.Wait()
	return errors.Join(errs...)
}
