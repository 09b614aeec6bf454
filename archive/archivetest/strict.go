package archivetest

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Strict is what a Store refuses, each as some store does: a request that
// passes all of them passes everywhere.
type Strict struct {
	Trailers       bool // x-amz-trailer and the payload forms that announce one
	Chunked        bool // aws-chunked framing
	Checksums      bool // the SDK's checksum headers
	EmptyHeaders   bool
	NoLength       bool // no Content-Length
	NoMD5          bool // a body without Content-MD5: Object Lock, or a bucket's default retention
	AcceptEncoding bool // a signed Accept-Encoding, which proxies rewrite
	LongSegments   bool // over 255 bytes, and keys over 1024
	TagCharacters  bool // outside of what all stores take
	Unsigned       bool // UNSIGNED-PAYLOAD
	Tags           bool // the tagging header itself
	Conditions     bool // If-None-Match
	CopyConditions bool // If-None-Match on a copy
	Copies         bool // CopyObject
	Batches        bool // DeleteObjects

	// IgnoresConditions is no refusal: If-None-Match changes nothing.
	IgnoresConditions bool
	// IgnoresEncoding is none either: keys in lists are as they are.
	IgnoresEncoding bool
}

// Strictest refuses all that the program never needs to send.
func Strictest() Strict {
	return Strict{
		Trailers: true, Chunked: true, Checksums: true, EmptyHeaders: true, NoLength: true, NoMD5: true,
		AcceptEncoding: true, LongSegments: true, TagCharacters: true, Unsigned: true,
	}
}

// Least refuses even what the program can do without.
func Least() Strict {
	s := Strictest()
	s.Tags, s.Conditions, s.Copies, s.Batches = true, true, true, true
	s.IgnoresEncoding = true
	return s
}

var plainTag = regexp.MustCompile(`^[A-Za-z0-9._:-]+$`)

// check says how the request is refused; no code: it is not.
func (s Strict) check(req *http.Request, body []byte) (status int, code string) {
	payload := req.Header.Get("X-Amz-Content-Sha256")
	copies := req.Header.Get("X-Amz-Copy-Source") != ""
	for _, rule := range []struct {
		on, broken bool
		status     int
		code       string
	}{
		{s.Trailers, req.Header.Get("X-Amz-Trailer") != "" || strings.HasSuffix(payload, "-TRAILER"), 400, "XAmzContentSHA256Mismatch"},
		{s.Chunked, strings.HasPrefix(payload, "STREAMING-") || strings.Contains(req.Header.Get("Content-Encoding"), "aws-chunked"), 400, "InvalidRequest"},
		{s.Checksums, hasPrefix(req.Header, "X-Amz-Checksum-", "X-Amz-Sdk-Checksum-"), 400, "InvalidRequest"},
		{s.EmptyHeaders, hasEmpty(req.Header), 400, "InvalidArgument"},
		{s.NoLength, req.Method == http.MethodPut && req.ContentLength < 0, 411, "MissingContentLength"},
		{s.Batches, req.URL.Query().Has("delete"), 501, "NotImplemented"},
		{s.NoMD5, (req.Method == http.MethodPut || req.Method == http.MethodPost) && !copies && req.Header.Get("Content-MD5") == "", 400, "InvalidRequest"},
		{s.AcceptEncoding, strings.Contains(req.Header.Get("Authorization"), "accept-encoding"), 403, "SignatureDoesNotMatch"},
		{s.LongSegments, longSegment(req.URL.Path), 500, "InternalError"},
		{s.LongSegments, len(req.URL.Path) > 1024, 400, "KeyTooLongError"},
		{s.TagCharacters, !plainTags(req.Header.Get("X-Amz-Tagging")), 400, "InvalidTag"},
		{s.Unsigned, payload == "UNSIGNED-PAYLOAD", 400, "InvalidRequest"},
		{s.Tags, len(req.Header["X-Amz-Tagging"]) > 0 || req.URL.Query().Has("tagging"), 501, "NotImplemented"},
		{s.Conditions, len(req.Header["If-None-Match"]) > 0, 501, "NotImplemented"},
		{s.CopyConditions, copies && len(req.Header["If-None-Match"]) > 0, 501, "NotImplemented"},
		{s.Copies, copies, 501, "NotImplemented"},
	} {
		if rule.on && rule.broken {
			return rule.status, rule.code
		}
	}
	return 0, ""
}

func hasPrefix(h http.Header, prefixes ...string) bool {
	for name := range h {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
	}
	return false
}

func hasEmpty(h http.Header) bool {
	for _, values := range h {
		if strings.Join(values, "") == "" {
			return true
		}
	}
	return false
}

func longSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) > 255 {
			return true
		}
	}
	return false
}

func plainTags(header string) bool {
	tags, err := url.ParseQuery(header)
	if err != nil || len(tags) > 10 {
		return false
	}
	for key, values := range tags {
		if len(values) != 1 || !plainTag.MatchString(key) || !plainTag.MatchString(values[0]) {
			return false
		}
	}
	return true
}
