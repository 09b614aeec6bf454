package reclaim

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// answering is a cluster of which every answer comes in the form mediaType: what
// answer says for a continue token.
func answering(t testing.TB, mediaType string, answer func(token string) (int, runtime.Object)) *Cluster {
	t.Helper()
	return connected(t, func(w http.ResponseWriter, req *http.Request) {
		if !strings.Contains(req.Header.Get("Accept"), mediaType) {
			t.Errorf("%s is not accepted: %q", mediaType, req.Header.Get("Accept"))
		}
		status, object := answer(req.URL.Query().Get("continue"))
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		w.Write(encoded(t, mediaType, object))
	})
}

func encoded(t testing.TB, mediaType string, object runtime.Object) []byte {
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
	body, err := runtime.Encode(info.Serializer, object)
	if err != nil {
		t.Error(err)
	}
	return body
}

// connected is a cluster of which handler is the API server.
func connected(t testing.TB, handler http.HandlerFunc) *Cluster {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return connectedTo(t, server.URL)
}

func connectedTo(t testing.TB, url string) *Cluster {
	t.Helper()
	t.Setenv("KUBECONFIG", reclaimtest.Kubeconfig(t, url))
	cluster, err := Connect("test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// podPage is a page with these pods, which have ended.
func podPage(token string, uids ...types.UID) *corev1.PodList {
	page := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1", Continue: token}}
	for _, uid := range uids {
		page.Items = append(page.Items, corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}, Status: corev1.PodStatus{Phase: corev1.PodFailed}})
	}
	return page
}

// In both forms a list is read to its end, goes on with the token of a 410, and says
// what the API server refuses.
func TestListForms(t *testing.T) {
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		cluster := answering(t, mediaType, func(token string) (int, runtime.Object) {
			refusal := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Message: "as the test wants it"}
			switch token {
			case "":
				return http.StatusOK, podPage("old", "a", "b")
			case "old":
				refusal.Code, refusal.Reason, refusal.Continue = http.StatusGone, metav1.StatusReasonExpired, "new"
				return http.StatusGone, refusal
			case "new":
				return http.StatusOK, podPage("bad", "b", "c")
			}
			refusal.Code, refusal.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
			return http.StatusForbidden, refusal
		})
		var seen []types.UID
		err := cluster.list(t.Context(), Config{Phases: Phases{"Succeeded", "Failed"}}, func(pod *corev1.Pod) { seen = append(seen, pod.UID) })
		if !slices.Equal(seen, []types.UID{"a", "b", "c"}) {
			t.Errorf("%s: %v", mediaType, seen)
		}
		if err == nil || !strings.Contains(err.Error(), "as the test wants it") {
			t.Errorf("%s: error %v", mediaType, err)
		}
	}
}

// Wherever a page is cut short, although the connection ends well, the list fails; or
// none of its pods is missing.
func TestListCutShort(t *testing.T) {
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		whole, cut := encoded(t, mediaType, podPage("", "a", "b", "c")), 0
		cluster := connected(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.Write(whole[:cut])
		})
		failed := 0
		for ; cut <= len(whole); cut++ {
			seen := 0
			err := cluster.list(t.Context(), Config{Phases: Phases{"Succeeded", "Failed"}}, func(*corev1.Pod) { seen++ })
			if err == nil && seen != 3 {
				t.Fatalf("%s: %d of %d bytes give %d pods and no error", mediaType, cut, len(whole), seen)
			}
			if err != nil {
				failed++
			}
		}
		if failed == 0 || failed > len(whole) {
			t.Errorf("%s: %d of %d cut pages failed", mediaType, failed, len(whole))
		}
	}
}
