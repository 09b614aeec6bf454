package archive

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// aged makes all objects of a store older, as its lists say: a store cannot be
// told when an object was put, and its clock is that of the signatures.
type aged struct{ by time.Duration }

var lastModified = regexp.MustCompile(`<LastModified>([^<]+)</LastModified>`)

func (a *aged) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil || a.by == 0 || !req.URL.Query().Has("prefix") {
			return answer, err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		text = lastModified.ReplaceAllFunc(text, func(element []byte) []byte {
			at, _ := time.Parse(time.RFC3339, string(lastModified.FindSubmatch(element)[1]))
			return fmt.Appendf(nil, "<LastModified>%s</LastModified>", at.Add(-a.by).UTC().Format(time.RFC3339Nano))
		})
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return answer, err
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
