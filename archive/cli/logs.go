package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// logFlags are those of "kubectl logs" that have a meaning for a pod that has
// ended.
type logFlags struct {
	podFlags
	container     string
	previous      bool
	allContainers bool
	timestamps    bool
	prefix        bool
	since         time.Duration
	sinceTime     string
	tail          int
	raw           bool
}

func (p Program) logs() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "logs POD [-n NAMESPACE] [-c CONTAINER]",
		Short: "Print the logs of an archived pod",
		Long: `Print what "kubectl logs" would have printed. If the pod has several bundles,
the best logs of them are taken. A bundle is read to its end and proven before
anything of it is printed. A log that is not whole is named on stderr.

On a terminal, what could steer it is shown as text (\x1b); --raw prints all as
it is. It needs the permissions s3:ListBucket and s3:GetObject.

Exit codes: 0 printed, also if a log is not whole; 1 there is no such log, or no
bundle that can be read; 2 wrong arguments or configuration.`,
		Example: p.example(
			"# the log of a pod of one container",
			"NAME logs nightly-report-x7k2p -n shop",
			"",
			"# why it was restarted",
			"NAME logs nightly-report-x7k2p -n shop -c report --previous",
			"",
			"# its last minute, of all containers",
			"NAME logs nightly-report-x7k2p -n shop --all-containers --prefix --since 1m",
		),
	}
	f.add(cmd, p)
	flags := cmd.Flags()
	flags.StringVarP(&f.container, "container", "c", "", "Print the log of this container")
	flags.BoolVarP(&f.previous, "previous", "p", false, "Print the log of the instance before the last restart")
	flags.BoolVar(&f.allContainers, "all-containers", false, "Print the logs of all containers")
	flags.BoolVar(&f.timestamps, "timestamps", false, "Print the timestamp of each line")
	flags.BoolVar(&f.prefix, "prefix", false, "Print the pod's and the container's name before each line")
	flags.DurationVar(&f.since, "since", 0, "Only lines of this time before the pod ended, such as 5m")
	flags.StringVar(&f.sinceTime, "since-time", "", "Only lines since this time (RFC 3339)")
	flags.IntVar(&f.tail, "tail", -1, "Only so many last lines")
	flags.BoolVar(&f.raw, "raw", false, "Print everything as it is, also on a terminal")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.take(args); err != nil {
			return err
		}
		since, err := f.check()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUsage, err)
		}
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		return p.printLogs(cmd.Context(), bucket, f, since)
	}
	return cmd
}

func (f *logFlags) check() (since time.Time, err error) {
	switch {
	case f.allContainers && f.container != "":
		return since, fmt.Errorf("--all-containers and -c exclude each other")
	case f.since != 0 && f.sinceTime != "":
		return since, fmt.Errorf("--since and --since-time exclude each other")
	case f.since < 0 || f.tail < -1:
		return since, fmt.Errorf("--since and --tail cannot be negative")
	case f.sinceTime != "":
		if since, err = time.Parse(time.RFC3339Nano, f.sinceTime); err != nil {
			return since, fmt.Errorf("--since-time: %w", err)
		}
	}
	return since, nil
}

// printLogs finds the pod and its best logs and prints them.
func (p Program) printLogs(ctx context.Context, bucket *archive.Bucket, f logFlags, since time.Time) error {
	pod, err := p.lookup(ctx, bucket, f.podFlags)
	if err != nil {
		return err
	}
	l := &logPrinter{p: p, bucket: bucket, flags: f, since: since}
	if err := l.choose(ctx, pod); err != nil {
		return err
	}
	return l.print(ctx)
}
