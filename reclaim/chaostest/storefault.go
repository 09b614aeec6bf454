package chaostest

import (
	"net/http"
	"strings"
)

// keepHalf lets the store keep the first half of what is put, with all that was
// said of it, and tells what the store answered.
func (p *proxy) keepHalf(req *http.Request, body []byte) int {
	s := p.run.series
	key := strings.TrimPrefix(req.URL.Path, "/"+s.bucket.name+"/")
	metadata := map[string]string{}
	for name, values := range req.Header {
		if meta, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-meta-"); ok {
			metadata[meta] = values[0]
		}
	}
	err := s.bucket.put(key, body[:len(body)/2], metadata, req.Header.Get("X-Amz-Tagging"))
	if err != nil {
		return 0 // something is there, or the store is away
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged[key] = true
	return http.StatusOK
}
