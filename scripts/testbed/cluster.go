package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// before any client works: the logger is one for the process, and has no lock
func init() {
	klog.SetLogger(klog.Logger{}) // errors are returned, not logged
}

// clientset is how the testbed itself talks to its API server: as
// administrator, without limits of its own, in the format that costs least.
func (t *testbed) clientset() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", t.kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	config.QPS = -1
	config.UserAgent = "testbed"
	config.ContentType = runtime.ContentTypeProtobuf
	return kubernetes.NewForConfig(config)
}

// waitCluster returns once pods can be made: the nodes are Ready and free of
// the taints of a node that is not, and namespace default has its account.
func (t *testbed) waitCluster(ctx context.Context) error {
	client, err := t.clientset()
	if err != nil {
		return err
	}
	if err := waitFor(ctx, "service account default", func() error { return accountThere(ctx, client, "default") }); err != nil {
		return err
	}
	nodes := []string{kwokNode}
	if t.Node {
		nodes = append(nodes, t.nodeName())
	}
	for _, name := range nodes {
		if err := waitFor(ctx, "node "+name, func() error { return nodeReady(ctx, client, name) }); err != nil {
			return err
		}
	}
	if t.Node {
		return waitFor(ctx, "kubelet to know its pods", func() error { return t.kubeletKnows(ctx, client) })
	}
	return nil
}

// waitFor polls for up to three minutes.
func waitFor(ctx context.Context, what string, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func accountThere(ctx context.Context, client kubernetes.Interface, namespace string) error {
	_, err := client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
	return err
}

func nodeReady(ctx context.Context, client kubernetes.Interface, name string) error {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable {
			return fmt.Errorf("it has taint %s", taint.Key)
		}
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("it is not Ready")
}

// kubeletKnows returns nil once the kubelet has heard of every pod bound to its
// node; before that it answers 404 for their logs.
func (t *testbed) kubeletKnows(ctx context.Context, client kubernetes.Interface) error {
	text, err := t.ask(ctx, t.url("https", "kubelet")+"/pods")
	if err != nil {
		return err
	}
	bound, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + t.nodeName()})
	if err != nil {
		return err
	}
	for _, pod := range bound.Items {
		if !strings.Contains(text, string(pod.UID)) {
			return fmt.Errorf("it does not know pod %s/%s", pod.Namespace, pod.Name)
		}
	}
	return nil
}
