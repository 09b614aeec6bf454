// Command pod-reclaimer archives terminated Kubernetes pods to S3-compatible
// storage, proves that each bundle is there, and deletes the pod. Without
// arguments it does one run; package archive/cli has the verbs that read the
// archive and look after it.
//
// It is configured by environment variables; -help lists them. Exit codes of a
// run:
//
//	0    done; also when there was nothing to do, the deadline was reached or pods were kept
//	1    the run could not be done, or saw only some of the pods
//	2    bad configuration; nothing was asked or done
//	3    some pods failed; the others were done
//	130  interrupted (SIGINT); pods in flight were finished
//	143  terminated (SIGTERM); likewise
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/archive/cli"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

// These are set by the linker; commit and date may be empty.
var (
	version = "dev"
	commit  string
	date    string
)

// now is the clock of all that the program decides; tests set another.
var now = time.Now

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(interrupted{<-signals})
		signal.Reset(os.Interrupt, syscall.SIGTERM) // a second signal ends us at once
	}()
	os.Exit(exitCode(run(ctx, os.Args[1:], os.Stdout, os.Stderr), context.Cause(ctx)))
}

// interrupted is why a run stopped early.
type interrupted struct{ os.Signal }

func (i interrupted) Error() string { return "interrupted by " + i.String() }

// errConfig says that nothing was done because the configuration is wrong.
var errConfig = errors.New("bad configuration")

// run does one run and reports it on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 1 && (args[0] == "-help" || args[0] == "--help" || args[0] == "-h") {
		return usage(stdout)
	}
	if len(args) > 0 || cli.IsPlugin(os.Args[0]) {
		return cli.Run(ctx, cli.Program{
			Binary: os.Args[0], Version: version, Commit: commit, Date: date,
			Out: stdout, Err: stderr, Now: now, Open: openArchive,
		}, args)
	}
	collectOften()
	useFewCPUs()
	cfg, err := load()
	if err != nil {
		err = fmt.Errorf("%w:\n%w", errConfig, err)
		fmt.Fprintln(stderr, err)
		return err
	}
	// nobody may be listening any more: that ends no run
	signal.Ignore(syscall.SIGPIPE)
	var progress func(done, listed int)
	bar := newBar(cfg, stderr)
	if bar != nil {
		stderr, progress = bar, bar.set
	}
	log := newLogger(cfg, stderr)
	reclaim.LogClient(log)
	m := newMetrics()
	summary, err := reclaimOnce(ctx, cfg, log, m, progress)
	if bar != nil {
		bar.end()
	}
	if err != nil && !errors.Is(err, reclaim.ErrIncomplete) {
		log.Error("run failed", zap.Error(err))
	}
	if err := writeSummaryFile(cfg.Reclaim.SummaryFile, summary, cmp.Or(err, context.Cause(ctx))); err != nil {
		log.Warn("summary file", zap.Error(err))
	}
	if err := m.report(ctx, cfg, summary, err); err != nil {
		log.Warn("metrics", zap.Error(err))
	}
	if !summary.StartedAt.IsZero() {
		log.Info("run finished", zap.Inline(summary))
	}
	return err
}

// openArchive is the archive for the verbs.
func openArchive(ctx context.Context) (*archive.Bucket, error) {
	cfg, err := loadArchive()
	if err != nil {
		return nil, fmt.Errorf("%w:\n%w", errConfig, err)
	}
	return archive.Open(ctx, cfg, archive.Options{Now: now})
}

// reclaimOnce wires the parts together and lets them run.
func reclaimOnce(ctx context.Context, cfg config, log *zap.Logger, m *metrics, progress func(done, listed int)) (reclaim.Summary, error) {
	wrap := func(server string) func(http.RoundTripper) http.RoundTripper {
		return func(next http.RoundTripper) http.RoundTripper {
			if cfg.Reclaim.DryRun {
				next = reclaim.ReadOnly(next)
			}
			return m.observe(server, next)
		}
	}
	cluster, err := reclaim.Connect("pod-reclaimer/"+version, wrap("api"))
	if err != nil {
		return reclaim.Summary{}, err
	}
	bucket, err := archive.Open(ctx, cfg.Archive, archive.Options{Now: now, Wrap: wrap("store")})
	if err != nil {
		return reclaim.Summary{}, err
	}
	reclaimer := &reclaim.Reclaimer{
		Config:      cfg.Reclaim,
		ClusterName: cfg.Archive.Cluster,
		Classes:     cfg.Archive.Retention,
		Compression: cfg.Archive.Compression,
		SpoolDir:    cfg.Archive.SpoolDir,
		Cluster:     cluster,
		Bucket:      bucket,
		Log:         log,
		Listed:      collectLess,
		Progress:    progress,
		Now:         now,
	}
	return reclaimer.Run(ctx)
}

// exitCode maps what happened to what the package comment lists. An
// interrupted run never exits 0.
func exitCode(err, cause error) int {
	var stopped interrupted
	switch {
	case errors.As(cause, &stopped):
		return 128 + int(stopped.Signal.(syscall.Signal))
	case err == nil:
		return 0
	case errors.Is(err, errConfig) || errors.Is(err, cli.ErrUsage):
		return 2
	case errors.Is(err, reclaim.ErrIncomplete) || errors.Is(err, cli.ErrFound):
		return 3
	}
	return 1
}
