package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroup is the parent of all containers of the testbed's node.
func (t *testbed) cgroup() string { return "/testbed-" + t.name }

// cgroupFolders are the folders of that cgroup and of all below it, children
// first, in every hierarchy.
func (t *testbed) cgroupFolders() []string {
	roots, _ := filepath.Glob("/sys/fs/cgroup/*" + t.cgroup())
	roots = append(roots, "/sys/fs/cgroup"+t.cgroup())
	var all []string
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, path)
			}
			return nil
		})
	}
	slices.Reverse(all)
	return all
}

// makeCgroup makes the cgroup in every hierarchy: the kubelet wants to find it.
func (t *testbed) makeCgroup() error {
	hierarchies, _ := filepath.Glob("/sys/fs/cgroup/*/cgroup.procs")
	for _, file := range append(hierarchies, "/sys/fs/cgroup/cgroup.procs") {
		parent := filepath.Dir(file)
		if err := os.Mkdir(parent+t.cgroup(), 0o755); err != nil && !os.IsExist(err) && exists(file) {
			return err
		}
		for _, set := range []string{"/cpuset.cpus", "/cpuset.mems"} {
			if value, err := os.ReadFile(parent + set); err == nil {
				os.WriteFile(parent+t.cgroup()+set, value, 0) // an empty set would hold no process
			}
		}
	}
	return nil
}

// killContainers ends every process in the testbed's cgroups.
func (t *testbed) killContainers() error {
	for range 200 {
		found := false
		for _, dir := range t.cgroupFolders() {
			text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
			for _, field := range strings.Fields(string(text)) {
				pid, _ := strconv.Atoi(field)
				if id, err := identify(pid); err != nil || !id.alive() {
					continue
				}
				found = true
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("processes in cgroup %s do not end", t.cgroup())
}

// removeCgroups waits a little for the kernel to let go of the dead.
func (t *testbed) removeCgroups() error {
	var err error
	for range 100 {
		err = nil
		for _, dir := range t.cgroupFolders() {
			if e := syscall.Rmdir(dir); e != nil {
				err = fmt.Errorf("%s: %w", dir, e)
			}
		}
		if err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
