package archivetest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Proxy is a recording reverse proxy before a real server; it keeps the Host
// that the client signed.
func Proxy(t testing.TB, j *Journal, server, target string, transport http.RoundTripper) *httptest.Server {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
		},
		Transport: transport,
	}
	s := httptest.NewServer(j.Record(server, proxy))
	t.Cleanup(s.Close)
	return s
}
