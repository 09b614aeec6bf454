package main

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
)

// The one form of request that every store takes: no trailers, no chunk
// framing, no checksum headers of the SDK's, no empty headers; the length, the
// MD5 and the signed SHA-256 of the very bytes; Accept-Encoding, which some
// stores rewrite, is not signed.
func TestRequestsToTheStore(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	w.run()
	puts := 0
	for _, e := range w.journal.Entries() {
		if e.Server != "store" {
			continue
		}
		for name, values := range e.Header {
			if strings.HasPrefix(name, "X-Amz-Checksum") || strings.HasPrefix(name, "X-Amz-Sdk-Checksum") || name == "X-Amz-Trailer" {
				t.Errorf("%s %s has the header %s", e.Method, e.Path, name)
			}
			if values[0] == "" {
				t.Errorf("%s %s has the empty header %s", e.Method, e.Path, name)
			}
		}
		signed := e.Header.Get("Authorization")
		if strings.Contains(signed, "accept-encoding") || !strings.Contains(signed, "x-amz-content-sha256") {
			t.Errorf("%s %s signs %s", e.Method, e.Path, signed)
		}
		sha := sha256.Sum256(e.Body)
		if e.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sha[:]) {
			t.Errorf("%s %s signs the payload as %s", e.Method, e.Path, e.Header.Get("X-Amz-Content-Sha256"))
		}
		if e.Method != http.MethodPut {
			continue
		}
		puts++
		sum := md5.Sum(e.Body)
		if e.Header.Get("Content-Md5") != base64.StdEncoding.EncodeToString(sum[:]) || e.Header.Get("Content-Encoding") != "" {
			t.Errorf("PUT %s: Content-MD5 %q, Content-Encoding %q", e.Path, e.Header.Get("Content-Md5"), e.Header.Get("Content-Encoding"))
		}
	}
	if puts < 3 {
		t.Errorf("%d PUTs", puts)
	}
}

// Without tags no tagging header is sent, not even an empty one, and none is
// asked for.
func TestStoreWithoutTags(t *testing.T) {
	w := newStubs(t)
	w.api.Add(ranPod("a"))
	e := w.run("ARCHIVE_TAGGING=off", "ARCHIVE_COMPRESSION=gzip", "ARCHIVE_VERIFY=read")
	e.expect(t, 0, "deleted", e.summary.Deleted == 1)
	for _, e := range w.journal.Entries() {
		if _, has := e.Header["X-Amz-Tagging"]; has || e.Query.Has("tagging") {
			t.Errorf("%s %s is about tags", e.Method, e.Path)
		}
	}
	if b := w.store.Bundles(); len(b) != 1 || !strings.HasSuffix(b[0], ".tar.gz") {
		t.Errorf("bundles: %v", b)
	}
}
