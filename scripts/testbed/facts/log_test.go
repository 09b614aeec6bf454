package facts

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// errorText is what a log request answers, under 200, when the container is not
// there any more.
const errorText = "unable to retrieve container logs for containerd://"

// A pod that was never scheduled has no log, and the answer says so.
func TestLogOfAPodNeverScheduled(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.create(t, c.fakePod("waits", func(pod *corev1.Pod) {
		pod.Spec.NodeName, pod.Spec.NodeSelector = "", map[string]string{"type": "none"}
	}))
	if a := c.log(t, "waits", ""); a.code != 204 || a.body != "" {
		t.Errorf("%v, want 204 and no body", a)
	}
}

// Of a pod that has ended the kubelet keeps each container's last instance
// alone. The previous one's log is answered with error text, under 200.
func TestPreviousLogOfAnEndedPodIsErrorText(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	script := "if [ -e /data/seen ]; then echo second; exit 0; fi; touch /data/seen; echo first; exit 1"
	pod := c.runToEnd(t, c.realPod("restarts", script, mount(emptyDir("")), func(pod *corev1.Pod) {
		pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}))
	last := pod.Status.ContainerStatuses[0].LastTerminationState.Terminated
	if pod.Status.ContainerStatuses[0].RestartCount != 1 || last == nil {
		t.Fatalf("the container has not restarted once: %v", pod.Status.ContainerStatuses)
	}
	c.served(t, "restarts", "", "second\n")
	c.answered(t, "restarts", "previous=true", "error text under 200", func(a answer) bool {
		return a.code == 200 && a.body == errorText+strings.TrimPrefix(last.ContainerID, "containerd://")
	})
}

// A pod that ran into its deadline has a log like any other.
func TestLogOfAPodPastItsDeadline(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	c.create(t, c.realPod("late", "echo before the deadline; sleep 600"))
	c.answered(t, "late", "", "the container has begun", func(a answer) bool { return a.body != "" && a.code == 200 })
	_, err := c.CoreV1().Pods(c.namespace).Patch(t.Context(), "late", types.MergePatchType,
		[]byte(`{"spec":{"activeDeadlineSeconds":1}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if pod := c.phase(t, "late", corev1.PodFailed); pod.Status.Reason != "DeadlineExceeded" {
		t.Errorf("reason %q, want DeadlineExceeded", pod.Status.Reason)
	}
	c.served(t, "late", "", "before the deadline\n")
}

// A last line without its newline is served as it is, so a log that ends in the
// middle of a line may be whole.
func TestLastLineWithoutNewlineIsServedWithoutOne(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	c.runToEnd(t, c.realPod("prints", `printf 'one\ntwo'`))
	c.served(t, "prints", "", "one\ntwo")
	if a := c.log(t, "prints", "timestamps=true"); !strings.HasSuffix(a.body, "Z two") {
		t.Errorf("with timestamps: %v, want no newline at the end", a)
	}
}

// emptyDir is a scratch volume, with a limit on its size unless that is empty.
func emptyDir(limit string) corev1.VolumeSource {
	source := &corev1.EmptyDirVolumeSource{}
	if limit != "" {
		size := resource.MustParse(limit)
		source.SizeLimit = &size
	}
	return corev1.VolumeSource{EmptyDir: source}
}
