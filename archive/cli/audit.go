package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

func (p Program) audit() *cobra.Command {
	var namespace, sample string
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "audit [-n NAMESPACE] [--since AGE] [--sample N%]",
		Short: "Read bundles again and report what is missing, damaged or not kept as it should be",
		Long: `Read bundles again to their end, and compare their bytes, content, date, tags,
lock and encryption with what they must be; and look for the bundles that the
records of the runs name. Each finding is a line:

  missing       a run recorded it, it is not past its date, and it is not there
  damaged       its bytes or its content are not those that were put
  unreadable    the store does not give it out
  past-date     a full day past its retain-until, and still there
  wrong-date    its retain-until does not follow from when it was archived
  wrongly-tagged, unlocked, unencrypted
                not as ARCHIVE_TAGGING, ARCHIVE_OBJECT_LOCK, ARCHIVE_SSE ask now

It needs the permissions s3:ListBucket, s3:GetObject, s3:GetObjectTagging and
with a lock s3:GetObjectRetention, and changes nothing.

Exit codes: 0 all is well, 1 not done or not all of it, 2 wrong arguments or
configuration, 3 there are findings.`,
		Example: p.example(
			"# all of the archive",
			"NAME audit",
			"",
			"# a hundredth of what was archived in the last week",
			"NAME audit --since 168h --sample 1%",
		),
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "", "Only pods of this namespace")
	cmd.Flags().DurationVar(&since, "since", 0, "Only pods that were archived in this time, such as 24h")
	cmd.Flags().StringVar(&sample, "sample", "100%", "Look at this share of the pods only, chosen by chance")
	cmd.RegisterFlagCompletionFunc("namespace", p.completeNamespaces)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		share, err := parseShare(sample)
		if err != nil {
			return err
		}
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		bar := p.progress("pods")
		audited, err := bucket.Audit(cmd.Context(), archive.AuditOptions{
			Namespace: namespace, Since: p.since(since), Sample: share, Progress: func(int64) { bar.add(1) },
			Found: func(f archive.Finding) {
				bar.clear()
				fmt.Fprintf(p.Out, "%s: %s: %s\n", f.Problem, printable(f.Key), printable(shortened(f)))
			},
		})
		bar.clear()
		return p.printAudited(audited, err)
	}
	return cmd
}

// shortened is the detail without what the line says already.
func shortened(f archive.Finding) string {
	_, after, found := strings.Cut(f.Detail, f.Key+": ")
	if found {
		return after
	}
	return f.Detail
}

// parseShare reads "5%" as 0.05.
func parseShare(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(percent > 0 && percent <= 100) {
		return 0, fmt.Errorf("%w: --sample %q: want a percentage over 0%%, at most 100%%", ErrUsage, text)
	}
	return percent / 100, nil
}

func (p Program) printAudited(a archive.Audited, err error) error {
	if err != nil && a.Pods == 0 {
		return err
	}
	total := 0
	var kinds []string
	for _, problem := range archive.Problems {
		if n := a.Findings[problem]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, problem))
			total += n
		}
	}
	fmt.Fprintf(p.Out, "%d pods, %d bundles (%s) read, %d recorded ones looked for, %d superseded: %s\n",
		a.Pods, a.Bundles, bytesText(a.Bytes), a.Records, a.Superseded, orText(strings.Join(kinds, ", "), "no findings"))
	switch {
	case err != nil:
		return err
	case total > 0:
		return fmt.Errorf("%w: %d findings", ErrFound, total)
	}
	return nil
}
