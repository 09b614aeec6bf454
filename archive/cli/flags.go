package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// podFlags name one pod.
type podFlags struct {
	namespace string
	uid       string
	pod       string
}

func (f *podFlags) add(cmd *cobra.Command, p Program) {
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", "default", "Namespace that the pod was in")
	cmd.Flags().StringVar(&f.uid, "uid", "", "UID of the pod, if there were several of its name; its beginning will do")
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = p.completePods(&f.namespace)
	cmd.RegisterFlagCompletionFunc("namespace", p.completeNamespaces)
}

// take reads the argument: POD or pod/POD.
func (f *podFlags) take(args []string) error {
	f.pod = args[0]
	for _, kind := range []string{"pod/", "pods/", "po/"} {
		f.pod = strings.TrimPrefix(f.pod, kind)
	}
	if f.pod == "" || strings.Contains(f.pod, "/") || f.namespace == "" || strings.Contains(f.namespace, "/") {
		return fmt.Errorf("%w: %q in namespace %q is no pod", ErrUsage, args[0], f.namespace)
	}
	return nil
}

// outputFlag is -o, one of a few words.
func outputFlag(cmd *cobra.Command, value *string, words ...string) {
	cmd.Flags().StringVarP(value, "output", "o", "", "Output format, one of: "+strings.Join(words, ", "))
	cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *value != "" && !slices.Contains(words, *value) {
			return fmt.Errorf("%w: output format %q: want one of: %s", ErrUsage, *value, strings.Join(words, ", "))
		}
		return run(cmd, args)
	}
}

// completePods completes names of pods in the namespace of the flag.
func (p Program) completePods(namespace *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 || *namespace == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.complete(cmd, func(b *archive.Bucket) ([]string, error) {
			return b.Names(cmd.Context(), *namespace, begun, mostCompletions)
		})
	}
}

func (p Program) completeNamespaces(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return p.complete(cmd, func(b *archive.Bucket) ([]string, error) { return b.Namespaces(cmd.Context(), mostCompletions) })
}

const mostCompletions = 200

func (p Program) complete(cmd *cobra.Command, names func(*archive.Bucket) ([]string, error)) ([]cobra.Completion, cobra.ShellCompDirective) {
	bucket, err := p.Open(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	all, err := names(bucket)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// since is the time before which nothing is of interest; zero if age is 0.
func (p Program) since(age time.Duration) time.Time {
	if age == 0 {
		return time.Time{}
	}
	return p.Now().Add(-age)
}
