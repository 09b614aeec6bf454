package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// podPlan is all that is decided about one seeded pod before any is made.
type podPlan struct {
	namespace, name  string
	ownerKind, owner string
	shape            shape
	finished         time.Time
	ran              time.Duration
	// random gives the rest; it depends on the seed and the pod's number only.
	random *rand.Rand
}

// shape is a kind of pod that one meets in clusters.
type shape struct {
	name string
	// share of all pods, in percent.
	share int
	// owner is the kind of its controller, "" is none.
	owner string
	// containers, and whether an init container and a native sidecar come with them.
	containers int
	helpers    bool
	// restarts says that containers failed and ran again before.
	restarts bool
	// failed and evicted pods end in phase Failed; an evicted one has lost its
	// container statuses.
	failed, evicted bool
}

var shapes = []shape{
	{name: "job", share: 50, owner: "Job", containers: 1},
	{name: "jobfailed", share: 10, owner: "Job", containers: 1, failed: true},
	{name: "bare", share: 10, containers: 1},
	{name: "multi", share: 10, owner: "Job", containers: 2, helpers: true},
	{name: "multifailed", share: 4, containers: 3, helpers: true, failed: true},
	{name: "restarted", share: 5, owner: "Job", containers: 1, restarts: true},
	{name: "crashed", share: 5, owner: "Job", containers: 2, restarts: true, failed: true},
	{name: "evicted", share: 6, owner: "ReplicaSet", containers: 1, evicted: true},
}

// podsPerOwner is how many neighbours in a namespace share the Jobs they
// belong to, one Job a shape, as the pods of an indexed Job do.
const podsPerOwner = 100

// plan spreads the big pods among the ordinary ones, as they are in clusters.
func plan(o seedOptions, now time.Time) []podPlan {
	var all []podPlan
	big := 0
	for i := range o.pods + o.big {
		if big < (i+1)*o.big/(o.pods+o.big) {
			all = append(all, planPod(o, now, big, fmt.Sprintf("seed-big-%d", o.first)))
			big++
		} else {
			all = append(all, planPod(o, now, i-big, fmt.Sprintf("seed-%d", o.first+(i-big)%max(o.namespaces, 1))))
		}
	}
	for i := range o.empty {
		all = append(all, planPod(o, now, i, emptyNamespace))
	}
	return all
}

func planPod(o seedOptions, now time.Time, i int, namespace string) podPlan {
	r := rand.New(rand.NewPCG(o.seed, uint64(i)))
	s := pickShape(r)
	p := podPlan{
		namespace: namespace,
		name:      fmt.Sprintf("%s-%d-%05x", s.name, i, r.IntN(1<<20)),
		ownerKind: s.owner,
		shape:     s,
		finished:  now.Add(-o.finishedAgo - time.Duration(r.IntN(600))*time.Second),
		ran:       time.Duration(5+r.ExpFloat64()*300) * time.Second,
		random:    r,
	}
	switch s.owner {
	case "Job":
		p.owner = fmt.Sprintf("%s-%d", s.name, i/(podsPerOwner*max(o.namespaces, 1)))
	case "ReplicaSet":
		p.owner = "web"
	}
	return p
}

func pickShape(r *rand.Rand) shape {
	n := r.IntN(100)
	for _, s := range shapes {
		if n -= s.share; n < 0 {
			return s
		}
	}
	return shapes[0]
}

// ownerKey names the owner among all owners of all namespaces.
func (p podPlan) ownerKey() string { return p.ownerKind + " " + p.namespace + "/" + p.owner }

// hex is a random identifier of n hexadecimal digits.
func (p podPlan) hex(n int) string {
	digits := make([]byte, n)
	for i := range digits {
		digits[i] = "0123456789abcdef"[p.random.IntN(16)]
	}
	return string(digits)
}
