package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tryDelete sends a DELETE of a pod as the installed account, with these options,
// past the program, and returns what the API server says to it.
func (b *bed) tryDelete(pod string, preconditions map[string]string) string {
	b.t.Helper()
	options, err := json.Marshal(map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "preconditions": preconditions})
	if err != nil {
		b.t.Fatal(err)
	}
	file := filepath.Join(b.t.TempDir(), "options.json")
	if err := os.WriteFile(file, options, 0o600); err != nil {
		b.t.Fatal(err)
	}
	output, err := b.tryKubectl("", "delete", "--raw", "/api/v1/namespaces/"+b.namespace+"/pods/"+pod, "-f", file, "--as="+b.account())
	if err == nil {
		return "deleted"
	}
	return string(output)
}

// exact are the preconditions that the program sends.
func (b *bed) exact(pod string) map[string]string {
	return map[string]string{
		"uid":             b.field("pod/"+pod, ".metadata.uid"),
		"resourceVersion": b.field("pod/"+pod, ".metadata.resourceVersion"),
	}
}

// The API server itself refuses every delete by our account but that of a pod
// that has ended, has no finalizer, and is named by UID and resourceVersion;
// and lets the program work.
func TestGuardOnRealCluster(t *testing.T) {
	b := newBed(t)
	b.install(b.overlay("base"))
	b.may("delete", "pods", "yes")
	for _, pod := range []string{"ended", "waited-for"} {
		b.endedPod(pod)
	}
	b.kubectl("patch", "pod", "waited-for", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/wait"]}}`)
	for _, pod := range []string{"pending", "running"} {
		b.apply(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + pod + `"},"spec":{"nodeName":"` + os.Getenv("TESTBED_KWOK_NODE") + `","containers":[{"name":"main","image":"example/main:1"}]}}`)
	}
	b.kubectl("patch", "pod", "running", "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Running"}}`)

	// the API server takes a moment to learn of a new policy
	eventually(t, "the guard stands", func() bool {
		return strings.Contains(b.tryDelete("pending", b.exact("pending")), "pods that have ended")
	})
	for _, tt := range []struct {
		pod           string
		preconditions map[string]string
		says          string
	}{
		{"pending", b.exact("pending"), "pods that have ended"},
		{"running", b.exact("running"), "pods that have ended"},
		{"waited-for", b.exact("waited-for"), "pods that have finalizers"},
		{"ended", nil, "by UID and resourceVersion"},
		{"ended", map[string]string{"uid": b.exact("ended")["uid"]}, "by UID and resourceVersion"},
		{"ended", map[string]string{"resourceVersion": b.exact("ended")["resourceVersion"]}, "by UID and resourceVersion"},
	} {
		if got := b.tryDelete(tt.pod, tt.preconditions); !strings.Contains(got, tt.says) || !strings.Contains(got, "orbidden") {
			t.Errorf("delete of %s by %v: %q, want it refused: %s", tt.pod, tt.preconditions, got, tt.says)
		}
	}
	for _, args := range [][]string{{"delete", "pods", "--all"}, {"delete", "pod", "ended"}, {"delete", "pod", "ended", "--force", "--grace-period=0"}} {
		if output, err := b.tryKubectl("", append(args, "--wait=false", "--as="+b.account())...); err == nil {
			t.Errorf("kubectl %v went through: %s", args, output)
		}
	}
	if pods := b.podsIn(); len(pods) != 4 {
		t.Errorf("left are %v, want all four", pods)
	}

	b.as(b.account())
	e := b.run()
	e.expect(t, 0, "the ended pod deleted", e.summary.Deleted == 1 && e.summary.Kept["finalizer"] == 1)
	if pods := b.podsIn(); len(pods) != 3 {
		t.Errorf("left are %v, want three", pods)
	}
	b.kubectl("patch", "pod", "waited-for", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	b.kubectl("delete", "pods", "running", "pending", "--grace-period=0", "--force")
}

func (b *bed) podsIn() []string {
	b.t.Helper()
	return strings.Fields(string(b.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}")))
}
