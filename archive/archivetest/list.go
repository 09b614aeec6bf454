package archivetest

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// list answers ListObjectsV2 in pages of at most max-keys, PageSize if that is
// less; a token is the last key of the page before.
func (s *Store) list(w http.ResponseWriter, req *http.Request) {
	type item struct {
		Key          string
		Size         int
		LastModified string
	}
	var answer struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []item
	}
	query := req.URL.Query()
	most, err := strconv.Atoi(query.Get("max-keys"))
	if err != nil || most > s.PageSize {
		most = s.PageSize
	}
	for _, key := range s.Keys() {
		if !strings.HasPrefix(key, query.Get("prefix")) || key <= query.Get("continuation-token") {
			continue
		}
		if len(answer.Contents) == most {
			answer.IsTruncated, answer.NextContinuationToken = true, answer.Contents[most-1].Key
			break
		}
		o := s.Object(key)
		answer.Contents = append(answer.Contents, item{key, len(o.Body), o.Stored.UTC().Format(time.RFC3339)})
	}
	xml.NewEncoder(w).Encode(answer)
}
