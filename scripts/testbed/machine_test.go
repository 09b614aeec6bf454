package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// snapshot is all that a testbed could leave behind, as lines.
type snapshot struct {
	name  string
	lines []string
	// alone says that no other testbed was there to leave anything.
	alone bool
}

const inventory = `
	sed 's/^/mount: /' /proc/mounts
	ip netns list 2>/dev/null | sed 's/^/netns: /'
	ip -o link 2>/dev/null | grep -o 'veth[0-9a-f]*' | sed 's/^/link: /'
	iptables-save 2>/dev/null | grep -v '^#' | sed 's/\[.*\]//; s/^/iptables: /'
	find /sys/fs/cgroup -type d 2>/dev/null | grep -E 'testbed|kube|k8s|containerd' | sed 's/^/cgroup: /'
	find /run /var/lib /var/log -xdev 2>/dev/null | grep -v -E '^/var/lib/(dpkg|apt|systemd)/' |
		grep -E 'kube|cni|containerd|runc|testbed|/var/log/(pods|containers)' | sed 's/^/file: /'
	ls -d "${TMPDIR:-/tmp}"/testbed-* 2>/dev/null | sed 's/^/folder: /'
	ls -d /tmp/seaweedfs-* 2>/dev/null | sed 's/^/socket: /'
	sed 's/^/hosts: /' /etc/hosts
	ps -eo args | grep /testbed- | grep -v grep | sed 's/^/process: /'`

func machine(t *testing.T, name string) snapshot {
	t.Helper()
	out, err := exec.Command("sh", "-c", inventory).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for _, name := range changedSysctls {
		value, _ := os.ReadFile("/proc/sys/" + name)
		lines = append(lines, fmt.Sprintf("sysctl: %s %s", name, value))
	}
	return snapshot{name, lines, len(newTestbed(name).others()) == 0}
}

// shared are the lines that another testbed may change while this one runs.
var shared = regexp.MustCompile(`(testbed|node)-[a-z0-9-]+|veth|^file|^socket|^sysctl`)

func sameMachine(t *testing.T, before, after snapshot) {
	t.Helper()
	compare := func(what string, has, lacks snapshot) {
		for _, line := range has.lines {
			foreign := shared.MatchString(line) && !strings.Contains(line, before.name)
			if !slices.Contains(lacks.lines, line) && (!foreign || before.alone && after.alone) {
				t.Errorf("%s: %s", what, line)
			}
		}
	}
	compare("left behind", after, before)
	compare("taken away", before, after)
}
