package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "testbed",
		Short:         "A real cluster and a real store for tests, on this machine",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	name := root.PersistentFlags().String("name", "default", "which testbed; several run side by side")
	root.AddCommand(
		buildCommand(), upCommand(name), downCommand(name), envCommand(name), statusCommand(name), seedCommand(name), objectsCommand(name), loadCommand(name),
		signalCommand(name, "kill", "Kill a part at once (SIGKILL); `up` starts it again", syscall.SIGKILL),
		signalCommand(name, "stop", "Freeze a part (SIGSTOP)", syscall.SIGSTOP),
		signalCommand(name, "cont", "Let a frozen part go on (SIGCONT)", syscall.SIGCONT),
		watchdogCommand(name),
	)
	return root
}

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build [PART...]",
		Short: "Build parts into the cache: " + strings.Join(programNames(), ", ") + "; `all`",
		Long: "Build parts into cache folders ($TESTBED_CACHE, else the user's cache directory).\n" +
			"Without arguments: what `up` without --node needs. What is there is not built again.",
		RunE: func(cmd *cobra.Command, args []string) error {
			names := args
			if len(args) == 0 {
				names = controlPlanePrograms
			}
			if len(args) == 1 && args[0] == "all" {
				names = programNames()
			}
			cluster, seaweed, err := buildParts(cmd.Context(), names)
			if err != nil {
				return err
			}
			fmt.Println(cluster)
			fmt.Println(seaweed)
			return nil
		},
	}
}

func upCommand(name *string) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a testbed, or repair it; prints its environment",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.newGuard = cmd.Flags().Changed("owner") || cmd.Flags().Changed("ttl")
			env, err := up(cmd.Context(), *name, o)
			if err != nil {
				return err
			}
			_, err = os.Stdout.WriteString(env)
			return err
		},
	}
	cmd.Flags().BoolVar(&o.node, "node", false, "also a real node: containerd and kubelet (root)")
	cmd.Flags().IntVar(&o.owner, "owner", 0, "end the testbed when this process is gone")
	cmd.Flags().DurationVar(&o.ttl, "ttl", 3*time.Hour, "end the testbed after this long")
	return cmd
}

func downCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End a testbed and leave nothing behind",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return down(*name) },
	}
}

func envCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "env",
		Short: "Print the environment that `up` saved, for `eval`",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := os.ReadFile(newTestbed(*name).path("env"))
			if err != nil {
				return fmt.Errorf("read environment: %w", err)
			}
			_, err = os.Stdout.Write(text)
			return err
		},
	}
}

func statusCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "One line a part: name, process, state, address",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return status(*name, os.Stdout) },
	}
}

func signalCommand(name *string, verb, short string, sig syscall.Signal) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " PART",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return signalPart(*name, args[0], sig)
		},
	}
}
