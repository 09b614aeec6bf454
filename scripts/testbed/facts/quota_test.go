package facts

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Quota of CPU and of "pods" is free when the pod has ended. Quota of
// "count/pods" counts objects: only the delete gives it back.
func TestCountQuotaIsFreedOnlyByTheDelete(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.quota(t, corev1.ResourceList{
		"count/pods": resource.MustParse("1"), "pods": resource.MustParse("5"), "requests.cpu": resource.MustParse("5"),
	})
	c.create(t, c.fakePod("first", resources("1", "1Gi", "2", "2Gi")))
	c.quotaUsed(t, map[string]string{"count/pods": "1", "pods": "1", "requests.cpu": "1"})

	c.setPhase(t, "first", corev1.PodFailed)
	c.quotaUsed(t, map[string]string{"count/pods": "1", "pods": "0", "requests.cpu": "0"})
	second := c.fakePod("second", resources("1", "1Gi", "2", "2Gi"))
	_, err := c.CoreV1().Pods(c.namespace).Create(t.Context(), second, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "exceeded quota: limits, requested: count/pods=1") {
		t.Fatalf("create a second pod: %v, want exceeded quota of count/pods", err)
	}

	c.delete(t, "first")
	eventually(t, "a second pod can be made", func() error {
		_, err := c.CoreV1().Pods(c.namespace).Create(t.Context(), second, metav1.CreateOptions{})
		return err
	})
}

// quota makes a quota and waits until it is in force.
func (c *cluster) quota(t *testing.T, hard corev1.ResourceList) {
	t.Helper()
	_, err := c.CoreV1().ResourceQuotas(c.namespace).Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "limits"}, Spec: corev1.ResourceQuotaSpec{Hard: hard},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	zero := map[string]string{}
	for name := range hard {
		zero[string(name)] = "0"
	}
	c.quotaUsed(t, zero)
}

func (c *cluster) quotaUsed(t *testing.T, want map[string]string) {
	t.Helper()
	eventually(t, fmt.Sprintf("quota used is %v", want), func() error {
		q, err := c.CoreV1().ResourceQuotas(c.namespace).Get(t.Context(), "limits", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for name, amount := range want {
			used, ok := q.Status.Used[corev1.ResourceName(name)]
			if !ok || used.Cmp(resource.MustParse(amount)) != 0 {
				return fmt.Errorf("used is %v", q.Status.Used)
			}
		}
		return nil
	})
}
