package facts

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Fifty megabytes are far more than connections and buffers hold in flight.
const bigLog = 50 << 20

// A kubelet that dies while it serves a log leaves its client with a clean end
// and a part of the log. Nothing in the answer says so; the last line, asked
// for by itself, does.
func TestLogCutByAKubeletKilledEndsCleanly(t *testing.T) {
	c := connectNode(t)
	c.writeBigLog(t)
	resp, err := c.openLog(t.Context(), "big", "timestamps=true")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begin := make([]byte, 64<<10)
	if _, err := io.ReadFull(resp.Body, begin); err != nil {
		t.Fatal(err)
	}

	// As long as nobody reads, the rest cannot be under way.
	kill(t, "kubelet")
	rest, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("the end is not clean: %v", err)
	}
	got := string(begin) + string(rest)
	t.Logf("%d bytes of more than %d came", len(got), bigLog)
	if resp.StatusCode != 200 || len(got) >= bigLog || strings.HasSuffix(got, "the end\n") {
		t.Fatalf("status %d, %d bytes, want 200 and a part of the log", resp.StatusCode, len(got))
	}

	mend(t)
	tail := c.answered(t, "big", "timestamps=true&tailLines=1", "the last line is served", func(a answer) bool {
		return a.code == 200 && strings.HasSuffix(a.body, "Z the end\n")
	})
	if strings.HasSuffix(got, tail.body) {
		t.Errorf("the part ends with the last line %q", tail.body)
	}
	if whole := c.log(t, "big", "timestamps=true"); len(whole.body) < bigLog || !strings.HasPrefix(whole.body, got) || !strings.HasSuffix(whole.body, tail.body) {
		t.Errorf("asked again: %d bytes, want the whole log, of which the part is the beginning", len(whole.body))
	}
}

// writeBigLog makes pod "big" with one log file of that size. Right after a
// rotation the container has the time until the next look to write it. On a
// slow machine that may fail, so it tries again.
func (c *cluster) writeBigLog(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf(`awk 'BEGIN { line = sprintf("%%4000s", ""); for (i = 0; i < %d; i++) print i, line }' > /tmp/big`, bigLog/4000) +
		untilRotated + "cat /tmp/big; echo the end"
	for range 5 {
		pod := c.runToEnd(t, c.realPod("big", script, seesItsLogs))
		info, err := os.Stat(logFolder(pod) + "/main/0.log")
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > bigLog {
			return
		}
		t.Logf("the log was rotated once more, %d bytes are left; try again", info.Size())
		c.delete(t, "big")
	}
	t.Fatal("the log is always rotated before it is written")
}

// endedWithLog makes a pod that has ended, with one line in its log, and waits
// until that is served.
func (c *cluster) endedWithLog(t *testing.T, name string) *corev1.Pod {
	t.Helper()
	pod := c.runToEnd(t, c.realPod(name, "echo a line"))
	c.served(t, name, "", oneLine)
	return pod
}

const oneLine = "a line\n"
