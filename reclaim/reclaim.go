package reclaim

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Reclaimer archives and deletes terminated pods.
type Reclaimer struct {
	Config      Config
	ClusterName string
	Classes     archive.Classes
	Compression archive.Compression
	SpoolDir    string

	Cluster *Cluster
	Bucket  *archive.Bucket
	Log     *zap.Logger
	Now     func() time.Time
	// Listed, if set, is called when all pods are listed.
	Listed func()
	// Progress, if set, hears of each pod that is done, instead of a line each 10 s.
	Progress func(done, listed int)
}

// run is one run of a Reclaimer.
type run struct {
	*Reclaimer
	policy     Policy
	nodes      *nodes
	namespaces cache[Namespace]
	ownerCache cache[ownerAnswer]
	events     *events
	limit      *limit
	record     *archive.Record
	recordErr  error
}

// Run does one run: preflight, list, then every pod's way. The summary holds
// what was done also where there is an error: ErrIncomplete if some pods
// failed; any other if the run could not be done or saw only some of the pods.
// When ctx is cancelled no new pods are started.
func (r *Reclaimer) Run(ctx context.Context) (Summary, error) {
	summary := newSummary()
	summary.RunID, summary.Cluster, summary.StartedAt, summary.DryRun = runID(), r.ClusterName, r.Now(), r.Config.DryRun
	err := r.do(ctx, &summary)
	summary.FinishedAt = r.Now()
	if err == nil {
		err = summary.Err()
	}
	return summary, err
}

func (r *Reclaimer) do(ctx context.Context, summary *Summary) error {
	if err := r.preflight(ctx); err != nil {
		return err
	}
	this := &run{
		Reclaimer:  r,
		policy:     Policy{Config: r.Config, Classes: r.Classes, Self: r.Cluster.Namespace},
		nodes:      newNodes(r.Cluster, r.Now),
		namespaces: newNamespaces(r.Cluster, r.Now),
		ownerCache: newOwnerCache(r.Cluster.get, r.Now),
		events:     newEvents(r.Cluster),
		limit:      &limit{max: r.Config.MaxPods},
	}
	refs, listErr := this.list(ctx, summary)
	if r.Listed != nil {
		r.Listed()
	}
	if len(refs) == 0 {
		return listErr
	}
	if err := this.begin(ctx, summary); err != nil {
		for _, p := range refs {
			summary.add(p.outcome(Remaining))
		}
		return err
	}
	this.hint(ctx, refs)
	recording, stop := graceful(ctx, recordedTime)
	defer stop()
	this.work(ctx, recording, refs, summary)
	return cmp.Or(listErr, this.end(recording, summary))
}

// list turns the pods of the cluster into refs; skipped ones are counted here.
func (r *run) list(ctx context.Context, summary *Summary) ([]*ref, error) {
	var refs []*ref
	err := r.Cluster.list(ctx, r.Config, func(pod *corev1.Pod) {
		summary.Listed++
		d := r.decide(ctx, pod)
		p := newRef(pod, d)
		if d.Skip != "" {
			r.report(summary, p.skipped(d.Skip))
			return
		}
		refs = append(refs, &p)
	})
	return refs, err
}

// decide asks the policy, with what it has to know of namespace and node.
func (r *run) decide(ctx context.Context, pod *corev1.Pod) Decision {
	ns, _ := r.namespaces.get(ctx, pod.Namespace)
	node := NodeUnknown
	if !containersEnded(pod) {
		node = r.nodes.state(ctx, pod.Spec.NodeName)
	}
	return r.policy.Decide(pod, ns, node, r.Now())
}

// work runs the workers. One goroutine, this one, counts the results.
func (r *run) work(ctx, recording context.Context, refs []*ref, summary *Summary) {
	inFlight, stop := graceful(ctx, finishTime)
	defer stop()
	var until time.Time
	if r.Config.Deadline > 0 {
		until = summary.StartedAt.Add(r.Config.Deadline)
	}
	q := newQueue(ctx, refs, until, r.Now)
	results := make(chan result)
	var workers sync.WaitGroup
	for range min(r.Config.Concurrency, len(refs)) {
		workers.Go(func() { r.worker(inFlight, q, results) })
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	progress := time.NewTicker(progressEvery)
	defer progress.Stop()
	for {
		select {
		case done, open := <-results:
			if !open {
				for left := range q.rest() {
					r.report(summary, left)
					r.write(recording, left)
				}
				return
			}
			r.report(summary, done)
			r.show(summary)
			r.write(recording, done)
		case <-progress.C:
			r.progress(summary)
		}
	}
}

// worker takes pods until there are no more.
func (r *run) worker(ctx context.Context, q *queue, results chan<- result) {
	for {
		p, s := q.take()
		switch {
		case p != nil:
			next, found, done := r.archive(ctx, *p)
			q.done(next, found)
			if next == nil {
				results <- done.unlessCutOff(ctx)
			}
		case s != nil:
			results <- r.release(ctx, s).unlessCutOff(ctx)
			q.done(nil, false)
		default:
			return
		}
	}
}

// runID is 64 random bits in hex.
func runID() string {
	var bits [8]byte
	rand.Read(bits[:]) // crypto/rand cannot fail
	return hex.EncodeToString(bits[:])
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
