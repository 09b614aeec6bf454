package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hostState is what the machine had before the node's programs changed it.
type hostState struct {
	// Sysctls are the kernel settings, by their path below /proc/sys.
	Sysctls map[string]string
	// NewFolders are the folders of changedFolders that were not there.
	NewFolders []string
}

// changedFolders are where the kubelet and the CNI plugins put files whatever
// their configuration says.
var changedFolders = []string{"/var/lib/kubelet", "/var/lib/cni", "/var/log/containers", "/run/containerd"}

// changedSysctls are the kernel settings that the kubelet (its tunables) and
// the CNI plugin (forwarding) set for the whole machine.
var changedSysctls = []string{
	"net/ipv4/ip_forward",
	"vm/overcommit_memory", "vm/panic_on_oom",
	"kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// changeHost notes the kernel's settings before the node changes them and
// gives the node's name an address. When another testbed has a node, the
// settings it found are the machine's own.
func (t *testbed) changeHost() error {
	host, err := lockHost()
	if err != nil {
		return err
	}
	defer host.Close()
	for _, o := range t.others() {
		if t.Host.Sysctls == nil {
			t.Host = o.Host
		}
	}
	if t.Host.Sysctls == nil {
		t.Host = readHost()
	}
	if err := t.save(); err != nil {
		return err
	}
	return editHosts(t.hostsLine(), true)
}

func readHost() hostState {
	h := hostState{Sysctls: map[string]string{}}
	for _, name := range changedSysctls {
		if value, err := os.ReadFile("/proc/sys/" + name); err == nil {
			h.Sysctls[name] = strings.TrimSpace(string(value))
		}
	}
	for _, dir := range changedFolders {
		if !exists(dir) {
			h.NewFolders = append(h.NewFolders, dir)
		}
	}
	return h
}

// restoreHost puts back what changeHost noted, once no other testbed has a
// node, and removes what the node's programs left in shared folders.
func (t *testbed) restoreHost() error {
	host, err := lockHost()
	if err != nil {
		return err
	}
	defer host.Close()
	if err := editHosts(t.hostsLine(), false); err != nil {
		return err
	}
	t.removeLeftovers()
	for _, o := range t.others() {
		if o.Node {
			return nil
		}
	}
	for _, dir := range t.Host.NewFolders {
		removeEmpty(dir)
	}
	return restoreSysctls(t.Host.Sysctls)
}

func restoreSysctls(values map[string]string) error {
	for name, value := range values {
		now, err := os.ReadFile("/proc/sys/" + name)
		if err == nil && strings.TrimSpace(string(now)) == value {
			continue
		}
		if err := os.WriteFile("/proc/sys/"+name, []byte(value), 0); err != nil {
			return err
		}
	}
	return nil
}

// removeLeftovers removes this testbed's entries from folders that all nodes
// of a machine share.
func (t *testbed) removeLeftovers() {
	links, _ := filepath.Glob("/var/log/containers/*")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, t.dir+"/") {
			os.Remove(link)
		}
	}
	results, _ := filepath.Glob("/var/lib/cni/results/" + t.cniNetwork() + "-*")
	for _, file := range results {
		os.Remove(file)
	}
}

// removeEmpty removes the folder if it holds nothing but folders and the
// sockets of a dead kubelet; anything else in it is somebody's and stays.
func removeEmpty(dir string) {
	var folders []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir():
			folders = append(folders, path)
		case d.Type() == fs.ModeSocket:
			os.Remove(path)
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		os.Remove(folder) // fails unless it is empty, as it should
	}
}
