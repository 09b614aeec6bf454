// Package archivetest has what tests of the archive need: a journal of all
// requests to the servers of a test, a reader of bundles that shares no code
// with the writer, and an object store in memory.
package archivetest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Entry is one request and its answer, in the order in which answers came.
type Entry struct {
	At     time.Time
	Server string
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte

	Status int
	Answer http.Header
	// AnswerBody is kept except for logs, which may be of any size.
	AnswerBody []byte
}

// Journal records requests to several servers in one order.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
	open    int // requests under way
	shift   time.Duration
	before  func(server string, w http.ResponseWriter, req *http.Request) bool
	after   func(server string, req *http.Request)
}

// Before sets what sees every request before its server does: it answers itself
// and returns true, or returns false. nil ends it.
func (j *Journal) Before(f func(server string, w http.ResponseWriter, req *http.Request) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.before = f
}

// After sets what sees every request that is served and not yet answered. nil
// ends it.
func (j *Journal) After(f func(server string, req *http.Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.after = f
}

// Shift sets the clock of all servers ahead.
func (j *Journal) Shift(ahead time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shift = ahead
}

// ahead is how far the clocks of all servers are ahead.
func (j *Journal) ahead() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.shift
}

// serve lets the request through, past Before and After.
func (j *Journal) serve(server string, next http.Handler, w http.ResponseWriter, req *http.Request) {
	j.mu.Lock()
	before, after, shift := j.before, j.after, j.shift
	j.mu.Unlock()
	if shift != 0 {
		w.Header().Set("Date", time.Now().Add(shift).UTC().Format(http.TimeFormat))
	}
	if before != nil && before(server, w, req) {
		return
	}
	next.ServeHTTP(w, req)
	if after != nil {
		after(server, req)
	}
}

// Entries are all requests that have been answered so far.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Entry(nil), j.entries...)
}

// Settle waits until no request is under way: a client that was killed leaves
// some behind.
func (j *Journal) Settle() {
	for j.underWay(0) > 0 {
		time.Sleep(time.Millisecond)
	}
}

func (j *Journal) underWay(more int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open += more
	return j.open
}

// Len is the number of entries, to look later at those that came after.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries)
}

// Count is the number of requests of this kind.
func (j *Journal) Count(server, method, pathPart string) int {
	n := 0
	for _, e := range j.Entries() {
		if e.Server == server && e.Method == method && strings.Contains(e.Path, pathPart) {
			n++
		}
	}
	return n
}

// Record writes down all that passes to next, a stub or a proxy. The request is
// taken down when it is answered, but before the answer is complete, so that
// what a client does because of an answer always comes later.
func (j *Journal) Record(server string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		j.underWay(1)
		defer j.underWay(-1)
		body, err := io.ReadAll(req.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		e := Entry{Server: server, Method: req.Method, Path: req.URL.Path, Query: req.URL.Query(), Header: req.Header.Clone(), Body: body}
		if strings.HasSuffix(e.Path, "/log") {
			spy := &statusSpy{ResponseWriter: w}
			defer func() {
				e.Status = spy.status
				j.add(e)
			}()
			j.serve(server, next, spy, req)
			return
		}
		answer := httptest.NewRecorder()
		defer func() {
			if cut := recover(); cut != nil { // a fault: the answer is lost, the request is not
				j.add(e)
				panic(cut)
			}
		}()
		j.serve(server, next, answer, req)
		e.Status, e.Answer, e.AnswerBody = answer.Code, answer.Header().Clone(), answer.Body.Bytes()
		j.add(e)
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	})
}

// Mark notes that a run of the program begins: what it relies on, it must have
// asked itself.
func (j *Journal) Mark() { j.add(Entry{Server: "mark"}) }

func (j *Journal) add(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.At = time.Now().Add(j.shift)
	j.entries = append(j.entries, e)
}

// statusSpy passes everything through and notes the status.
type statusSpy struct {
	http.ResponseWriter
	status int
}

func (s *statusSpy) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusSpy) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the real writer.
func (s *statusSpy) Unwrap() http.ResponseWriter { return s.ResponseWriter }
