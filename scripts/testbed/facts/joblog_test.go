package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The ordinary case: a Job fails, and what its containers wrote can be read.
func TestLogsOfAFailedJobAreReadable(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	pod := c.failJob(t)
	eventually(t, "the job is Failed", func() error {
		job, err := c.BatchV1().Jobs(c.namespace).Get(t.Context(), "job", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, cond := range job.Status.Conditions {
			if cond.Type == batchv1.JobFailed && cond.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("%v", job.Status.Conditions)
	})
	for _, s := range pod.Status.ContainerStatuses {
		if want := map[string]int32{"main": 3, "helper": 0}[s.Name]; s.State.Terminated == nil || s.State.Terminated.ExitCode != want {
			t.Errorf("container %s: %v, want exit code %d", s.Name, s.State, want)
		}
	}
	// One log holds both streams; which of two lines comes first is chance.
	c.answered(t, pod.Name, "container=main", "both of its lines", func(a answer) bool {
		return a.code == 200 && (a.body == "main begins\nmain fails\n" || a.body == "main fails\nmain begins\n")
	})
	c.served(t, pod.Name, "container=helper", "helper is done\n")
}

// When the Job's time is over its logs are gone with it, on the node too.
func TestJobTTLRemovesLogs(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	pod := c.failJob(t)
	c.served(t, pod.Name, "container=helper", "helper is done\n")
	if _, err := os.Stat(logFolder(pod)); err != nil {
		t.Fatal(err)
	}
	_, err := c.BatchV1().Jobs(c.namespace).Patch(t.Context(), "job", types.MergePatchType,
		[]byte(`{"spec":{"ttlSecondsAfterFinished":1}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c.jobGone(t, "job")
	c.gone(t, pod.Name)
	if a := c.log(t, pod.Name, "container=helper"); a.code != 404 || a.kind != "pods" {
		t.Errorf("log after the job's time: %v, want 404 pods", a)
	}
	eventually(t, "the log files are gone", func() error {
		if _, err := os.Stat(logFolder(pod)); err == nil {
			return fmt.Errorf("%s is there", logFolder(pod))
		}
		return nil
	})
}

// failJob runs a Job of two containers until its pod has failed.
func (c *cluster) failJob(t *testing.T) *corev1.Pod {
	t.Helper()
	spec := c.realPod("", "echo main begins; echo main fails >&2; exit 3").Spec
	spec.NodeName, spec.NodeSelector = "", map[string]string{corev1.LabelHostname: c.real}
	spec.Containers = append(spec.Containers, shell("helper", "echo helper is done"))
	c.createJob(t, onePodJob(spec))
	return c.phase(t, c.jobPod(t, "job").Name, corev1.PodFailed)
}

// logFolder is where the kubelet keeps the logs of the pod, a folder for each
// container.
func logFolder(pod *corev1.Pod) string {
	return filepath.Join(os.Getenv("TESTBED_POD_LOGS_DIR"), fmt.Sprintf("%s_%s_%s", pod.Namespace, pod.Name, pod.UID))
}
