package archivetest

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
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
)

// Stored is one object of a Store.
type Stored struct {
	Body     []byte
	Metadata map[string]string
	Tags     url.Values
	Header   http.Header
}

// Store is an object store in memory that speaks as much S3 as the archive
// needs. It is for faults; whether the requests are right, a real store shows.
type Store struct {
	URL     string
	Bucket  string
	Journal *Journal
	mu      sync.Mutex
	lie     func(string, *Stored)
	objects map[string]*Stored
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
	s := &Store{Bucket: "bundles", Journal: j, objects: map[string]*Stored{}}
	server := httptest.NewServer(j.Record("store", s))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Keys are the keys of all objects, sorted.
func (s *Store) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
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
	s.objects[key] = o
}

func (s *Store) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	key, ok := strings.CutPrefix(strings.TrimPrefix(req.URL.Path, "/"), s.Bucket)
	if !ok {
		Refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	key = strings.TrimPrefix(key, "/")
	switch {
	case req.Method == http.MethodGet && key == "":
		s.list(w, req)
	case req.Method == http.MethodPut:
		s.put(w, req, key)
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		s.get(w, req, key)
	default:
		Refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

func (s *Store) put(w http.ResponseWriter, req *http.Request, key string) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		Refuse(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	sum := md5.Sum(body)
	if req.Header.Get("Content-MD5") != base64.StdEncoding.EncodeToString(sum[:]) {
		Refuse(w, http.StatusBadRequest, "BadDigest")
		return
	}
	tags, err := url.ParseQuery(req.Header.Get("X-Amz-Tagging"))
	if err != nil {
		Refuse(w, http.StatusBadRequest, "InvalidTag")
		return
	}
	o := &Stored{Body: body, Metadata: map[string]string{}, Tags: tags, Header: http.Header{}}
	for name := range req.Header {
		if meta, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-meta-"); ok {
			o.Metadata[meta] = req.Header.Get(name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[key] != nil && req.Header.Get("If-None-Match") == "*" {
		Refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	w.Header().Set("ETag", o.etag())
	if s.lie != nil {
		s.lie(key, o)
	}
	s.objects[key] = o
}

func (o *Stored) etag() string {
	sum := md5.Sum(o.Body)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func (s *Store) get(w http.ResponseWriter, req *http.Request, key string) {
	o := s.Object(key)
	if o == nil {
		Refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	if req.URL.Query().Has("tagging") {
		fmt.Fprint(w, "<Tagging><TagSet>")
		for name := range o.Tags {
			fmt.Fprintf(w, "<Tag><Key>%s</Key><Value>%s</Value></Tag>", name, o.Tags.Get(name))
		}
		fmt.Fprint(w, "</TagSet></Tagging>")
		return
	}
	for name, value := range o.Metadata {
		w.Header().Set("x-amz-meta-"+name, value)
	}
	w.Header().Set("ETag", o.etag())
	for name := range o.Header {
		w.Header().Set(name, o.Header.Get(name))
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(o.Body)))
	if req.Method == http.MethodGet {
		w.Write(o.Body)
	}
}

func (s *Store) list(w http.ResponseWriter, req *http.Request) {
	type item struct{ Key string }
	var answer struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []item
	}
	for _, key := range s.Keys() {
		if strings.HasPrefix(key, req.URL.Query().Get("prefix")) && len(answer.Contents) == 0 {
			answer.Contents = append(answer.Contents, item{key})
		}
	}
	xml.NewEncoder(w).Encode(answer)
}

// Refuse answers with an S3 error.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
}
