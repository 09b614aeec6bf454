package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func loadCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "load FILE",
		Short: "Give the real node the images of a docker archive",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := newTestbed(*name)
			if err := t.load(); err != nil {
				return err
			}
			if !t.Node {
				return fmt.Errorf("load %s: testbed %q has no real node; start it with up --node", args[0], *name)
			}
			_, err := t.ctr(cmd.Context(), "images", "import", args[0])
			return err
		},
	}
}
