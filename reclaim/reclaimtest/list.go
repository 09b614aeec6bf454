package reclaimtest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// list pages through the pods by name; the token is the number of pods before.
func (s *Server) list(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	namespace := ""
	if parts := strings.Split(req.URL.Path, "/"); len(parts) == 6 {
		namespace = parts[4]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []corev1.Pod
	for _, pod := range s.pods {
		if (namespace == "" || pod.Namespace == namespace) && !strings.Contains(query.Get("fieldSelector"), "status.phase!="+string(pod.Status.Phase)) {
			item := *pod
			item.TypeMeta = metav1.TypeMeta{} // as items of a list have none
			all = append(all, item)
		}
	}
	slices.SortFunc(all, func(a, b corev1.Pod) int { return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name) })
	from, _ := strconv.Atoi(query.Get("continue"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	to := min(len(all), from+min(limit, s.PageSize))
	page := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: all[min(from, to):to]}
	if to < len(all) {
		page.Continue = strconv.Itoa(to)
	}
	Answer(w, http.StatusOK, page)
}
