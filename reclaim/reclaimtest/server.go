package reclaimtest

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// Server is a Kubernetes API server in memory, as far as a run needs one. It
// checks preconditions and pages lists as the real one does. It is for faults;
// whether the requests are right, a real API server shows.
type Server struct {
	URL     string
	Journal *archivetest.Journal
	// PageSize bounds list answers, whatever limit asks for.
	PageSize int

	mu      sync.Mutex
	version int
	pods    map[string]*corev1.Pod
	// logs are the logs by "namespace/pod/container"; without an entry a log
	// is one line.
	logs   map[string]string
	denied map[string]bool
	other  map[string]any
}

// NewServer starts an empty API server.
func NewServer(t testing.TB, j *archivetest.Journal) *Server {
	t.Helper()
	s := &Server{
		Journal: j, PageSize: 500, version: 1000,
		logs: map[string]string{}, denied: map[string]bool{}, pods: map[string]*corev1.Pod{}, other: map[string]any{},
	}
	server := httptest.NewServer(j.Record("api", s))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Kubeconfig writes a kubeconfig file for a server that asks for no
// credentials, and returns its path.
func Kubeconfig(t testing.TB, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := WriteKubeconfig(path, url); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteKubeconfig is Kubeconfig at a path of one's own.
func WriteKubeconfig(path, url string) error {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
"clusters":[{"name":"c","cluster":{"server":%q}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]}`, url)
	return os.WriteFile(path, []byte(text), 0o600)
}

// SetLog sets the log of a container.
func (s *Server) SetLog(pod, container, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[pod+"/"+container] = text
}

// Deny makes access reviews refuse a permission, such as "get pods/log".
func (s *Server) Deny(permission string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[permission] = true
}

// Add puts a pod, with a new resourceVersion and, if it has none, a UID.
func (s *Server) Add(pod *corev1.Pod) *corev1.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.ResourceVersion = strconv.Itoa(s.version)
	if pod.UID == "" {
		pod.UID = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", s.version))
	}
	s.pods[pod.Namespace+"/"+pod.Name] = pod
	return pod
}

// Change changes a pod as somebody else would, with a new resourceVersion.
func (s *Server) Change(namespace, name string, change func(*corev1.Pod)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pod := s.pods[namespace+"/"+name].DeepCopy()
	change(pod)
	s.version++
	pod.ResourceVersion = strconv.Itoa(s.version)
	s.pods[namespace+"/"+name] = pod
}

// Pod is a copy of a pod, nil if there is none.
func (s *Server) Pod(namespace, name string) *corev1.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pods[namespace+"/"+name].DeepCopy()
}

// Remove deletes a pod as somebody else would.
func (s *Server) Remove(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pods, namespace+"/"+name)
}

// Set puts any other object under its path, such as /api/v1/namespaces/x.
func (s *Server) Set(path string, object any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other[path] = object
}

// Names are "namespace/name" of all pods, sorted.
func (s *Server) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.pods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
