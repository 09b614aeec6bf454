package facts

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A failed pod holds its name; after the delete another pod may have it, which
// is why a name does not say which pod is meant.
func TestNameOfAFailedPodIsTakenUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	c := connect(t)
	first := c.ended(t, "same")
	_, err := c.CoreV1().Pods(c.namespace).Create(t.Context(), c.fakePod("same"), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.Fatalf("create under a taken name: %v, want 409 AlreadyExists", err)
	}
	c.delete(t, "same")
	if second := c.create(t, c.fakePod("same")); second.UID == first.UID {
		t.Errorf("the new pod has the old one's UID %s", first.UID)
	}
}
