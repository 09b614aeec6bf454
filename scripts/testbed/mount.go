package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// mounts are the mount points below the run folder, newest first.
func (t *testbed) mounts() ([]string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var points []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], t.dir+"/") {
			points = append([]string{fields[4]}, points...)
		}
	}
	return points, nil
}

// unmountAll takes away every mount in the run folder, network namespaces
// among them, and waits until the pods' network interfaces went with them.
func (t *testbed) unmountAll() error {
	for range 20 {
		points, err := t.mounts()
		if err != nil {
			return err
		}
		if len(points) == 0 {
			return t.waitInterfaces()
		}
		for _, point := range points {
			if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil && err != syscall.EINVAL {
				return fmt.Errorf("%s: %w", point, err)
			}
		}
	}
	return fmt.Errorf("mounts in %s come back", t.dir)
}

// waitInterfaces returns once no interface carries the pod network's gateway;
// the kernel removes them some time after their namespace.
func (t *testbed) waitInterfaces() error {
	gateway := fmt.Sprintf("10.231.%d.1/32", t.Slot)
	for try := 0; ; try++ {
		left := interfacesWith(gateway)
		if len(left) == 0 {
			return nil
		}
		if try == 100 {
			return fmt.Errorf("interfaces %s do not go", strings.Join(left, " "))
		}
		if try == 60 {
			for _, name := range left {
				exec.Command("ip", "link", "delete", name).Run() // the next round sees whether it helped
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func interfacesWith(address string) []string {
	var names []string
	all, _ := net.Interfaces()
	for _, i := range all {
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if a.String() == address {
				names = append(names, i.Name)
			}
		}
	}
	return names
}

var shimSocket = regexp.MustCompile(`/run/containerd/s/[0-9a-f]{64}`)

// removeShimSockets removes the sockets of containers' shims, which lie in a
// folder that all containerds of the machine share; the shim's own folder
// names its socket.
func (t *testbed) removeShimSockets() {
	for _, name := range []string{"address", "bootstrap.json"} {
		files, _ := filepath.Glob(t.path("containerd-state", "io.containerd.*", "*", "*", name))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			for _, socket := range shimSocket.FindAllString(string(text), -1) {
				os.Remove(socket)
			}
		}
	}
}
