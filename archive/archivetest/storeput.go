package archivetest

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Headers of an object that a store must keep.
const (
	lockMode  = "X-Amz-Object-Lock-Mode"
	lockUntil = "X-Amz-Object-Lock-Retain-Until-Date"
	sseKind   = "X-Amz-Server-Side-Encryption"
	sseKey    = "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"
)

func (s *Store) put(w http.ResponseWriter, req *http.Request, key string, body []byte) {
	sum := md5.Sum(body)
	if sent := req.Header.Get("Content-MD5"); sent != "" && sent != base64.StdEncoding.EncodeToString(sum[:]) {
		Refuse(w, http.StatusBadRequest, "BadDigest")
		return
	}
	s.keep(w, req, key, body)
}

// copy stores the bytes of another object with the headers of the request, all
// of them replaced.
func (s *Store) copy(w http.ResponseWriter, req *http.Request, key string) {
	source, err := url.PathUnescape(strings.TrimPrefix(req.Header.Get("X-Amz-Copy-Source"), "/"))
	from := s.seen(strings.TrimPrefix(source, s.Bucket+"/"))
	switch {
	case err != nil || from == nil:
		Refuse(w, http.StatusNotFound, "NoSuchKey")
	case req.Header.Get("X-Amz-Metadata-Directive") != "REPLACE":
		Refuse(w, http.StatusBadRequest, "InvalidRequest")
	default:
		s.keep(w, req, key, bytes.Clone(from.Body))
	}
}

func (s *Store) keep(w http.ResponseWriter, req *http.Request, key string, body []byte) {
	tags, err := url.ParseQuery(req.Header.Get("X-Amz-Tagging"))
	if err != nil {
		Refuse(w, http.StatusBadRequest, "InvalidTag")
		return
	}
	o := &Stored{Body: body, Metadata: map[string]string{}, Tags: tags, Header: http.Header{}, Stored: time.Now().Add(s.Journal.ahead())}
	for name := range req.Header {
		if meta, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-meta-"); ok {
			o.Metadata[meta] = req.Header.Get(name)
		}
	}
	for _, name := range []string{lockMode, lockUntil, sseKind} {
		if value := req.Header.Get(name); value != "" {
			o.Header.Set(name, value)
		}
	}
	if req.Header.Get(sseKind) == "aws:kms" { // whose ETag is not the MD5
		o.Header.Set(sseKey, "arn:aws:kms:us-east-1:1:key/"+req.Header.Get(sseKey))
		o.Header.Set("ETag", `"0123456789abcdef0123456789abcdef"`)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Header.Get(lockMode) != "" && !s.objectLock {
		Refuse(w, http.StatusBadRequest, "InvalidRequest")
		return
	}
	if s.objects[key] != nil && req.Header.Get("If-None-Match") == "*" && !s.strict.IgnoresConditions {
		Refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	w.Header().Set("ETag", o.etag())
	if s.lie != nil {
		s.lie(key, o)
	}
	if !o.Lost {
		s.objects[key], s.keys = o, nil
	}
	if req.Header.Get("X-Amz-Copy-Source") != "" {
		fmt.Fprintf(w, "<CopyObjectResult><ETag>%s</ETag></CopyObjectResult>", o.etag())
	}
}

func (o *Stored) etag() string {
	sum := md5.Sum(o.Body)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}
