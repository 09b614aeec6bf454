package facts

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ttlSecondsAfterFinished is the Job's: when it is over, Job and pods go
// together.
func TestJobTTLRemovesJobAndPods(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.createJob(t, withTTL(c.fakePod("").Spec))
	pod := c.jobPod(t, "job")
	c.setPhase(t, pod.Name, corev1.PodRunning)
	c.setPhase(t, pod.Name, corev1.PodFailed)
	c.jobGone(t, "job")
	c.gone(t, pod.Name)
}

// withTTL is a Job that is removed soon after its one pod has failed.
func withTTL(spec corev1.PodSpec) *batchv1.Job {
	job := onePodJob(spec)
	ttl := int32(3)
	job.Spec.TTLSecondsAfterFinished = &ttl
	return job
}

// onePodJob is a Job that fails with its first pod.
func onePodJob(spec corev1.PodSpec) *batchv1.Job {
	none := int32(0)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "job"},
		Spec:       batchv1.JobSpec{BackoffLimit: &none, Template: corev1.PodTemplateSpec{Spec: spec}},
	}
}

func (c *cluster) createJob(t *testing.T, job *batchv1.Job) {
	t.Helper()
	if _, err := c.BatchV1().Jobs(c.namespace).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// jobPod waits for the Job's pod.
func (c *cluster) jobPod(t *testing.T, job string) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	eventually(t, fmt.Sprintf("job %s has its pod", job), func() error {
		list, err := c.CoreV1().Pods(c.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
		if err != nil {
			return err
		}
		if len(list.Items) != 1 {
			return fmt.Errorf("it has %d", len(list.Items))
		}
		pod = &list.Items[0]
		return nil
	})
	return pod
}

func (c *cluster) jobGone(t *testing.T, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("job %s is gone", name), func() error {
		_, err := c.BatchV1().Jobs(c.namespace).Get(t.Context(), name, metav1.GetOptions{})
		return missing(err)
	})
}
