package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// Pods whose status tells little, and one with every kind of container: the
// names come from the spec, the finish from whatever there is.
func TestPodsOfEveryShape(t *testing.T) {
	w := newStubs(t)
	always := corev1.ContainerRestartPolicyAlways
	for _, pod := range []*corev1.Pod{
		ranPod("evicted", func(p *corev1.Pod) { p.Status.Reason, p.Status.ContainerStatuses = "Evicted", nil }),
		ranPod("rejected", func(p *corev1.Pod) {
			p.Status.Reason, p.Status.ContainerStatuses = "OutOfcpu", nil
			p.Status.StartTime = &metav1.Time{Time: p.CreationTimestamp.Add(time.Minute)}
		}),
		ranPod("unscheduled", func(p *corev1.Pod) { p.Spec.NodeName, p.Status.ContainerStatuses = "", nil }),
		ranPod("no-spec", func(p *corev1.Pod) { p.Spec.Containers, p.Status.ContainerStatuses = nil, nil }),
		ranPod("all-kinds", withInit, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodSucceeded
			add := func(to *[]corev1.ContainerStatus, name string) {
				s := *p.Status.ContainerStatuses[0].DeepCopy()
				s.Name = name
				*to = append(*to, s)
			}
			p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: "proxy", RestartPolicy: &always})
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "second"})
			p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug"}}}
			add(&p.Status.InitContainerStatuses, "proxy")
			add(&p.Status.ContainerStatuses, "second")
			add(&p.Status.EphemeralContainerStatuses, "debug")
		}),
	} {
		w.api.Add(pod)
	}
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		lost := strings.HasSuffix(req.URL.Path, "/log") && !strings.Contains(req.URL.Path, "/all-kinds/")
		if lost {
			reclaimtest.Refuse(rw, http.StatusBadRequest, "", `container "main" in pod "x" is not available`)
		}
		return lost
	})
	e := w.run()
	e.expect(t, 0, "all archived and deleted", e.summary.Deleted == 5 && e.summary.Archived == 5 &&
		e.summary.Logs["complete"] == 5 && e.summary.Logs["never-started"] == 3)
	want := map[string]struct{ source, logs string }{
		"evicted":     {"creationTimestamp", "main:regular:never-started"},
		"rejected":    {"startTime", "main:regular:never-started"},
		"unscheduled": {"creationTimestamp", "main:regular:never-started"},
		"no-spec":     {"creationTimestamp", ""},
		"all-kinds":   {"finishedAt", "prepare:init:complete proxy:sidecar:complete main:regular:complete second:regular:complete debug:ephemeral:complete"},
	}
	for _, key := range w.store.Bundles() {
		b := w.open(key)
		var logs []string
		for _, l := range b.Index.Logs {
			logs = append(logs, l.Container+":"+l.Type+":"+l.Outcome)
		}
		var index struct{ FinishedAtSource string }
		if err := json.Unmarshal(b.Files["index.json"], &index); err != nil {
			t.Fatal(err)
		}
		if want := want[b.Index.Pod]; strings.Join(logs, " ") != want.logs || index.FinishedAtSource != want.source {
			t.Errorf("%s: finished by %s, logs %v", b.Index.Pod, index.FinishedAtSource, logs)
		}
	}
}

// The archived manifest is the API server's own answer: with kind, which items
// of a list have not, with fields from the future and large annotations.
func TestManifestIsTheServersAnswer(t *testing.T) {
	w := newStubs(t)
	pod := w.api.Add(ranPod("a", annotated("example.com/large", strings.Repeat("x", 200<<10))))
	plain, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	answer := bytes.Replace(plain, []byte(`"spec":{`), []byte(`"spec":{ "fieldFromTheFuture" : 7 ,`), 1)
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		get := req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/pods/a")
		if get {
			rw.Header().Set("Content-Type", "application/json")
			rw.Write(answer)
		}
		return get
	})
	e := w.run()
	e.expect(t, 0, "deleted", e.summary.Deleted == 1)
	manifest := w.bundle().Files["pod.json"]
	var parsed struct {
		APIVersion, Kind string
		Spec             struct{ FieldFromTheFuture int }
		Metadata         metav1.ObjectMeta
	}
	if err := json.Unmarshal(manifest, &parsed); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(manifest, answer) || parsed.APIVersion != "v1" || parsed.Kind != "Pod" || parsed.Spec.FieldFromTheFuture != 7 ||
		len(parsed.Metadata.Annotations["example.com/large"]) != 200<<10 {
		t.Errorf("the manifest is not what the server sent: %.300s", manifest)
	}
	for _, e := range w.journal.Entries() {
		if e.Server == "api" && !strings.Contains(e.Header.Get("Accept"), "application/json") && !strings.HasSuffix(e.Path, "/log") {
			t.Errorf("%s %s accepts %q", e.Method, e.Path, e.Header.Get("Accept"))
		}
	}
}

// A terminal phase over a running container: nothing is asked or done, unless
// the node is gone, so that nobody will ever update the status.
func TestFailedPhaseOverARunningContainer(t *testing.T) {
	for name, running := range map[string]func(p *corev1.Pod){
		"regular": func(p *corev1.Pod) { p.Status.ContainerStatuses[0].State = isRunning },
		"init":    func(p *corev1.Pod) { withInit(p); p.Status.InitContainerStatuses[0].State = isRunning },
		"ephemeral": func(p *corev1.Pod) {
			p.Status.EphemeralContainerStatuses = []corev1.ContainerStatus{{Name: "debug", State: isRunning}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.api.Add(ranPod("a", running, func(p *corev1.Pod) {
				p.Status.Reason = "DeadlineExceeded"
				p.Status.StartTime = &metav1.Time{Time: p.CreationTimestamp.Time}
			}))
			e := w.run()
			e.expect(t, 0, "skipped", e.summary.Skipped["container-running"] == 1)
			if n := w.journal.Count("api", "GET", "/log") + w.journal.Count("store", "PUT", "/pods/") + w.journal.Count("api", "DELETE", ""); n != 0 {
				t.Errorf("%d requests for a pod that runs", n)
			}
			w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				gone := strings.HasSuffix(req.URL.Path, "/nodes/node-1") || strings.HasSuffix(req.URL.Path, "/log")
				if gone {
					reclaimtest.Refuse(rw, http.StatusNotFound, "nodes", `nodes "node-1" not found`)
				}
				return gone
			})
			e = w.run()
			e.expect(t, 0, "deleted without logs once the node is gone", e.summary.Deleted == 1 && e.summary.DeletedWithoutLogs == 1)
		})
	}
}

var isRunning = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}

// Pods of an unfinished Job, of a workflow and of nobody: only pods are ever
// deleted, and each that stays has its reason.
func TestOwnersAreLeftAlone(t *testing.T) {
	w := newStubs(t)
	owned := func(apiVersion, kind string, finished time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			yes := true
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "o", UID: "u", Controller: &yes}}
			p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.NewTime(time.Now().Add(-finished))
		}
	}
	w.api.Add(ranPod("job", owned("batch/v1", "Job", 5*time.Second)))
	w.api.Add(ranPod("step", owned("argoproj.io/v1alpha1", "Workflow", time.Hour), func(p *corev1.Pod) {
		p.Labels = map[string]string{"workflows.argoproj.io/completed": "false"}
	}))
	w.api.Add(ranPod("bare"))
	w.api.Set("/apis/batch/v1/namespaces/default/jobs/o", map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "o", "uid": "u"}})
	e := w.run("RECLAIM_DELETE_AFTER=10m")
	e.expect(t, 0, "one deleted, one young, one skipped", e.summary.Deleted == 1 && e.summary.Kept["young"] == 1 && e.summary.Skipped["owner-kind"] == 1)
	for _, entry := range w.journal.Entries() {
		if entry.Server == "api" && entry.Method == http.MethodDelete && entry.Path != "/api/v1/namespaces/default/pods/bare" {
			t.Errorf("DELETE %s", entry.Path)
		}
		if strings.Contains(entry.Path, "workflow") || strings.Contains(entry.Path, "/pods/step") {
			t.Errorf("%s %s", entry.Method, entry.Path)
		}
	}
}
