package archivetest

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// list answers ListObjectsV2 in pages of at most max-keys, PageSize if that is
// less; a token is the last key of the page before. Keys that have a delimiter
// after the prefix are put together. Keys are encoded where that is asked for,
// unless the store is to ignore it.
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
		EncodingType          string `xml:",omitempty"`
		NextContinuationToken string `xml:",omitempty"`
		Contents              []item
		CommonPrefixes        []folder
	}
	query := req.URL.Query()
	encode := func(key string) string { return key }
	if query.Get("encoding-type") == "url" && !s.ignoresEncoding() {
		encode, answer.EncodingType = url.QueryEscape, "url"
	}
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
		if inFolder && query.Has("delimiter") && len(answer.CommonPrefixes) > 0 && answer.CommonPrefixes[len(answer.CommonPrefixes)-1].Prefix == encode(common) {
			last = key
			continue
		}
		if len(answer.Contents)+len(answer.CommonPrefixes) == most {
			answer.IsTruncated, answer.NextContinuationToken = true, last
			break
		}
		last = key
		if inFolder && query.Has("delimiter") {
			answer.CommonPrefixes = append(answer.CommonPrefixes, folder{encode(common)})
			continue
		}
		o := s.Object(key)
		answer.Contents = append(answer.Contents, item{encode(key), len(o.Body), o.Stored.UTC().Format(time.RFC3339)})
	}
	xml.NewEncoder(w).Encode(answer)
}

func (s *Store) ignoresEncoding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.strict.IgnoresEncoding
}
