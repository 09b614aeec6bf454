package facts

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// makeNamespace makes a namespace that pods can be made in, and removes it
// with all its pods when the test ends.
func makeNamespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	ns, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "facts-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeNamespace(t, client, ns.Name) })
	eventually(t, "the namespace has its service account", func() error {
		_, err := client.CoreV1().ServiceAccounts(ns.Name).Get(t.Context(), "default", metav1.GetOptions{})
		return err
	})
	return ns.Name
}

// removeNamespace deletes the pods by force: nobody else ends a running pod on
// the fake node. The namespace goes first, so that no controller makes more.
func removeNamespace(t *testing.T, client kubernetes.Interface, name string) {
	ctx, now := context.Background(), int64(0)
	if err := client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	err := client.CoreV1().Pods(name).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
	if err != nil {
		t.Error(err)
	}
}
