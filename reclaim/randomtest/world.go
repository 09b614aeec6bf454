package randomtest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// World is a cluster and a store with many cases in it.
type World struct {
	Seed    uint64
	Journal *archivetest.Journal
	API     *reclaimtest.Server
	Store   *archivetest.Store
	Cases   []*Case

	mu      sync.Mutex
	rules   Rules
	run     int
	calm    bool // no faults, nobody else changes anything
	deletes []deleted
	shaken  bool // this run met a fault that is nobody's but the run's own
	general *Case
	api     *network
	store   *network
}

// Rules are the configuration that the world must know to judge what is done.
type Rules struct {
	DeleteAfter, LogGrace time.Duration
	LogsRequired          bool
	Classes               []string // of retention
	Default               string
}

// Case is one name in the cluster: a pod, those that take its name later, its
// namespace and its node.
type Case struct {
	world                *World
	n, born              int
	namespace, pod, node string
	storm                float64           // how likely each request meets a fault
	meddling             float64           // how likely somebody changes the pod before it
	lies                 float64           // how likely the store keeps something else than its bundle
	nodeState            string            // ready, not ready, gone, or hidden from us
	dead                 bool              // its kubelet cannot be reached
	notes                map[string]string // annotations of its namespace

	mu      sync.Mutex
	logs    []*instance
	asked   map[string]int
	altered map[string]bool
	answers map[string]map[string]bool // by log in this run
	nodes   map[string]bool            // states of its node in this run
	puts    map[string][]snapshot      // by path
	done    []string                   // what happened, to explain a failure
}

// New makes a world of n pods. It is made outside of a bubble, and Open inside.
func New(t testing.TB, seed uint64, n int) *World {
	j := &archivetest.Journal{}
	w := &World{Seed: seed, Journal: j, API: reclaimtest.NewServer(t, j), Store: archivetest.NewStore(t, j)}
	w.API.PageSize = 100
	w.general = &Case{world: w, n: -1, asked: map[string]int{}}
	for i := range n {
		w.Cases = append(w.Cases, &Case{world: w, n: i, puts: map[string][]snapshot{}})
	}
	return w
}

// Open starts the servers in the bubble of the caller and puts the pods into
// the cluster.
func (w *World) Open() {
	for _, c := range w.Cases {
		c.settle(dice.Roll(w.Seed, "case", c.n))
	}
	w.api = serve(w.Journal.Record("api", http.HandlerFunc(w.serveAPI)))
	w.store = serve(w.Journal.Record("store", http.HandlerFunc(w.serveStore)))
	w.Store.LieWith(w.lie)
}

// Close ends the servers.
func (w *World) Close() {
	w.api.stop()
	w.store.stop()
}

// APITransport and StoreTransport reach the servers.
func (w *World) APITransport() http.RoundTripper   { return w.api.client }
func (w *World) StoreTransport() http.RoundTripper { return w.store.client }

// Begin begins the next run.
func (w *World) Begin(calm bool, rules Rules) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run, w.calm, w.shaken, w.rules = w.run+1, calm, false, rules
	for _, c := range append(w.Cases, w.general) {
		c.forget()
	}
	w.Journal.Mark()
}

func (c *Case) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.altered, c.answers = map[string]int{}, map[string]bool{}, map[string]map[string]bool{}
	c.nodes = map[string]bool{c.nodeState: true}
}

// settle makes the case's namespace, node and pod.
func (c *Case) settle(d dice.Dice) {
	c.namespace, c.pod, c.node = fmt.Sprintf("n-%04d", c.n), fmt.Sprintf("p-%04d", c.n), fmt.Sprintf("k-%04d", c.n)
	if d.Chance(0.1) {
		c.namespace = "default"
	}
	c.storm = dice.Pick(d, 0, 0.02, 0.05, 0.15, 0.4)
	c.meddling = dice.Pick(d, 0, 0, 0, 0.02, 0.1)
	c.lies = dice.Pick(d, 0, 0, 0, 0, 0, 0.05, 0.1, 0.7)
	c.nodeState = dice.Pick(d, ready, ready, ready, ready, ready, ready, notReady, gone, hidden)
	c.dead = d.Chance(0.03) || c.nodeState == notReady && d.Chance(0.7)
	c.forget()
	if c.nodeState == notReady {
		c.world.API.Set("/api/v1/nodes/"+c.node, reclaimtest.Node(corev1.ConditionUnknown))
	}
	if c.namespace != "default" {
		c.notes = annotations(d)
		c.world.API.Set("/api/v1/namespaces/"+c.namespace, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Annotations: c.notes}})
	}
	pod := c.newPod(d, time.Now())
	c.world.API.Add(pod)
	c.world.API.Set("/api/v1/namespaces/"+c.namespace+"/events", eventsOf(d, string(pod.UID)))
}

const (
	ready    = "ready"
	notReady = "not ready"
	gone     = "gone"
	hidden   = "hidden"
)

// eventsOf are events of a pod and of another.
func eventsOf(d dice.Dice, uid string) []any {
	var all []any
	for range d.IntN(4) {
		all = append(all, map[string]any{
			"metadata":       map[string]any{"creationTimestamp": "2026-11-30T10:00:03Z"},
			"involvedObject": map[string]any{"kind": "Pod", "uid": dice.Pick(d, uid, "another")},
			"message":        "something happened",
		})
	}
	return all
}

var inName = regexp.MustCompile(`/[npkj]-([0-9]{4})(?:/|$)`)

// caseOf finds whose a request is; many are nobody's.
func (w *World) caseOf(path string) *Case {
	m := inName.FindAllStringSubmatch(path, -1)
	if m == nil {
		return w.general
	}
	n, _ := strconv.Atoi(m[len(m)-1][1])
	return w.Cases[n]
}

// note remembers what happened to the case.
func (c *Case) note(format string, args ...any) {
	c.done = append(c.done, fmt.Sprintf("run %d: ", c.world.run)+fmt.Sprintf(format, args...))
}
