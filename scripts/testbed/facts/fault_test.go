package facts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// kill ends a part of the real node at once. The test mends it; if it fails
// before, its end does.
func kill(t *testing.T, part string) {
	t.Helper()
	mendIfFailed(t)
	must(t, testbed(t.Context(), "kill", part))
}

// freeze stops a part of the real node where it is, until thaw.
func freeze(t *testing.T, part string) {
	t.Helper()
	mendIfFailed(t)
	must(t, testbed(t.Context(), "stop", part))
}

func thaw(t *testing.T, part string) {
	t.Helper()
	must(t, testbed(t.Context(), "cont", part))
}

// mend starts what is dead and lets go on what is frozen, and returns when the
// node is well.
func mend(t *testing.T) {
	t.Helper()
	must(t, testbed(context.Background(), "up", "--node"))
}

func mendIfFailed(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			mend(t)
		}
	})
}

// testbed runs the testbed's own program on the testbed in the environment.
func testbed(ctx context.Context, args ...string) error {
	args = append(args, "--name", os.Getenv("TESTBED_NAME"))
	if out, err := exec.CommandContext(ctx, "../testbed", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("testbed %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
