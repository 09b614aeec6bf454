package facts

import (
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is the testbed as a test sees it, with a namespace of the test's own.
type cluster struct {
	*kubernetes.Clientset
	config    *rest.Config
	namespace string
	// fake is a node without a kubelet: pods on it have the status that a test
	// writes.
	fake string
	// real is the node with a kubelet, or empty.
	real string
}

// connect skips the test where there is no testbed.
func connect(t *testing.T) *cluster {
	t.Helper()
	if os.Getenv("KUBECONFIG") == "" || os.Getenv("TESTBED_NAME") == "" {
		lack(t, "1", "no testbed in the environment")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Clientset: client, config: config, fake: os.Getenv("TESTBED_KWOK_NODE"), real: os.Getenv("TESTBED_NODE")}
	c.namespace = makeNamespace(t, client)
	return c
}

// connectNode skips the test where there is no real node.
func connectNode(t *testing.T) *cluster {
	t.Helper()
	if os.Getenv("TESTBED_NODE") == "" {
		lack(t, "node", "no real node in the environment")
	}
	return connect(t)
}

// lack fails the test where TESTBED_REQUIRED asks for what is missing: "node"
// asks for everything, any other value for the cluster.
func lack(t *testing.T, level, what string) {
	t.Helper()
	required := os.Getenv("TESTBED_REQUIRED")
	if required == "node" || level == "1" && required != "" {
		t.Fatalf("%s, and TESTBED_REQUIRED=%s", what, required)
	}
	t.Skip(what)
}

// as is the same cluster seen by somebody else.
func (c *cluster) as(t *testing.T, user string) *cluster {
	t.Helper()
	other := *c
	other.config = rest.CopyConfig(c.config)
	other.config.Impersonate.UserName = user
	client, err := kubernetes.NewForConfig(other.config)
	if err != nil {
		t.Fatal(err)
	}
	other.Clientset = client
	return &other
}
