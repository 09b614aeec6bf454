package reclaimtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path := req.URL.Path
	switch pod := podPath.FindStringSubmatch(path); {
	case strings.HasSuffix(path, "/selfsubjectaccessreviews"):
		s.review(w, req)
	case strings.HasSuffix(path, "/log"):
		s.log(w, req)
	case pod != nil && req.Method == http.MethodDelete:
		s.remove(w, req, pod[1]+"/"+pod[2])
	case pod != nil:
		s.get(w, pod[1]+"/"+pod[2])
	case strings.HasSuffix(path, "/pods"):
		s.list(w, req)
	case strings.HasSuffix(path, "/events"):
		Answer(w, http.StatusOK, map[string]any{"kind": "EventList", "apiVersion": "v1", "metadata": map[string]any{}, "items": s.events(path)})
	default:
		s.getOther(w, path)
	}
}

func (s *Server) get(w http.ResponseWriter, name string) {
	s.mu.Lock()
	pod := s.pods[name]
	s.mu.Unlock()
	if pod == nil {
		Refuse(w, http.StatusNotFound, "pods", name+" not found")
		return
	}
	Answer(w, http.StatusOK, pod)
}

func (s *Server) getOther(w http.ResponseWriter, path string) {
	s.mu.Lock()
	object, ok := s.other[path]
	s.mu.Unlock()
	parts := strings.Split(path, "/")
	kind := parts[len(parts)-2]
	switch {
	case ok:
		Answer(w, http.StatusOK, object)
	case kind == "namespaces":
		Answer(w, http.StatusOK, &corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: parts[len(parts)-1], UID: types.UID("of-" + parts[len(parts)-1])},
		})
	case kind == "nodes":
		Answer(w, http.StatusOK, Node(corev1.ConditionTrue))
	default:
		Refuse(w, http.StatusNotFound, kind, path+" not found")
	}
}

// Node is a node with this Ready condition; every node that is not Set is True.
func Node(ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		Status:   corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}},
	}
}

func (s *Server) events(path string) []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if items, ok := s.other[path].([]any); ok {
		return items
	}
	return []any{}
}

func (s *Server) log(w http.ResponseWriter, req *http.Request) {
	parts := strings.Split(req.URL.Path, "/")
	name := parts[4] + "/" + parts[6]
	s.mu.Lock()
	pod := s.pods[name]
	text, ok := s.logs[name+"/"+req.URL.Query().Get("container")]
	s.mu.Unlock()
	if pod == nil {
		Refuse(w, http.StatusNotFound, "pods", name+" not found")
		return
	}
	if !ok {
		text = Lines(pod.CreationTimestamp.Time, "one line")
	}
	WriteLog(w, req, text)
}

// Lines are log lines as the endpoint serves them, a nanosecond apart.
func Lines(at time.Time, lines ...string) string {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "%s %s\n", at.Add(time.Duration(i+1)).UTC().Format(time.RFC3339Nano), line)
	}
	return text.String()
}

// WriteLog answers a log request with text, or as many of its last lines as
// tailLines asks for.
func WriteLog(w http.ResponseWriter, req *http.Request, text string) {
	w.Header().Set("Content-Type", "text/plain")
	if tail, err := strconv.Atoi(req.URL.Query().Get("tailLines")); err == nil {
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		text = strings.Join(lines[max(0, len(lines)-tail):], "")
	}
	io.WriteString(w, text)
}

func (s *Server) remove(w http.ResponseWriter, req *http.Request, name string) {
	var options metav1.DeleteOptions
	if err := json.NewDecoder(req.Body).Decode(&options); err != nil {
		Refuse(w, http.StatusBadRequest, "pods", err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pod := s.pods[name]
	p := options.Preconditions
	switch {
	case pod == nil:
		Refuse(w, http.StatusNotFound, "pods", name+" not found")
	case p != nil && p.UID != nil && *p.UID != pod.UID, p != nil && p.ResourceVersion != nil && *p.ResourceVersion != pod.ResourceVersion:
		Refuse(w, http.StatusConflict, "pods", "the precondition does not match")
	case len(pod.Finalizers) > 0:
		now := metav1.Now()
		pod = pod.DeepCopy()
		s.version++
		pod.DeletionTimestamp, pod.ResourceVersion = &now, strconv.Itoa(s.version)
		s.pods[name] = pod
		Answer(w, http.StatusOK, pod)
	default:
		delete(s.pods, name)
		Answer(w, http.StatusOK, pod)
	}
}

func (s *Server) review(w http.ResponseWriter, req *http.Request) {
	var review struct {
		APIVersion, Kind string
		Spec             struct {
			ResourceAttributes struct{ Verb, Group, Resource, Subresource string }
		}
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	json.NewDecoder(req.Body).Decode(&review)
	a := review.Spec.ResourceAttributes
	resource := strings.TrimSuffix(a.Resource+"."+a.Group, ".")
	name := strings.TrimSuffix(a.Verb+" "+resource+"/"+a.Subresource, "/")
	s.mu.Lock()
	review.Status.Allowed = !s.denied[name]
	s.mu.Unlock()
	Answer(w, http.StatusCreated, review)
}

// Answer answers with an object as JSON.
func Answer(w http.ResponseWriter, status int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(object)
}

// Refuse answers with a Kubernetes Status.
func Refuse(w http.ResponseWriter, code int, kind, message string) {
	reasons := map[int]metav1.StatusReason{
		http.StatusNotFound: metav1.StatusReasonNotFound, http.StatusConflict: metav1.StatusReasonConflict,
		http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusGone: metav1.StatusReasonExpired,
		http.StatusBadRequest: metav1.StatusReasonBadRequest, http.StatusInternalServerError: metav1.StatusReasonInternalError,
	}
	Answer(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reasons[code], Message: message, Details: &metav1.StatusDetails{Kind: kind},
	})
}
