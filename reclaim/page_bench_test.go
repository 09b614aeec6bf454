package reclaim

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// A page of pods, from the answer to what is kept of each, in both forms.
func BenchmarkPage(b *testing.B) {
	page := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	ended := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	for i := range pageSize {
		page.Items = append(page.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint("nightly-report-", i), UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)), ResourceVersion: "1"},
			Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "main", Image: "example.com/report:1", Env: make([]corev1.EnvVar, 20)}}},
			Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{
				Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: ended, ContainerID: "containerd://1"}},
			}}},
		})
	}
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		b.Run(mediaType, func(b *testing.B) {
			body := encoded(b, mediaType, page) // once: its cost is the server's
			cluster := connected(b, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", mediaType)
				w.Write(body)
			})
			b.ReportAllocs()
			for b.Loop() {
				kept := 0
				err := cluster.list(context.Background(), Config{Phases: Phases{"Succeeded", "Failed"}}, func(pod *corev1.Pod) {
					if p := newRef(pod, Decision{}); len(p.targets) == 1 {
						kept++
					}
				})
				if err != nil || kept != pageSize {
					b.Fatal(kept, err)
				}
			}
		})
	}
}
