// Package facts shows, on a real API server, scheduler, controller-manager,
// kubelet and containerd, what Kubernetes 1.37 does with pods that have ended:
// why pod-reclaimer exists and what it must cope with. It holds tests alone.
//
// The first half is what a terminated pod does and does not hold. Its requests
// are free the moment its phase turns terminal, and they cannot be patched
// away; its name, its count/pods quota and the deletion of its claims are held
// until the pod object is deleted. These tests put pods on a fake node and
// write their status themselves, so that they need no root.
//
// The second half is how the log of an ended container is served, and how it is
// not: error text under 200, a broken stream that looks like a whole one, an
// answer of 404 that is only true for a moment. These need the real node. Some
// of them kill or freeze its kubelet or containerd and mend it afterwards; they
// are not parallel, so they never meet another test of this package, but the
// tests of another package must not use the same testbed meanwhile.
//
// A fact that no longer holds fails here, with the answer that was seen. That
// is news about Kubernetes, not a fault of the product: read what relied on it.
//
// # Use
//
//	eval "$(scripts/testbed/testbed up --node --name facts)"
//	go test -C scripts/testbed ./facts/
//
// Without a testbed in the environment the tests skip. TESTBED_REQUIRED=1 makes
// that a failure, and TESTBED_REQUIRED=node also the lack of a real node.
//
// No test looks at how long something took. They wait until a thing is so, and
// fail when it is not after minutes. To show that something does not happen,
// a test waits for the next thing that the same controller does.
package facts
