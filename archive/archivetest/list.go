package archivetest

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// list answers ListObjectsV2 in pages of at most max-keys, PageSize if that is
// less; a token is the last key of the page before. Keys that have a delimiter
// after the prefix are put together.
func (s *Store) list(w http.ResponseWriter, req *http.Request) {
	type item struct {
		Key          string
		Size         int
		LastModified string
	}
	type folder struct{ Prefix string }
	var answer struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
		Contents              []item
		CommonPrefixes        []folder
	}
	query := req.URL.Query()
	most, err := strconv.Atoi(query.Get("max-keys"))
	if err != nil || most > s.PageSize {
		most = s.PageSize
	}
	last, keys := "", s.Keys()
	first, _ := slices.BinarySearch(keys, max(query.Get("prefix"), query.Get("continuation-token")))
	for _, key := range keys[first:] {
		rest, ok := strings.CutPrefix(key, query.Get("prefix"))
		if !ok {
			break
		}
		if key == query.Get("continuation-token") {
			continue
		}
		name, _, inFolder := strings.Cut(rest, query.Get("delimiter"))
		common := query.Get("prefix") + name + "/"
		if inFolder && query.Has("delimiter") && len(answer.CommonPrefixes) > 0 && answer.CommonPrefixes[len(answer.CommonPrefixes)-1].Prefix == common {
			last = key
			continue
		}
		if len(answer.Contents)+len(answer.CommonPrefixes) == most {
			answer.IsTruncated, answer.NextContinuationToken = true, last
			break
		}
		last = key
		if inFolder && query.Has("delimiter") {
			answer.CommonPrefixes = append(answer.CommonPrefixes, folder{common})
			continue
		}
		o := s.Object(key)
		answer.Contents = append(answer.Contents, item{key, len(o.Body), o.Stored.UTC().Format(time.RFC3339)})
	}
	xml.NewEncoder(w).Encode(answer)
}
