package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

func (p Program) expire() *cobra.Command {
	confirm := false
	cmd := &cobra.Command{
		Use:   "expire [--confirm]",
		Short: "Delete what is past its retention, where the store has no lifecycle rules",
		Long: `Delete every bundle and every run record that is a full day past its
retain-until, of whatever class, with all its versions and delete markers.
Without --confirm nothing is deleted, and the plan is shown.

The key and the date in the store's list decide; nothing is read. What is
locked is named and left, and so is what is not ours. It needs the permissions
s3:ListBucket, s3:ListBucketVersions, s3:DeleteObject, s3:DeleteObjectVersion
and, to tell what is locked, s3:GetObject, s3:GetObjectVersion and
s3:GetObjectRetention. A run needs none to delete: give them to an identity of
their own.

Exit codes: 0 done, 1 not done or not all of it, 2 wrong arguments or
configuration, 3 some objects could not be deleted (locked ones do not count).`,
		Example: p.example(
			"# what would be deleted",
			"NAME expire",
			"",
			"# delete it",
			"NAME expire --confirm",
		),
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&confirm, "confirm", false, "Delete, instead of showing the plan")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		bar := p.progress("objects")
		expiry, err := bucket.Expire(cmd.Context(), archive.ExpireOptions{Confirm: confirm, Progress: bar.add, Refused: func(err error) {
			bar.clear()
			fmt.Fprintln(p.Err, printable(err.Error()))
		}})
		bar.clear()
		if table := printExpiry(p.Out, expiry, confirm); err == nil {
			err = table
		}
		if err == nil && expiry.Failed > 0 {
			err = fmt.Errorf("%w: %d could not be deleted", ErrFound, expiry.Failed)
		}
		return err
	}
	return cmd
}

// printExpiry prints a line for each class, longest last, and then the rest.
func printExpiry(w io.Writer, e archive.Expiry, confirm bool) error {
	done, hint := "deleted", ""
	if !confirm {
		done, hint = "to delete", "; --confirm deletes"
	}
	table := newTable(w)
	var sum archive.Past
	if len(e.Past) > 0 {
		table.row("CLASS", "BUNDLES", "RUN-RECORDS", "DELETE-MARKERS", "SIZE")
	}
	for _, class := range slices.SortedFunc(maps.Keys(e.Past), byLength) {
		past := e.Past[class]
		table.row(class.String(), strconv.Itoa(past.Bundles), strconv.Itoa(past.Records), strconv.Itoa(past.Markers), bytesText(past.Bytes))
		sum.Bundles += past.Bundles + past.Records + past.Markers
		sum.Bytes += past.Bytes
	}
	if err := table.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d %s (%s), %d locked, %d failed, %d kept, %d not ours%s\n",
		sum.Bundles, done, bytesText(sum.Bytes), e.Locked, e.Failed, e.Young, e.Foreign, hint)
	return err
}

func byLength(x, y archive.Class) int {
	switch {
	case x == y:
		return 0
	case x.AtLeast(y):
		return 1
	}
	return -1
}
