package reclaim

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// NodeState is what is known of a pod's node.
type NodeState int

// Node states. Unknown stands for a node that may not be read.
const (
	NodeUnknown NodeState = iota
	NodeReady
	NodeNotReady
	NodeGone
)

// stale is how long an answer about a node or a namespace is used.
const stale = 30 * time.Second

// breakerLimit is how many unreachable answers in a row close off a node for
// the rest of the run, so that one dead node cannot eat it: the API server
// alone dials a kubelet for 30 s.
const breakerLimit = 3

// nodes answers about nodes and remembers which kubelets cannot be reached.
type nodes struct {
	states cache[NodeState]

	mu          sync.Mutex
	unreachable map[string]int
}

func newNodes(c *Cluster, now func() time.Time) *nodes {
	get := func(ctx context.Context, name string) (NodeState, error) {
		var node corev1.Node
		err := c.rest.Get().Resource("nodes").Name(name).Do(ctx).Into(&node)
		switch {
		case notFound(err):
			return NodeGone, nil
		case err != nil:
			return NodeUnknown, nil //nolint:nilerr // not knowing is an answer: the pod waits
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				return NodeReady, nil
			}
		}
		return NodeNotReady, nil
	}
	return &nodes{states: newCache(now, get), unreachable: map[string]int{}}
}

func (n *nodes) state(ctx context.Context, name string) NodeState {
	if name == "" {
		return NodeUnknown
	}
	state, _ := n.states.get(ctx, name)
	return state
}

// open tells whether the breaker for this node is open.
func (n *nodes) open(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unreachable[name] >= breakerLimit
}

// answered notes whether the node's kubelet could be reached.
func (n *nodes) answered(name string, reached bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if reached {
		delete(n.unreachable, name)
		return
	}
	n.unreachable[name]++
}
