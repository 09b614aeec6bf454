package archivetest

import (
	"encoding/xml"
	"net/http"
	"time"
)

// refusedDelete is how the store refuses to delete an object that is locked.
const refusedDelete = "AccessDenied"

// locked tells whether the object under key may not be deleted yet.
func (s *Store) locked(key string) bool {
	o := s.Object(key)
	if o == nil {
		return false
	}
	until, err := time.Parse(time.RFC3339, o.Header.Get(lockUntil))
	return err == nil && until.After(time.Now().Add(s.Journal.ahead()))
}

func (s *Store) delete(w http.ResponseWriter, key string) {
	if s.locked(key) {
		Refuse(w, http.StatusForbidden, refusedDelete)
		return
	}
	s.Remove(key)
	w.WriteHeader(http.StatusNoContent)
}

// deleteBatch answers DeleteObjects.
func (s *Store) deleteBatch(w http.ResponseWriter, body []byte) {
	var batch struct {
		Object []struct{ Key string }
	}
	if xml.Unmarshal(body, &batch) != nil || len(batch.Object) > 1000 {
		Refuse(w, http.StatusBadRequest, "MalformedXML")
		return
	}
	type deleted struct{ Key string }
	type refused struct{ Key, Code string }
	var answer struct {
		XMLName xml.Name `xml:"DeleteResult"`
		Deleted []deleted
		Error   []refused
	}
	for _, o := range batch.Object {
		if s.locked(o.Key) {
			answer.Error = append(answer.Error, refused{o.Key, refusedDelete})
			continue
		}
		s.Remove(o.Key)
		answer.Deleted = append(answer.Deleted, deleted(o))
	}
	xml.NewEncoder(w).Encode(answer)
}
