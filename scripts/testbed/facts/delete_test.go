package facts

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A delete that names another UID or an older resourceVersion is refused, each
// by itself.
func TestDeleteWithAWrongPreconditionIsAConflict(t *testing.T) {
	t.Parallel()
	c := connect(t)
	pod := c.ended(t, "ended")
	for name, wrong := range map[string]struct {
		uid     types.UID
		version string
		message string
	}{
		"another UID":              {"00000000-0000-0000-0000-000000000000", pod.ResourceVersion, "the UID in the precondition"},
		"an older resourceVersion": {pod.UID, "1", "the ResourceVersion in the precondition"},
	} {
		_, code, err := c.deleteExactly(t, pod.Name, wrong.uid, wrong.version)
		if code != 409 || !apierrors.IsConflict(err) || !strings.Contains(err.Error(), wrong.message) {
			t.Errorf("%s: %d %v, want 409 Conflict: %s", name, code, err, wrong.message)
		}
	}
	if now := c.pod(t, "ended"); now.UID != pod.UID || now.ResourceVersion != pod.ResourceVersion || now.DeletionTimestamp != nil {
		t.Errorf("the pod is not as it was: %v", now.ObjectMeta)
	}
}

// With both right the pod is gone when the answer comes: no kubelet is asked.
func TestDeleteWithBothPreconditionsRightIsAtOnce(t *testing.T) {
	t.Parallel()
	c := connect(t)
	pod := c.ended(t, "ended")
	deleted, code, err := c.deleteExactly(t, pod.Name, pod.UID, pod.ResourceVersion)
	if code != 200 || err != nil {
		t.Fatalf("%d %v, want 200", code, err)
	}
	if deleted.UID != pod.UID {
		t.Errorf("the answer is about %s, want the deleted pod %s", deleted.UID, pod.UID)
	}
	_, err = c.CoreV1().Pods(c.namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("get after the delete: %v, want 404", err)
	}
}

// A finalizer turns the delete into a mark. The answer is 200 all the same; only
// its body tells.
func TestDeleteOfAPodWithAFinalizerOnlyMarksIt(t *testing.T) {
	t.Parallel()
	c := connect(t)
	pod := c.ended(t, "ended", func(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/waits"} })
	t.Cleanup(func() { c.removeFinalizers(context.Background(), "ended") })

	deleted, code, err := c.deleteExactly(t, pod.Name, pod.UID, pod.ResourceVersion)
	if code != 200 || err != nil {
		t.Fatalf("%d %v, want 200", code, err)
	}
	if deleted.DeletionTimestamp == nil || len(deleted.Finalizers) == 0 {
		t.Errorf("the answer does not tell: %v", deleted.ObjectMeta)
	}
	if now := c.pod(t, "ended"); now.DeletionTimestamp == nil {
		t.Errorf("the pod has no deletionTimestamp: %v", now.ObjectMeta)
	}
	if err := c.removeFinalizers(t.Context(), "ended"); err != nil {
		t.Fatal(err)
	}
	c.gone(t, "ended")
}

// deleteExactly is the delete that pod-reclaimer sends.
func (c *cluster) deleteExactly(t *testing.T, name string, uid types.UID, version string) (*corev1.Pod, int, error) {
	t.Helper()
	pod, code, now := &corev1.Pod{}, 0, int64(0)
	options := &metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	}
	err := c.CoreV1().RESTClient().Delete().Namespace(c.namespace).Resource("pods").Name(name).Body(options).
		Do(t.Context()).StatusCode(&code).Into(pod)
	return pod, code, err
}

func (c *cluster) removeFinalizers(ctx context.Context, name string) error {
	_, err := c.CoreV1().Pods(c.namespace).Patch(ctx, name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	return err
}
