package main

import (
	"context"
	"fmt"
	"os"
)

const (
	busyboxImage = "docker.io/local/busybox:1"
	pauseImage   = "docker.io/local/pause:1"
)

func (t *testbed) podLogs() string { return t.path("pod-logs") }

// startNode brings up containerd with its images, then the kubelet.
func (t *testbed) startNode(ctx context.Context) error {
	if err := t.changeHost(); err != nil {
		return err
	}
	if err := t.makeCgroup(); err != nil {
		return fmt.Errorf("make cgroup: %w", err)
	}
	if err := t.writeContainerdConfig(); err != nil {
		return fmt.Errorf("write containerd configuration: %w", err)
	}
	if err := t.ensure(ctx, t.containerd()); err != nil {
		return err
	}
	if err := t.importImages(ctx); err != nil {
		return fmt.Errorf("import images: %w", err)
	}
	if err := t.writeKubeletConfig(); err != nil {
		return fmt.Errorf("write kubelet configuration: %w", err)
	}
	return t.ensure(ctx, t.kubelet())
}

// removeNode takes away what containerd and the kubelet leave outside the run
// folder, and every mount inside it.
func (t *testbed) removeNode() error {
	if os.Geteuid() != 0 {
		return nil
	}
	t.removeShimSockets()
	if err := t.unmountAll(); err != nil {
		return fmt.Errorf("unmount: %w", err)
	}
	if err := t.removeCgroups(); err != nil {
		return fmt.Errorf("remove cgroups: %w", err)
	}
	if err := t.restoreHost(); err != nil {
		return fmt.Errorf("restore the machine's settings: %w", err)
	}
	return nil
}
