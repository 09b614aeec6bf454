package archivetest

import "net/http"

// lifecycle keeps the bucket's lifecycle rules as they were put.
func (s *Store) lifecycle(w http.ResponseWriter, req *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case req.Method == http.MethodPut:
		s.rules = body
	case s.rules == nil:
		Refuse(w, http.StatusNotFound, "NoSuchLifecycleConfiguration")
	default:
		w.Write(s.rules)
	}
}
