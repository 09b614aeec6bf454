package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// What the store refuses for every pod is found out before the first one, and
// is one line that says what to change.
func TestStoreErrors(t *testing.T) {
	always := func(*http.Request) bool { return true }
	is := func(method, query string) func(*http.Request) bool {
		return func(req *http.Request) bool { return req.Method == method && strings.Contains(req.URL.RawQuery, query) }
	}
	with := func(header string) func(*http.Request) bool {
		return func(req *http.Request) bool { return req.Header.Get(header) != "" }
	}
	reading := func(part string) func(*http.Request) bool {
		return func(req *http.Request) bool {
			return req.Method == http.MethodGet && strings.Contains(req.URL.Path, part)
		}
	}
	lock := "ARCHIVE_OBJECT_LOCK=compliance"
	for _, c := range []struct {
		name   string
		env    string
		when   func(*http.Request) bool
		status int
		code   string
		says   string
	}{
		{"no such bucket", "", always, 404, "NoSuchBucket", "ARCHIVE_BUCKET names no bucket"},
		{"another bucket", "ARCHIVE_BUCKET=other", nil, 0, "", "ARCHIVE_BUCKET names no bucket"},
		{"no bucket's name", "", always, 400, "InvalidBucketName", "ARCHIVE_BUCKET is no name"},
		{"unknown key", "", always, 403, "InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"},
		{"wrong secret", "", always, 403, "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"},
		{"expired", "", always, 400, "ExpiredToken", "credentials (AWS_*) have expired"},
		{"wrong region", "", always, 301, "PermanentRedirect", "set AWS_REGION=eu-north-1"},
		{"wrong region, by the signature", "", always, 400, "AuthorizationHeaderMalformed", "set AWS_REGION=eu-north-1"},
		{"clocks too far apart", "", always, 403, "RequestTimeTooSkewed", "clocks"},
		{"may not list", "", is("GET", "list-type"), 403, "AccessDenied", "needs s3:ListBucket"},
		{"may not read cluster.json", "", reading("/cluster.json"), 403, "AccessDenied", "needs s3:GetObject"},
		{"may not head", "", is("HEAD", ""), 403, "", "needs s3:GetObject"},
		{"may not put", "", is("PUT", ""), 403, "AccessDenied", "needs s3:PutObject"},
		{"may not tag", "", with("X-Amz-Tagging"), 403, "AccessDenied", "s3:PutObjectTagging"},
		{"may not read tags", "", is("GET", "tagging"), 403, "AccessDenied", "needs s3:GetObjectTagging"},
		{"may not read back", "ARCHIVE_VERIFY=read", reading("/start.json"), 403, "AccessDenied", "needs s3:GetObject"},
		{"may not read the bucket's lock", lock, is("GET", "object-lock"), 403, "AccessDenied", "needs s3:GetBucketObjectLockConfiguration"},
		{"may not lock", lock, with("X-Amz-Object-Lock-Mode"), 403, "AccessDenied", "s3:PutObjectRetention"},
		{"may not read locks", lock, is("GET", "retention"), 403, "AccessDenied", "needs s3:GetObjectRetention"},
		{"may not use the key", "ARCHIVE_SSE=aws:kms", with("X-Amz-Server-Side-Encryption"), 403, "AccessDenied", "kms:GenerateDataKey"},
		{"no such key", "ARCHIVE_SSE=aws:kms", with("X-Amz-Server-Side-Encryption"), 400, "KMS.NotFoundException", "ARCHIVE_KMS_KEY_ID"},
		{"no tags", "", with("X-Amz-Tagging"), 501, "NotImplemented", "ARCHIVE_TAGGING=off"},
		{"no tags to read", "", is("GET", "tagging"), 501, "NotImplemented", "ARCHIVE_TAGGING=off"},
		{"no encryption", "ARCHIVE_SSE=AES256", with("X-Amz-Server-Side-Encryption"), 501, "NotImplemented", "unset ARCHIVE_SSE"},
		{"no storage class", "ARCHIVE_STORAGE_CLASS=COLD", with("X-Amz-Storage-Class"), 400, "InvalidStorageClass", "ARCHIVE_STORAGE_CLASS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.store.EnableObjectLock(true)
			w.api.Add(ranPod("a"))
			w.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
				refused := server == "store" && c.when != nil && c.when(req)
				if refused {
					rw.Header().Set("X-Amz-Bucket-Region", "eu-north-1")
					archivetest.Refuse(rw, c.status, c.code)
				}
				return refused
			})
			env := []string{}
			if c.env != "" {
				env = append(env, c.env)
			}
			w.fails(c.says, env...)
		})
	}
}

// fails expects a run that fails before any pod, with one line that says this.
func (w *stubs) fails(says string, env ...string) {
	w.t.Helper()
	e := w.run(env...)
	var line string
	for _, l := range e.lines {
		if l["msg"] == "run failed" {
			line, _ = l["error"].(string)
		}
	}
	e.expect(w.t, 1, "the line "+says, strings.Contains(line, says) && !strings.Contains(line, "\n"))
	if n := w.journal.Count("api", "DELETE", "") + w.journal.Count("store", "PUT", "/pods/"); n != 0 {
		w.t.Errorf("%d requests that write", n)
	}
}

// A store that takes tags, a lock or encryption and forgets them is found out
// likewise.
func TestStoreThatForgets(t *testing.T) {
	for env, c := range map[string]struct {
		lie  func(*archivetest.Stored)
		says string
	}{
		"ARCHIVE_TAGGING=on":             {func(o *archivetest.Stored) { o.Tags = nil }, "ARCHIVE_TAGGING=off"},
		"ARCHIVE_OBJECT_LOCK=governance": {func(o *archivetest.Stored) { o.Header = http.Header{} }, "ARCHIVE_OBJECT_LOCK"},
		"ARCHIVE_SSE=AES256":             {func(o *archivetest.Stored) { o.Header = http.Header{} }, "ARCHIVE_SSE"},
	} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			w.store.EnableObjectLock(false)
			w.api.Add(ranPod("a"))
			w.store.LieWith(func(_ string, o *archivetest.Stored) { c.lie(o) })
			w.fails(c.says, env)
		})
	}
}
