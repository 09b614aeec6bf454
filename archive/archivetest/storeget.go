package archivetest

import (
	"fmt"
	"net/http"
)

// seen is the object under key as a read finds it.
func (s *Store) seen(key string) *Stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	if o != nil && o.Late > 0 {
		o.Late--
		return nil
	}
	return o
}

func (s *Store) get(w http.ResponseWriter, req *http.Request, key string) {
	o := s.seen(key)
	query := req.URL.Query()
	switch {
	case o == nil:
		Refuse(w, http.StatusNotFound, "NoSuchKey")
	case query.Has("tagging"):
		fmt.Fprint(w, "<Tagging><TagSet>")
		for name := range o.Tags {
			fmt.Fprintf(w, "<Tag><Key>%s</Key><Value>%s</Value></Tag>", name, o.Tags.Get(name))
		}
		fmt.Fprint(w, "</TagSet></Tagging>")
	case query.Has("retention") && o.Header.Get(lockMode) == "":
		Refuse(w, http.StatusNotFound, "NoSuchObjectLockConfiguration")
	case query.Has("retention"):
		fmt.Fprintf(w, "<Retention><Mode>%s</Mode><RetainUntilDate>%s</RetainUntilDate></Retention>", o.Header.Get(lockMode), o.Header.Get(lockUntil))
	default:
		s.read(w, req, o)
	}
}

func (s *Store) read(w http.ResponseWriter, req *http.Request, o *Stored) {
	for name, value := range o.Metadata {
		w.Header().Set("x-amz-meta-"+name, value)
	}
	w.Header().Set("ETag", o.etag())
	for name := range o.Header {
		w.Header().Set(name, o.Header.Get(name))
	}
	if s.hideLock {
		w.Header().Del(lockMode)
		w.Header().Del(lockUntil)
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(o.Body)))
	if req.Method == http.MethodGet {
		w.Write(o.Body)
	}
}

func (s *Store) lockConfiguration(w http.ResponseWriter) {
	if !s.objectLock {
		Refuse(w, http.StatusNotFound, "ObjectLockConfigurationNotFoundError")
		return
	}
	fmt.Fprint(w, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>")
}
