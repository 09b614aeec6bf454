package facts

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A pod's requests and its nodeSelector cannot be patched, ended or not.
func TestPatchesOfAFailedPodAreRefused(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.ended(t, "ended", func(pod *corev1.Pod) {
		pod.Spec.NodeSelector = map[string]string{"type": "kwok"}
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
			"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi"),
		}
	})
	for name, patch := range map[string]string{
		"requests to zero":      `{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"0","memory":"0"}}}]}}`,
		"another nodeSelector":  `{"spec":{"nodeSelector":{"type":"idle"}}}`,
		"one more nodeSelector": `{"spec":{"nodeSelector":{"pool":"idle"}}}`,
	} {
		_, err := c.CoreV1().Pods(c.namespace).Patch(t.Context(), "ended", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		invalid(t, name, err, "pod updates may not change fields other than")
	}
	// What may change: the metadata. A label or an annotation still reaches a
	// pod that has ended.
	_, err := c.CoreV1().Pods(c.namespace).Patch(t.Context(), "ended", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"seen":"yes"},"annotations":{"example.com/note":"kept"}}}`), metav1.PatchOptions{})
	if err != nil {
		t.Errorf("patch labels and annotations: %v", err)
	}
}

// invalid checks for a 422 with this text in its message.
func invalid(t *testing.T, what string, err error, text string) {
	t.Helper()
	var status apierrors.APIStatus
	switch {
	case !errors.As(err, &status):
		t.Errorf("%s: accepted, or no answer: %v", what, err)
	case status.Status().Code != 422 || status.Status().Reason != metav1.StatusReasonInvalid:
		t.Errorf("%s: %d %s, want 422 Invalid", what, status.Status().Code, status.Status().Reason)
	case !strings.Contains(status.Status().Message, text):
		t.Errorf("%s: message %q does not say %q", what, status.Status().Message, text)
	}
}
