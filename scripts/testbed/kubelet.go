package main

import (
	_ "embed"
	"os"
	"strings"
	"text/template"
)

//go:embed kubelet.yaml
var kubeletConfig string

func (t *testbed) kubelet() part {
	return part{
		name: "kubelet",
		args: []string{
			"--config=" + t.config("kubelet.yaml"), "--kubeconfig=" + t.config("kubelet.kubeconfig"),
			"--hostname-override=" + t.nodeName(),
			"--root-dir=" + t.path("kubelet"), "--cert-dir=" + t.path("kubelet-certs"),
			"--node-labels=testbed=real",
		},
		ready: t.answers("http", "kubelet-healthz", "/healthz"),
	}
}

// writeKubeletConfig keeps the kubelet's files inside the run folder. The
// cgroup root is the testbed's own, so that `down` knows what is its to remove.
func (t *testbed) writeKubeletConfig() error {
	if err := os.MkdirAll(t.podLogs(), 0o755); err != nil {
		return err
	}
	var text strings.Builder
	tmpl := template.Must(template.New("kubelet").Parse(kubeletConfig))
	err := tmpl.Execute(&text, map[string]any{
		"Dir": t.dir, "Ports": t.Ports, "PodLogs": t.podLogs(), "Cgroup": t.cgroup(), "Socket": t.containerdSocket(),
	})
	if err != nil {
		return err
	}
	return os.WriteFile(t.config("kubelet.yaml"), []byte(text.String()), 0o600)
}
