package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
)

// partNames are the parts that a person may ask for, in starting order.
var partNames = []string{
	"etcd", "store", "store-tls", "store2", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
	"containerd", "kubelet",
}

// status says of each part whether it runs; whether it answers is for `up`.
func status(name string, w io.Writer) error {
	t := newTestbed(name)
	if !exists(t.path("state.json")) {
		return fmt.Errorf("there is no testbed %q", name)
	}
	if err := t.load(); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, part := range partNames {
		id, known := t.Parts[part]
		if !known {
			continue
		}
		addr := t.path("containerd.sock")
		if t.Ports[part] != 0 {
			addr = t.addr(part)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", part, id.PID, id.word(), addr)
	}
	return table.Flush()
}

func (id identity) word() string {
	switch {
	case !id.alive():
		return "dead"
	case id.stopped():
		return "frozen"
	}
	return "running"
}

// signalPart sends a signal to a part; a killed part is gone when it returns.
func signalPart(name, part string, sig syscall.Signal) error {
	t := newTestbed(name)
	if !exists(t.path("state.json")) {
		return fmt.Errorf("there is no testbed %q", name)
	}
	if err := t.load(); err != nil {
		return err
	}
	id, known := t.Parts[part]
	if !slices.Contains(partNames, part) || !known {
		return fmt.Errorf("no part %q runs in testbed %q; parts are %s", part, name, strings.Join(partNames, ", "))
	}
	if !id.alive() {
		return fmt.Errorf("%s is dead already", part)
	}
	if sig == syscall.SIGKILL {
		return id.kill()
	}
	return id.signal(sig)
}
