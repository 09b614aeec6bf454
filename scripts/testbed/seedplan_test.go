package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSameSeedSamePods(t *testing.T) {
	o := seedOptions{pods: 300, big: 2, empty: 2, namespaces: 3, seed: 7, finishedAgo: time.Hour}
	now := time.Now()
	one, two := plan(o, now), plan(o, now)
	seen, shapesSeen := map[string]bool{}, map[string]bool{}
	for i := range one {
		a, b := one[i].pod(metav1.OwnerReference{}), two[i].pod(metav1.OwnerReference{})
		if !equality.Semantic.DeepEqual(a, b) || !equality.Semantic.DeepEqual(one[i].status(a), two[i].status(b)) {
			t.Fatalf("pod %d differs: %v and %v", i, a, b)
		}
		seen[a.Namespace+"/"+a.Name] = true
		shapesSeen[one[i].shape.name] = true
	}
	if len(seen) != 304 || len(shapesSeen) != len(shapes) {
		t.Errorf("%d different names, %d of %d shapes", len(seen), len(shapesSeen), len(shapes))
	}
	o.seed = 8
	if plan(o, now)[0].name == one[0].name && plan(o, now)[1].name == one[1].name {
		t.Error("another seed makes the same names")
	}
}

func TestBigPodsAreSpread(t *testing.T) {
	for _, o := range []seedOptions{{pods: 300, big: 3}, {pods: 9, big: 3}, {big: 3}} {
		var at []int
		for i, p := range plan(o, time.Now()) {
			if p.namespace == "seed-big-0" {
				at = append(at, i)
			}
		}
		third := (o.pods + o.big) / 3
		if len(at) != 3 || at[0] >= third || at[1] < third || at[1] >= 2*third || at[2] < 2*third {
			t.Errorf("%d pods, big ones at %v", o.pods+o.big, at)
		}
	}
}

func TestSeededPodsHaveEnded(t *testing.T) {
	for _, p := range plan(seedOptions{pods: 300, namespaces: 1}, time.Now()) {
		pod := p.pod(metav1.OwnerReference{})
		status := p.status(pod)
		if status.Phase != corev1.PodSucceeded && status.Phase != corev1.PodFailed {
			t.Fatalf("%s: phase %s", pod.Name, status.Phase)
		}
		want := len(pod.Spec.Containers) + len(pod.Spec.InitContainers)
		if p.shape.evicted {
			want = 0
		}
		all := append(status.InitContainerStatuses, status.ContainerStatuses...)
		if len(all) != want {
			t.Errorf("%s: %d container statuses, want %d", pod.Name, len(all), want)
		}
		for _, s := range all {
			end := s.State.Terminated
			if end == nil || end.FinishedAt.Before(&end.StartedAt) || s.RestartCount > 0 != (s.LastTerminationState.Terminated != nil) {
				t.Errorf("%s: container status %+v", pod.Name, s)
			}
		}
	}
}
