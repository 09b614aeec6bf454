package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ReplicaSet, StatefulSet and DaemonSet make up for a pod that failed exactly
// once, whether it is deleted before or after they have noticed.
func TestWorkloadsAfterDeleteOnRealNode(t *testing.T) {
	b := newBed(t)
	template := `selector: {matchLabels: {app: NAME}}, template: {metadata: {labels: {app: NAME}}, spec: {
  nodeSelector: {kubernetes.io/hostname: ` + os.Getenv("TESTBED_KWOK_NODE") + `}, tolerations: [{operator: Exists}],
  containers: [{name: main, image: "example/main:1"}]}}`
	workloads := []string{"replicaset", "statefulset", "daemonset"}
	for _, kind := range workloads {
		spec := map[string]string{
			"replicaset":  "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: NAME}, spec: {replicas: 2, " + template + "}}",
			"statefulset": "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: NAME}, spec: {replicas: 1, serviceName: NAME, " + template + "}}",
			"daemonset":   "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: NAME}, spec: {" + template + "}}",
		}[kind]
		b.apply(strings.ReplaceAll(spec, "NAME", kind))
	}
	pods := map[string]int{"replicaset": 2, "statefulset": 1, "daemonset": 1}
	b.waitPods(pods)

	// the ReplicaSet has noticed, and keeps the failed pod beside a new one
	b.failPod(b.podsOf("app=replicaset")[0])
	b.waitPods(map[string]int{"replicaset": 3})
	kept := b.podsOf("app=replicaset")
	// the others have not
	b.testbed("stop", "kube-controller-manager")
	resume := sync.OnceFunc(func() { b.testbed("cont", "kube-controller-manager") })
	defer resume()
	failed := map[string]string{}
	for _, kind := range workloads[1:] {
		pod := b.podsOf("app=" + kind)[0]
		b.failPod(pod)
		failed[kind] = b.field("pod/"+pod, ".metadata.uid")
	}
	e := b.run()
	e.expect(t, 0, "three deleted", e.summary.Deleted == 3)

	resume()
	b.waitPods(pods)
	for _, pod := range b.podsOf("app=replicaset") {
		if !slices.Contains(kept, pod) {
			t.Errorf("the ReplicaSet made %s after the failed pod was deleted", pod)
		}
	}
	for kind, uid := range failed {
		if now := b.field("pod/"+b.podsOf("app=" + kind)[0], ".metadata.uid"); now == uid {
			t.Errorf("the %s has still its failed pod", kind)
		}
	}
	for field, want := range map[string]string{
		"replicaset/replicaset .status.replicas": "2", "statefulset/statefulset .status.replicas": "1", "daemonset/daemonset .status.currentNumberScheduled": "1",
	} {
		var object, path string
		fmt.Sscan(field, &object, &path)
		eventually(t, field+" is "+want, func() bool { return b.field(object, path) == want })
	}
	for _, kind := range workloads {
		b.kubectl("delete", kind, kind)
		b.kubectl("delete", "pods", "-l", "app="+kind, "--force", "--grace-period=0")
	}
}

// waitPods waits until each workload has so many pods that are bound to a node.
func (b *bed) waitPods(want map[string]int) {
	b.t.Helper()
	for app, n := range want {
		eventually(b.t, fmt.Sprintf("%s has %d pods", app, n), func() bool {
			bound := strings.Fields(string(b.kubectl("get", "pods", "-l", "app="+app, "-o", "jsonpath={.items[*].spec.nodeName}")))
			return len(bound) == n
		})
	}
}

// failPod gives a pod of the fake node the status of one whose container failed.
func (b *bed) failPod(pod string) {
	b.t.Helper()
	b.kubectl("patch", "pod", pod, "--subresource=status", "--type=merge", "-p",
		`{"status":{"phase":"Failed","containerStatuses":[{"name":"main","image":"example/main:1","imageID":"","ready":false,"restartCount":0,"containerID":"containerd://1",
"state":{"terminated":{"exitCode":1,"finishedAt":"2026-01-01T00:00:00Z","containerID":"containerd://1"}}}]}}`)
}
