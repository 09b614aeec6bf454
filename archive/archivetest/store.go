package archivetest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Stored is one object of a Store.
type Stored struct {
	Body     []byte
	Metadata map[string]string
	Tags     url.Values
	// Header is what a read answers beside: lock, encryption, or a lie.
	Header http.Header
	// Late is how many reads do not see the object yet.
	Late int
	// Lost is an object that is accepted and not kept.
	Lost bool
	// Stored is when it was put; now, unless a test has set it.
	Stored time.Time
}

// Store is an object store in memory that speaks as much S3 as the archive
// needs. It is for faults; whether the requests are right, a real store shows.
// It takes only requests that one of its identities has signed, and refuses
// what Strict says.
type Store struct {
	URL     string
	Bucket  string
	Journal *Journal
	// PageSize bounds list answers, whatever max-keys asks for.
	PageSize   int
	mu         sync.Mutex
	identities map[string]Identity
	strict     Strict
	objectLock bool
	hideLock   bool
	lie        func(string, *Stored)
	rules      []byte
	objects    map[string]*Stored
	keys       []string // of objects, sorted; nil if they have changed
}

// Allow lets this identity sign requests too.
func (s *Store) Allow(id Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identities[id.AccessKey] = id
}

// Refusing sets what the store refuses from now on.
func (s *Store) Refusing(strict Strict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strict = strict
}

// EnableObjectLock gives the bucket Object Lock. If hidden, only GetObjectRetention
// shows an object's lock, as for a HEAD without that permission.
func (s *Store) EnableObjectLock(hidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objectLock, s.hideLock = true, hidden
}

// LieWith changes what is kept of every object that is put from now on; nil
// ends it.
func (s *Store) LieWith(lie func(key string, o *Stored)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lie = lie
}

// NewStore starts a store with one empty bucket.
func NewStore(t testing.TB, j *Journal) *Store {
	t.Helper()
	s := &Store{Bucket: "bundles", Journal: j, PageSize: 1000, objects: map[string]*Stored{}, identities: map[string]Identity{}}
	s.Allow(Identity{AccessKey: "testbed", Secret: "testbed-secret-key"})
	s.Refusing(Strictest())
	server := httptest.NewServer(j.Record("store", s))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Keys are the keys of all objects, sorted.
func (s *Store) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = slices.Sorted(maps.Keys(s.objects))
	}
	return slices.Clone(s.keys)
}

// Bundles are the keys of all bundles, sorted.
func (s *Store) Bundles() []string {
	return slices.DeleteFunc(s.Keys(), func(key string) bool { return !strings.Contains(key, "/pods/") })
}

// Object is the object under key, nil if there is none. Tests may change it.
func (s *Store) Object(key string) *Stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key]
}

// Set puts an object past the front door.
func (s *Store) Set(key string, o *Stored) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Stored.IsZero() {
		o.Stored = time.Now().Add(s.Journal.ahead())
	}
	s.objects[key], s.keys = o, nil
}

// Remove removes an object as a lifecycle rule does.
func (s *Store) Remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
	s.keys = nil
}

func (s *Store) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		Refuse(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	s.mu.Lock()
	identities, strict := maps.Clone(s.identities), s.strict
	s.mu.Unlock()
	if code := checkSignature(req, body, identities); code != "" {
		Refuse(w, http.StatusForbidden, code)
		return
	}
	if status, code := strict.check(req, body); code != "" {
		Refuse(w, status, code)
		return
	}
	key, ok := strings.CutPrefix(strings.TrimPrefix(req.URL.Path, "/"), s.Bucket)
	if !ok {
		Refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	key = strings.TrimPrefix(key, "/")
	switch {
	case req.Method == http.MethodGet && req.URL.Query().Has("object-lock"):
		s.lockConfiguration(w)
	case req.URL.Query().Has("lifecycle"):
		s.lifecycle(w, req, body)
	case req.Method == http.MethodGet && req.URL.Query().Has("versions"):
		Refuse(w, http.StatusNotImplemented, "NotImplemented")
	case req.Method == http.MethodGet && key == "":
		s.list(w, req)
	case req.Method == http.MethodPut && req.Header.Get("X-Amz-Copy-Source") != "":
		s.copy(w, req, key)
	case req.Method == http.MethodPut:
		s.put(w, req, key, body)
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		s.get(w, req, key)
	case req.Method == http.MethodDelete:
		s.delete(w, key)
	case req.Method == http.MethodPost && req.URL.Query().Has("delete"):
		s.deleteBatch(w, body)
	default:
		Refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

// Refuse answers with an S3 error.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
}
