package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// seedOptions say how many terminated pods to make, and what of them depends
// on what: the same options and seed make the same pods, but for the time.
type seedOptions struct {
	pods, big, empty, namespaces, first, workers int

	finishedAgo time.Duration
	seed        uint64
}

func seedCommand(name *string) *cobra.Command {
	var o seedOptions
	var clean bool
	cmd := &cobra.Command{
		Use:   "seed",
		Short: "Make thousands of terminated pods on the KWOK node",
		Long: "Make terminated pods on the KWOK node, in namespaces seed-0, seed-1, ..., without scheduler or kubelet:\n" +
			"a pod is created with its node's name and then given its final status. The shapes are mixed: Job pods,\n" +
			"bare pods, several containers with init container and sidecar, restarts, evictions, exit codes, sizes.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := newTestbed(*name)
			if clean {
				return t.unseed(cmd.Context())
			}
			return t.seed(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.pods, "pods", 5000, "pods with logs of some 13 KiB")
	cmd.Flags().IntVar(&o.big, "big", 0, "more pods, in seed-big-FIRST, with logs of 1 MiB")
	cmd.Flags().IntVar(&o.empty, "empty", 0, "more pods, in seed-empty, with empty logs")
	cmd.Flags().IntVar(&o.namespaces, "namespaces", 5, "spread the pods over this many namespaces")
	cmd.Flags().IntVar(&o.first, "first", 0, "the number of the first of these namespaces; at most 15 with big pods")
	cmd.Flags().IntVar(&o.workers, "workers", 32, "requests in flight")
	cmd.Flags().DurationVar(&o.finishedAgo, "finished-ago", time.Hour,
		"how long ago the last container ended (the API server still says when the pod was created: now)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "the same seed makes the same pods")
	cmd.Flags().BoolVar(&clean, "clean", false, "remove all seeded namespaces and their pods instead")
	return cmd
}

// seed makes owners first, since a pod whose owner does not exist is garbage.
func (t *testbed) seed(ctx context.Context, o seedOptions) error {
	client, err := t.clientset()
	if err != nil {
		return err
	}
	plans := plan(o, time.Now())
	begin := time.Now()
	owners, err := makeOwners(ctx, client, plans, o.workers)
	if err != nil {
		return err
	}
	var done atomic.Int64
	stop := seedProgress(&done, len(plans))
	defer stop()
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(o.workers)
	for _, p := range plans {
		work.Go(func() error {
			defer done.Add(1)
			return seedPod(ctx, client, p, owners[p.ownerKey()])
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("seeded %d pods in %v: %.0f a second\n", len(plans), took.Round(100*time.Millisecond), float64(len(plans))/took.Seconds())
	return nil
}

// seedPod makes one pod and gives it its end. A pod that is there already, from
// an earlier call, only gets the status.
func seedPod(ctx context.Context, client kubernetes.Interface, p podPlan, owner metav1.OwnerReference) error {
	pod := p.pod(owner)
	pods := client.CoreV1().Pods(pod.Namespace)
	made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		made, err = pods.Get(ctx, pod.Name, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("make pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	made.Status, made.ResourceVersion = p.status(made), "" // whatever a controller noted meanwhile
	made, err = pods.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("end pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if !p.ownedLate() || len(made.OwnerReferences) > 0 {
		return nil
	}
	made.OwnerReferences, made.Labels["app"] = []metav1.OwnerReference{owner}, owner.Name
	if _, err := pods.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("give pod %s/%s its owner: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

func seedProgress(done *atomic.Int64, total int) (stop func()) {
	tick := time.NewTicker(5 * time.Second)
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				progress("%d of %d pods", done.Load(), total)
			case <-quit:
				return
			}
		}
	}()
	return func() { tick.Stop(); close(quit) }
}
