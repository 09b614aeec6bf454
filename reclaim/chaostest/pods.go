package chaostest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

const (
	bigNamespace   = "seed-big-15" // the fake node has larger logs there
	emptyNamespace = "seed-empty"  // and none there
	retention      = "pod-reclaimer/retention"
)

// makePods makes the pods of a round.
func (s *Series) makePods() {
	s.t.Helper()
	plain := s.namespaces[0]
	var work []func() error
	for i := range s.cfg.NodePods {
		name := fmt.Sprintf("r%03d-n-%03d", s.round, i)
		d := dice.Roll(s.cfg.Seed, s.round, "node pod", i)
		if i == 0 {
			work = append(work, func() error { return s.makeJob(d, name) })
			continue
		}
		work = append(work, func() error { return s.makeNodePod(d, name, s.cluster.insist) })
	}
	for i := range s.cfg.FakePods {
		d := dice.Roll(s.cfg.Seed, s.round, "pod", i)
		namespace := dice.Pick(d, plain, plain, plain, plain, plain, plain, plain, bigNamespace, emptyNamespace)
		name := fmt.Sprintf("r%03d-k-%03d", s.round, i)
		work = append(work, func() error { return s.makeFakePod(d, namespace, name, s.cluster.insist) })
	}
	s.sideBySide(work)
}

// sender sends a request to the API server, once or until it is done.
type sender func(method, path string, body any) error

// makeFakePod makes a pod of the fake node that has ended.
func (s *Series) makeFakePod(d dice.Dice, namespace, name string, send sender) error {
	s.mu.Lock()
	s.made[namespace+"/"+name] = true
	s.figures.pods++
	s.mu.Unlock()
	path := "/api/v1/namespaces/" + namespace + "/pods"
	pod := fakePod(d, namespace, name)
	if err := send(http.MethodPost, path, pod); err != nil {
		return err
	}
	return send(http.MethodPatch, path+"/"+name+"/status", map[string]any{"status": fakeStatus(d, pod)})
}

func fakePod(d dice.Dice, namespace, name string) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Annotations: map[string]string{"example.com/revision": fmt.Sprint(d.Uint32())},
		},
		Spec: corev1.PodSpec{NodeName: os.Getenv("TESTBED_KWOK_NODE"), RestartPolicy: corev1.RestartPolicyOnFailure},
	}
	for i := range dice.Pick(d, 1, 1, 1, 2, 3) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: []string{"main", "exporter", "uploader"}[i], Image: "example/job:1"})
	}
	if d.Chance(0.2) {
		always := corev1.ContainerRestartPolicyAlways
		pod.Spec.InitContainers = []corev1.Container{
			{Name: "prepare", Image: "example/job:1"}, {Name: "proxy", Image: "example/job:1", RestartPolicy: &always},
		}
	}
	if d.Chance(0.05) { // never scheduled
		pod.Spec.NodeName, pod.Spec.SchedulerName = "", "nobody"
	}
	switch d.IntN(16) {
	case 0:
		pod.Annotations[hold] = "true"
	case 1:
		pod.Annotations[retention] = "30d"
	case 2:
		pod.Annotations[retention] = dice.Pick(d, "nonsense", "400d", "1d")
	case 3:
		pod.Finalizers = []string{"example.com/wait"}
	case 4:
		pod.Annotations["example.com/big"] = strings.Repeat("annotation text ", 1000)
	}
	return pod
}

// fakeStatus is the pod's end as a kubelet would have written it.
func fakeStatus(d dice.Dice, pod *corev1.Pod) corev1.PodStatus {
	finished := metav1.NewTime(time.Now().Add(-d.Between(0, time.Hour)).Truncate(time.Second))
	started := metav1.NewTime(finished.Add(-d.Between(time.Second, time.Hour)).Truncate(time.Second))
	status := corev1.PodStatus{Phase: dice.Pick(d, corev1.PodSucceeded, corev1.PodFailed), StartTime: &started}
	if pod.Spec.NodeName == "" {
		status.Phase, status.StartTime = corev1.PodFailed, nil
		return status
	}
	if d.Chance(0.08) {
		status.Phase, status.Reason = corev1.PodFailed, "Evicted"
		return status
	}
	ended := func(c corev1.Container, restarts int32) corev1.ContainerStatus {
		id := func() string { return fmt.Sprintf("containerd://%016x%016x", d.Uint64(), d.Uint64()) }
		end := func(id string) corev1.ContainerState {
			return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: 1, Reason: "Error", ContainerID: id, StartedAt: started, FinishedAt: finished,
			}}
		}
		last := id()
		s := corev1.ContainerStatus{Name: c.Name, Image: c.Image, ContainerID: last, RestartCount: restarts, State: end(last)}
		if restarts > 0 {
			s.LastTerminationState = end(id())
		}
		return s
	}
	for _, c := range pod.Spec.InitContainers {
		status.InitContainerStatuses = append(status.InitContainerStatuses, ended(c, 0))
	}
	for _, c := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, ended(c, dice.Pick[int32](d, 0, 0, 0, 0, 0, 2)))
	}
	return status
}

func terminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// makeNamespaces makes those of the series. Two of them are known to the fake
// node by their names, and are emptied.
func (s *Series) makeNamespaces() {
	plain := fmt.Sprintf("chaos-%d", time.Now().UnixNano())
	s.nodeNamespace = plain + "-node"
	s.namespaces = []string{plain, s.nodeNamespace, bigNamespace, emptyNamespace}
	for _, name := range s.namespaces {
		s.must(http.MethodPost, "/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": name}})
		s.must(http.MethodDelete, "/api/v1/namespaces/"+name+"/pods?gracePeriodSeconds=0", nil)
	}
	s.t.Cleanup(func() {
		for _, name := range s.namespaces[:2] {
			s.cluster.try(http.MethodDelete, "/api/v1/namespaces/"+name, nil)
		}
	})
}

// readFakeLogs reads what the fake node serves.
func (s *Series) readFakeLogs() {
	s.logs = map[string][]byte{}
	for _, name := range []string{"ordinary", "previous", "big", "empty"} {
		file, err := os.ReadFile(filepath.Join(os.Getenv("TESTBED_DIR"), "data", "logs", name+".log"))
		if err == nil {
			s.logs[name], err = served(file)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// must insists, or ends the test.
func (s *Series) must(method, path string, body any) {
	s.t.Helper()
	if err := s.cluster.insist(method, path, body); err != nil {
		s.t.Fatal(err)
	}
}

// clear removes what a round has left.
func (s *Series) clear() {
	s.must(http.MethodDelete, "/apis/batch/v1/namespaces/"+s.nodeNamespace+"/jobs?propagationPolicy=Orphan", nil)
	var work []func() error
	for _, l := range s.history.all() {
		if !l.gone {
			work = append(work, func() error { return s.clearPod(l) })
		}
	}
	s.sideBySide(work)
	s.history.await(s.t, s.cluster, s.namespaces[0], fmt.Sprintf("m%03d-clear", s.round))
	s.journal.forget()
	s.history.forget()
	s.node.forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made, s.theirs = map[string]bool{}, map[string]string{}
}

func (s *Series) clearPod(l *life) error {
	path := "/api/v1/namespaces/" + l.namespace + "/pods/" + l.pod
	if len(l.last.Finalizers) > 0 {
		if err := s.cluster.insist(http.MethodPatch, path, map[string]any{"metadata": map[string]any{"finalizers": nil}}); err != nil {
			return err
		}
	}
	return s.cluster.insist(http.MethodDelete, path+"?gracePeriodSeconds=0", nil)
}

// sideBySide does several things at once, and waits for all; each must succeed.
func (s *Series) sideBySide(work []func() error) {
	s.t.Helper()
	next := make(chan func() error)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for do := range next {
				if err := do(); err != nil {
					s.t.Error(err)
				}
			}
		})
	}
	for _, do := range work {
		next <- do
	}
	close(next)
	all.Wait()
}
