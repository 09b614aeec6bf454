package archive

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A store that takes a request and says nothing, or stops in its answer, gives
// an error; one that is slow, but goes on, does not.
func TestStoreThatStandsStill(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		body   bool // sent slowly
		ok     bool
	}{
		"no answer": {answer: func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }},
		"half an answer": {answer: func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		}},
		"a slow answer": {ok: true, answer: func(w http.ResponseWriter, _ *http.Request) {
			for range 25 {
				io.WriteString(w, "more")
				w.(http.Flusher).Flush()
				time.Sleep(100 * time.Millisecond)
			}
		}},
		"a slow upload": {ok: true, body: true, answer: func(_ http.ResponseWriter, req *http.Request) { io.Copy(io.Discard, req.Body) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.answer)
			t.Cleanup(server.Close)
			var body io.Reader
			if tt.body {
				body = &slow{left: 25}
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL, body)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := keepConnections(2 * time.Second).Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			if (err == nil) != tt.ok {
				t.Errorf("error %v, want one: %v", err, !tt.ok)
			}
		})
	}
}

// slow gives a little every 100 ms.
type slow struct{ left int }

func (s *slow) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	time.Sleep(100 * time.Millisecond)
	return copy(p, "a little"), nil
}
