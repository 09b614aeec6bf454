package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/template"
)

//go:embed containerd.toml
var containerdConfig string

func (t *testbed) containerdSocket() string { return t.path("containerd.sock") }

func (t *testbed) containerd() part {
	return part{
		name: "containerd",
		args: []string{"--config", t.config("containerd.toml")},
		ready: func(ctx context.Context) error {
			_, err := t.ctr(ctx, "plugins", "ls")
			return err
		},
	}
}

// ctr runs containerd's own client in Kubernetes' namespace.
func (t *testbed) ctr(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"--address", t.containerdSocket(), "--namespace", "k8s.io"}, args...)
	out, err := exec.CommandContext(ctx, t.bin("ctr"), args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", args[4], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// writeContainerdConfig keeps all of containerd inside the run folder, also
// what it puts elsewhere by default.
func (t *testbed) writeContainerdConfig() error {
	for _, d := range []string{"cni", "containerd", "containerd-state"} {
		if err := os.MkdirAll(t.path(d), 0o700); err != nil {
			return err
		}
	}
	var text strings.Builder
	tmpl := template.Must(template.New("containerd").Parse(containerdConfig))
	err := tmpl.Execute(&text, map[string]string{"Dir": t.dir, "Pause": pauseImage})
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.config("containerd.toml"), []byte(text.String()), 0o600); err != nil {
		return err
	}
	return os.WriteFile(t.path("cni", "10-testbed.conflist"), []byte(t.cniConfig()), 0o600)
}

// cniConfig joins each pod to the machine by a pair of its own, without a
// bridge and without address translation, so that no firewall rule arises.
func (t *testbed) cniConfig() string {
	return fmt.Sprintf(`{
  "cniVersion": "0.4.0",
  "name": %q,
  "plugins": [{
    "type": "ptp",
    "ipMasq": false,
    "ipam": {"type": "host-local", "dataDir": %q, "ranges": [[{"subnet": "10.231.%d.0/24"}]]}
  }]
}
`, t.cniNetwork(), t.path("cni-addresses"), t.Slot)
}

func (t *testbed) cniNetwork() string { return "testbed-" + t.name }
