package reclaim_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"go.uber.org/zap"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// A hold that is put on the namespace while its pods are being archived is seen
// before the delete, half a minute later at most; so is a namespace that cannot
// be read any more.
func TestHoldIsReadAgainBeforeTheDelete(t *testing.T) {
	const path = "/api/v1/namespaces/default"
	held := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{reclaim.HoldAnnotation: "true"}}}
	bad := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{reclaim.HoldAnnotation: "perhaps"}}}
	for _, tt := range []struct {
		name   string
		set    *corev1.Namespace
		refuse bool
		after  time.Duration
		want   reclaim.Reason
	}{
		{"nothing changed", nil, false, time.Minute, ""},
		{"held since", held, false, 30 * time.Second, reclaim.KeepHold},
		{"held only now", held, false, 29 * time.Second, ""},
		{"an annotation that does not parse", bad, false, time.Minute, reclaim.KeepBadAnnotation},
		{"not readable any more", nil, true, time.Minute, reclaim.KeepBadAnnotation},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &archivetest.Journal{}
			reclaimtest.Check(t, j)
			api, store := reclaimtest.NewServer(t, j), archivetest.NewStore(t, j)
			api.Add(endedPod())
			var later atomic.Int64
			r := reclaimer(t, api, store, func() time.Time { return time.Now().Add(time.Duration(later.Load())) })
			var archived atomic.Bool
			j.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/pods/") {
					archived.Store(true)
					later.Store(int64(tt.after))
					if tt.set != nil {
						api.Set(path, tt.set)
					}
				}
				if tt.refuse && archived.Load() && req.URL.Path == path {
					reclaimtest.Refuse(rw, http.StatusForbidden, "namespaces", "not allowed any more")
					return true
				}
				return false
			})
			j.Mark()
			summary, err := r.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if summary.Archived != 1 || tt.want == "" && summary.Deleted != 1 || tt.want != "" && summary.Kept[tt.want] != 1 {
				t.Errorf("%+v", summary)
			}
		})
	}
}

// reclaimer is one that works on servers in memory, with the default timing.
func reclaimer(t *testing.T, api *reclaimtest.Server, store *archivetest.Store, now func() time.Time) *reclaim.Reclaimer {
	t.Helper()
	t.Setenv("KUBECONFIG", reclaimtest.Kubeconfig(t, api.URL))
	t.Setenv("AWS_ENDPOINT_URL_S3", store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "testbed")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testbed-secret-key")
	var classes archive.Classes
	if err := classes.UnmarshalText([]byte("7d")); err != nil {
		t.Fatal(err)
	}
	cfg := archive.Config{Bucket: store.Bucket, Cluster: "test", Retention: classes, Tagging: true, Compression: archive.Zstd, Verify: archive.VerifyETag, PathStyle: "true"}
	bucket, err := archive.Open(t.Context(), cfg, archive.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := reclaim.Connect("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &reclaim.Reclaimer{
		Config: reclaim.Config{
			Phases: reclaim.Phases{"Succeeded", "Failed"}, OwnerKinds: reclaim.List{"*"}, Concurrency: 1,
			LogIdleTimeout: time.Minute, LogGrace: time.Hour, LogsRequired: true,
		},
		ClusterName: "test", Classes: classes, Compression: archive.Zstd, SpoolDir: t.TempDir(),
		Cluster: cluster, Bucket: bucket, Log: zap.NewNop(), Now: now,
	}
}

func endedPod() *corev1.Pod {
	at := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", CreationTimestamp: at},
		Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{StartedAt: at, FinishedAt: at, ContainerID: "containerd://1"}},
		}}},
	}
}
