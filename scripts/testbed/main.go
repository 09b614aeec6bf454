// Testbed builds and runs a real Kubernetes control plane, a fake node for
// scale, an S3 store and, as root, a real node, all on this machine's loopback.
//
// Everything that belongs to one testbed lives in one run folder under the
// temp directory, named after the testbed. Its state.json names the ports and
// every process, so that any later call can repair or end it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills us
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		os.Exit(1)
	}
}
