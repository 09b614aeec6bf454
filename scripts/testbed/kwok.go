package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	kwokNode = "kwok-0"
	// kwokLabel marks the nodes that KWOK keeps Ready and answers for. A test
	// may make more of them.
	kwokLabel = "type=kwok"
)

//go:embed kwok.yaml
var kwokConfig string

// kwok keeps the fake nodes Ready, with leases, and serves container logs for
// their pods. It has no stages for pods: their status is the tests' own.
func (t *testbed) kwok() part {
	return part{
		name: "kwok",
		args: []string{
			"--config=" + t.config("kwok.yaml"), "--kubeconfig=" + t.kubeconfig(),
			"--manage-nodes-with-label-selector=" + kwokLabel,
			"--node-ip=127.0.0.1", portFlag("node-port", t, "kwok"), "--server-address=" + t.addr("kwok"),
			"--tls-cert-file=" + t.pki("kwok-serving.crt"), "--tls-private-key-file=" + t.pki("kwok-serving.key"),
		},
		ready: t.answers("http", "kwok", "/healthz"),
	}
}

// writeKwokConfig writes what KWOK reads, and the logs that it serves.
func (t *testbed) writeKwokConfig() error {
	if err := t.writeLogFiles(); err != nil {
		return fmt.Errorf("write log files: %w", err)
	}
	var text strings.Builder
	tmpl := template.Must(template.New("kwok").Delims("<<", ">>").Parse(kwokConfig))
	err := tmpl.Execute(&text, map[string]any{
		"Logs": t.path("data", "logs"), "Big": bigNamespaces(), "Empty": emptyNamespace,
	})
	if err != nil {
		return fmt.Errorf("write KWOK configuration: %w", err)
	}
	return os.WriteFile(t.config("kwok.yaml"), []byte(text.String()), 0o600)
}

// makeKwokNode registers the fake node. Its taint keeps ordinary pods away; a
// test that wants it tolerates the taint or sets spec.nodeName.
func (t *testbed) makeKwokNode(ctx context.Context) error {
	client, err := t.clientset()
	if err != nil {
		return err
	}
	size := corev1.ResourceList{
		"cpu":            resource.MustParse("32"),
		"memory":         resource.MustParse("600Gi"),
		"pods":           resource.MustParse("200000"),
		"nvidia.com/gpu": resource.MustParse("1"),
	}
	_, err = client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: kwokNode,
			Labels: map[string]string{
				"type": "kwok", "kubernetes.io/hostname": kwokNode, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			},
		},
		Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: "kwok", Value: "true", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Capacity: size, Allocatable: size},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make node %s: %w", kwokNode, err)
	}
	return nil
}
