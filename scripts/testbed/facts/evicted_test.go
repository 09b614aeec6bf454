package facts

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The kubelet removes an evicted pod's containers, and their logs with them,
// though the pod object stays. It does so about when the phase turns, so no
// poll is quick enough. Mostly the object still names its containers and the
// log is error text under 200. If the container went before its end was noted,
// the Failed pod's container is Waiting, as if it had yet to start, its last
// state is an end without ID or times, and the log is refused with 400.
func TestLogOfAnEvictedPodIsLost(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	script := "echo too much; head -c 8000000 /dev/zero > /data/file; sleep 600"
	c.create(t, c.realPod("evicted", script, mount(emptyDir("1Mi"))))
	pod := c.phase(t, "evicted", corev1.PodFailed)
	if pod.Status.Reason != "Evicted" {
		t.Fatalf("reason %q, want Evicted", pod.Status.Reason)
	}
	a := c.answered(t, "evicted", "", "error text under 200, or 400", func(a answer) bool {
		return a.code == 200 && strings.HasPrefix(a.body, errorText) ||
			a.code == 400 && strings.HasSuffix(a.message, `container "main" in pod "evicted" is terminated`)
	})
	now := c.pod(t, "evicted")
	if now.UID != pod.UID || now.Status.Phase != corev1.PodFailed || now.Status.Reason != "Evicted" {
		t.Errorf("the pod object is not as it was: %s %s", now.Status.Phase, now.Status.Reason)
	}
	t.Logf("%v, containerStatuses %v", a, now.Status.ContainerStatuses)
	if err := namesItsContainer(now, a.code == 200); err != nil {
		t.Error(err)
	}
}

// namesItsContainer checks that the status tells of the one container, and
// whether an end with its ID.
func namesItsContainer(pod *corev1.Pod, byID bool) error {
	s := pod.Status.ContainerStatuses
	if len(s) != 1 {
		return fmt.Errorf("containerStatuses are %v, want one", s)
	}
	end := s[0].State.Terminated
	if !byID {
		end = s[0].LastTerminationState.Terminated
	}
	if end == nil || (end.ContainerID != "") != byID {
		return fmt.Errorf("want an end, named by ID: %v; containerStatuses are %v", byID, s)
	}
	return nil
}
