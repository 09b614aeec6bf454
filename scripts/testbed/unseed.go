package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unseed removes the seeded namespaces, which takes all in them along, and
// waits until they are gone.
func (t *testbed) unseed(ctx context.Context) error {
	client, err := t.clientset()
	if err != nil {
		return err
	}
	core := client.CoreV1()
	list, err := core.Namespaces().List(ctx, metav1.ListOptions{LabelSelector: seededLabel})
	if err != nil {
		return fmt.Errorf("list seeded namespaces: %w", err)
	}
	now := int64(0)
	for _, n := range list.Items {
		err := core.Pods(n.Name).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
		if err == nil {
			err = core.Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete namespace %s: %w", n.Name, err)
		}
	}
	return waitFor(ctx, "seeded namespaces to go", func() error {
		list, err := core.Namespaces().List(ctx, metav1.ListOptions{LabelSelector: seededLabel})
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d are left", len(list.Items))
		}
		return err
	})
}
