package main

import (
	"fmt"
	"net"
)

// Ports come in blocks of portsPerSlot below the range that the kernel gives to
// outgoing connections (32768 and up), one block a testbed.
const (
	firstPort    = 21000
	portsPerSlot = 20
	slots        = 200
)

var portNames = []string{
	"etcd", "etcd-peer", "kube-apiserver", "kube-controller-manager", "kube-scheduler",
	"kwok", "store", "store-tls", "kubelet", "kubelet-healthz",
	"store2", "store2-tls", "store2-s3-grpc", "store2-master", "store2-master-grpc",
	"store2-volume", "store2-volume-grpc", "store2-filer", "store2-filer-grpc",
}

// choosePorts takes a free block once; a testbed keeps it for its life. The
// host lock, and that the choice is saved before it is given back, keep two
// testbeds that start at the same moment apart.
func (t *testbed) choosePorts() error {
	if len(t.Ports) > 0 {
		return nil
	}
	host, err := lockHost()
	if err != nil {
		return err
	}
	defer host.Close()
	taken := map[int]bool{}
	for _, o := range t.others() {
		taken[o.Slot] = len(o.Ports) > 0
	}
	for slot := range slots {
		if taken[slot] || !blockFree(slot) {
			continue
		}
		t.Slot = slot
		for i, name := range portNames {
			t.Ports[name] = firstPort + slot*portsPerSlot + i
		}
		return t.save()
	}
	return fmt.Errorf("choose ports: no free block of ports from %d to %d", firstPort, firstPort+slots*portsPerSlot)
}

// blockFree says whether nobody listens on any port of the block.
func blockFree(slot int) bool {
	for i := range portNames {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+slot*portsPerSlot+i))
		if err != nil {
			return false
		}
		l.Close()
	}
	return true
}
