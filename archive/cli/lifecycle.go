package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

func (p Program) lifecycle() *cobra.Command {
	apply := false
	cmd := &cobra.Command{
		Use:   "lifecycle [--apply]",
		Short: "Print the bucket's lifecycle rules for the archive, or set them",
		Long: `Print the lifecycle rules by which the store itself deletes what is past its
retention: for each class of ARCHIVE_RETENTION but forever, with old versions and
delete markers. It is the JSON that "aws s3api put-bucket-lifecycle-configuration"
takes, which replaces all rules of the bucket.

--apply sets them and leaves the bucket's other rules as they are. That needs the
permissions s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration.`,
		Example: p.example(
			"# what the rules are",
			"NAME lifecycle",
			"",
			"# set them beside the rules that the bucket has",
			"NAME lifecycle --apply",
		),
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "Set the rules, instead of printing them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		bucket, err := p.Open(cmd.Context())
		if err != nil {
			return err
		}
		rules := bucket.Lifecycle()
		if !apply {
			return p.printRules(rules)
		}
		others, err := bucket.ApplyLifecycle(cmd.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Out, "%d rules set, %d others left as they are\n", len(rules), others)
		return err
	}
	return cmd
}

func (p Program) printRules(rules []archive.Rule) error {
	if rules == nil {
		rules = []archive.Rule{}
	}
	text, err := json.MarshalIndent(map[string]any{"Rules": rules}, "", "    ")
	if err != nil {
		return fmt.Errorf("encode the rules: %w", err)
	}
	_, err = fmt.Fprintln(p.Out, string(text))
	return err
}
