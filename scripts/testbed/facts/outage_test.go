package facts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// Where nothing listens, the API server says so.
func TestLogWhileTheKubeletIsDown(t *testing.T) {
	c := connectNode(t)
	c.endedWithLog(t, "ended")
	kill(t, "kubelet")
	c.answered(t, "ended", "", "500, connection refused", func(a answer) bool {
		return a.code == 500 && a.kind == "" && strings.Contains(a.message, "dial tcp") && strings.Contains(a.message, "connect: connection refused")
	})
	mend(t)
	c.served(t, "ended", "", oneLine)
}

// A kubelet that has just started does not know its pods for a moment and says
// 404: no reason to give up a log. How long the moment is depends on the
// machine, so missing it is no failure; not being served afterwards is.
func TestLogJustAfterTheKubeletRestarts(t *testing.T) {
	c := connectNode(t)
	c.endedWithLog(t, "ended")
	for range 3 {
		seen := c.restartKubelet(t, "ended")
		t.Logf("answers in turn: %q", seen)
		if slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, `404 kind "pods/log"`) }) {
			return
		}
	}
	t.Log("404 pods/log was never seen")
}

// restartKubelet kills the kubelet, starts it and asks for the log all the
// while, until it is served. It returns the different answers in their order.
func (c *cluster) restartKubelet(t *testing.T, pod string) []string {
	t.Helper()
	kill(t, "kubelet")
	mended := make(chan error, 1)
	go func() { mended <- testbed(context.Background(), "up", "--node") }()
	var seen []string
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		a := c.log(t, pod, "")
		if a.code == 200 && a.body == oneLine {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not after %v: the log is served again: %v", patience, a)
		}
		if len(seen) == 0 || seen[len(seen)-1] != a.String() {
			seen = append(seen, a.String())
		}
	}
	must(t, <-mended)
	return seen
}

// A frozen kubelet still accepts connections: the request hangs, and only the
// client's own patience ends it.
func TestLogWhileTheKubeletIsFrozen(t *testing.T) {
	c := connectNode(t)
	c.endedWithLog(t, "ended")
	freeze(t, "kubelet")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	resp, err := c.openLog(ctx, "ended", "")
	if err == nil {
		resp.Body.Close()
		t.Errorf("answer %s from a frozen kubelet", resp.Status)
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want no answer until the client gives up", err)
	}
	thaw(t, "kubelet")
	c.served(t, "ended", "", oneLine)
}

// Without containerd the kubelet answers every log with the error text of one
// that is gone, under 200. This one comes back.
func TestLogWhileContainerdIsDownIsErrorText(t *testing.T) {
	c := connectNode(t)
	c.endedWithLog(t, "ended")
	kill(t, "containerd")
	c.answered(t, "ended", "", "error text under 200", func(a answer) bool {
		return a.code == 200 && strings.HasPrefix(a.body, errorText)
	})
	mend(t)
	c.served(t, "ended", "", oneLine)
}
