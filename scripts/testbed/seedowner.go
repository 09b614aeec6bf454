package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// seededLabel marks the namespaces that the seeder made.
const seededLabel = "testbed/seeded"

// makeOwners makes the namespaces and the controllers that the planned pods
// belong to. The Jobs are finished and the ReplicaSets want no replicas, so
// that their controllers make no pods.
func makeOwners(ctx context.Context, client kubernetes.Interface, plans []podPlan, workers int) (map[string]metav1.OwnerReference, error) {
	namespaces, wanted := map[string]bool{}, map[string]podPlan{}
	for _, p := range plans {
		namespaces[p.namespace] = true
		if p.ownerKind != "" {
			wanted[p.ownerKey()] = p
		}
	}
	for name := range namespaces {
		if err := makeNamespace(ctx, client, name); err != nil {
			return nil, err
		}
	}
	var lock sync.Mutex
	owners := map[string]metav1.OwnerReference{}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(workers)
	for key, p := range wanted {
		work.Go(func() error {
			owner, err := makeOwner(ctx, client, p)
			if err != nil {
				return fmt.Errorf("make %s: %w", key, err)
			}
			lock.Lock()
			defer lock.Unlock()
			owners[key] = owner
			return nil
		})
	}
	return owners, work.Wait()
}

// makeNamespace returns once pods can be made in it.
func makeNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{seededLabel: "true"}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make namespace %s: %w", name, err)
	}
	return waitFor(ctx, "service account of "+name, func() error { return accountThere(ctx, client, name) })
}

func makeOwner(ctx context.Context, client kubernetes.Interface, p podPlan) (metav1.OwnerReference, error) {
	if p.ownerKind == "ReplicaSet" {
		return makeReplicaSet(ctx, client, p)
	}
	yes := true
	jobs := client.BatchV1().Jobs(p.namespace)
	job, err := jobs.Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: p.owner, Labels: map[string]string{"app.kubernetes.io/name": "import"}},
		Spec:       batchv1.JobSpec{Suspend: &yes, Template: ownerTemplate(nil, corev1.RestartPolicyNever)},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		job, err = jobs.Get(ctx, p.owner, metav1.GetOptions{})
	}
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	owner := *metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
	if slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type != batchv1.JobSuspended }) {
		return owner, nil // ended by an earlier call
	}
	// A patch, because the Job's controller writes the status too.
	end, err := json.Marshal(map[string]any{"status": jobStatus(p)})
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	_, err = jobs.Patch(ctx, p.owner, types.MergePatchType, end, metav1.PatchOptions{}, "status")
	if err != nil {
		return metav1.OwnerReference{}, fmt.Errorf("end it: %w", err)
	}
	return owner, nil
}

// jobStatus says that the Job is over; its controller leaves such a Job's pods alone.
func jobStatus(p podPlan) batchv1.JobStatus {
	begin, end := metav1.NewTime(p.finished.Add(-p.ran)), metav1.NewTime(p.finished)
	first, last := batchv1.JobSuccessCriteriaMet, batchv1.JobComplete
	status := batchv1.JobStatus{StartTime: &begin, CompletionTime: &end, Succeeded: podsPerOwner}
	if p.shape.failed {
		first, last = batchv1.JobFailureTarget, batchv1.JobFailed
		status.CompletionTime, status.Succeeded, status.Failed = nil, 0, podsPerOwner
	}
	for _, kind := range []batchv1.JobConditionType{first, last} {
		status.Conditions = append(status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, LastProbeTime: end, LastTransitionTime: end,
		})
	}
	return status
}

func makeReplicaSet(ctx context.Context, client kubernetes.Interface, p podPlan) (metav1.OwnerReference, error) {
	none, labels := int32(0), map[string]string{"app": p.owner}
	sets := client.AppsV1().ReplicaSets(p.namespace)
	set, err := sets.Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: p.owner, Labels: labels},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &none,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: ownerTemplate(labels, corev1.RestartPolicyAlways),
		},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		set, err = sets.Get(ctx, p.owner, metav1.GetOptions{})
	}
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	return *metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")), nil
}

func ownerTemplate(labels map[string]string, restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{
			RestartPolicy: restart,
			Containers:    []corev1.Container{{Name: "main", Image: seedImage}},
		},
	}
}
