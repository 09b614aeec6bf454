// Package cli has the verbs by which people read the archive and look after it:
// their flags, and the tables that they print. What they do is package archive's.
//
// Exit codes of every verb:
//
//	0         done
//	1         not done, or not all of it: the last line says why
//	2         wrong arguments or configuration; nothing was asked or done
//	3         done, and something in the archive is not as it should be
//	130, 143  interrupted by SIGINT, SIGTERM
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// ErrUsage says that the arguments are wrong, and nothing was asked or done.
var ErrUsage = errors.New("wrong arguments")

// ErrFound says that the verb was done, and found what is not as it should be.
var ErrFound = errors.New("not all of the archive is as it should be")

// pluginName is how kubectl calls a plugin for "kubectl reclaimed".
const pluginName = "kubectl-reclaimed"

// Program is what the verbs run with.
type Program struct {
	// Binary is the path by which the program was called.
	Binary string
	// Version, and the Commit and Date of it where the build says them.
	Version, Commit, Date string
	Out, Err              io.Writer
	Now                   func() time.Time
	// Open opens the archive that the environment names.
	Open func(context.Context) (*archive.Bucket, error)
}

// IsPlugin tells whether the program was called as kubectl's plugin, so that it
// has nothing but verbs.
func IsPlugin(binary string) bool { return filepath.Base(binary) == pluginName }

// Run does what the arguments say; errors are printed. An error is ErrUsage,
// ErrFound, or says what could not be done.
func Run(ctx context.Context, p Program, args []string) error {
	root := p.root()
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	if !began {
		err = fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if ctx.Err() == nil {
		p.say("error", "31", "%s", strings.TrimPrefix(err.Error(), ErrUsage.Error()+": "))
	}
	if errors.Is(err, ErrUsage) {
		fmt.Fprintf(p.Err, "See '%s --help'.\n", command.CommandPath())
	}
	return err
}

func (p Program) root() *cobra.Command {
	name := "pod-reclaimer"
	if IsPlugin(p.Binary) {
		name = pluginName
	}
	root := &cobra.Command{
		Use:   name,
		Short: "Read the archive of ended pods, and look after it",
		Long: `Read the archive of ended pods, and look after it. The archive is the one that
ARCHIVE_BUCKET and ARCHIVE_CLUSTER name, with the AWS SDK's own variables
(AWS_*); no cluster is asked.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: p.name()},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.AddCommand(p.list(), p.logs(), p.get(), p.audit(), p.expire(), p.lifecycle(), p.version())
	for _, verb := range root.Commands() {
		verb.DisableFlagsInUseLine = true
	}
	return root
}

// name is how people call the program.
func (p Program) name() string {
	if IsPlugin(p.Binary) {
		return "kubectl reclaimed"
	}
	return "pod-reclaimer"
}

// example makes an example of the name by which the program was called.
func (p Program) example(lines ...string) string {
	return "  " + strings.ReplaceAll(strings.Join(lines, "\n  "), "NAME ", p.name()+" ")
}
