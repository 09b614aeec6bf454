package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// bed is a world of real servers: the testbed's, behind recording proxies, and
// a namespace of the test's own.
type bed struct {
	*world
	// namespace is that of the pods, home where manifests are installed.
	namespace, home string
	bucket          string
}

// newBed finds the testbed by the variables that "testbed up" exports. Without
// one the test is skipped, and fails where TESTBED_REQUIRED says that there
// must be one.
func newBed(t testing.TB) *bed {
	t.Helper()
	if os.Getenv("TESTBED_NAME") == "" {
		if os.Getenv("TESTBED_REQUIRED") != "" {
			t.Fatal("there is no testbed, and TESTBED_REQUIRED is set")
		}
		t.Skip("needs a testbed: run it as make test")
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	j := &archivetest.Journal{}
	api := archivetest.Proxy(t, j, "api", cfg.Host, transport)
	store := archivetest.Proxy(t, j, "store", os.Getenv("AWS_ENDPOINT_URL_S3"), nil)
	bucket := os.Getenv("TESTBED_BUCKET")
	b := &bed{world: newWorld(t, j, api.URL, store.URL, bucket), bucket: bucket}
	b.env["AWS_ACCESS_KEY_ID"], b.env["AWS_SECRET_ACCESS_KEY"] = os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	b.namespace = b.makeNamespace()
	b.env["RECLAIM_NAMESPACES"] = b.namespace
	b.env["ARCHIVE_CLUSTER"] = b.namespace
	return b
}

// newNodeBed is a testbed with a real node. scripts/test runs these tests by
// their names, beside the others.
func newNodeBed(t testing.TB) *bed {
	t.Helper()
	if !strings.Contains(t.Name(), "OnRealNode") {
		t.Fatal("a test that needs a real node has OnRealNode in its name")
	}
	if os.Getenv("TESTBED_NODE") == "" {
		if os.Getenv("TESTBED_REQUIRED") == "node" {
			t.Fatal("the testbed has no real node, and TESTBED_REQUIRED asks for one")
		}
		t.Skip("needs a testbed with a real node: run make test as root")
	}
	return newBed(t)
}

func (b *bed) makeNamespace() string {
	b.t.Helper()
	var made struct{ Metadata struct{ Name string } }
	output := b.kubectlIn(`{"apiVersion":"v1","kind":"Namespace","metadata":{"generateName":"test-"}}`, "create", "-o", "json", "-f", "-")
	if err := json.Unmarshal(output, &made); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.kubectl("delete", "namespace", made.Metadata.Name, "--wait=false") })
	return made.Metadata.Name
}

// kubectl runs the real kubectl past the proxies, as a user would.
func (b *bed) kubectl(args ...string) []byte {
	b.t.Helper()
	return b.kubectlIn("", args...)
}

func (b *bed) kubectlIn(input string, args ...string) []byte {
	b.t.Helper()
	output, err := b.tryKubectl(input, args...)
	if err != nil {
		b.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return output
}

func (b *bed) tryKubectl(input string, args ...string) ([]byte, error) {
	if b.namespace != "" { // unless args name another, which counts as the last
		args = append([]string{"--namespace", b.namespace}, args...)
	}
	cmd := exec.Command(filepath.Join(os.Getenv("TESTBED_BIN"), "kubectl"), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stderr.Bytes(), err
	}
	return stdout.Bytes(), nil
}

// apply creates what the YAML says; IMAGE stands for the testbed's image.
func (b *bed) apply(yaml string) {
	b.t.Helper()
	b.kubectlIn(strings.ReplaceAll(yaml, "IMAGE", os.Getenv("TESTBED_IMAGE")), "apply", "-f", "-")
}

// field is one field of an object, by JSONPath; empty if it is not there.
func (b *bed) field(object, path string) string {
	b.t.Helper()
	output, err := b.tryKubectl("", "get", object, "-o", "jsonpath={"+path+"}")
	if err != nil {
		return ""
	}
	return string(output)
}

// waitEnded waits until the pod's phase is terminal and no finalizer is left.
func (b *bed) waitEnded(pod string) {
	b.t.Helper()
	eventually(b.t, pod+" has ended and is counted", func() bool {
		phase := b.field(pod, ".status.phase")
		return (phase == "Succeeded" || phase == "Failed") && b.field(pod, ".metadata.finalizers") == ""
	})
}

// bundle is the newest bundle that was put for a pod of this name.
func (b *bed) bundle(pod string) (*archivetest.Opened, archivetest.Entry) {
	b.t.Helper()
	var put archivetest.Entry
	for _, e := range b.journal.Entries() {
		if e.Server == "store" && e.Method == "PUT" && strings.Contains(e.Path, "/"+b.namespace+"/"+pod+"/") {
			put = e
		}
	}
	opened, err := archivetest.OpenBundle(put.Path, put.Body)
	if err != nil {
		b.t.Fatalf("bundle of %s: %v", pod, err)
	}
	return opened, put
}
