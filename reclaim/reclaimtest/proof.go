package reclaimtest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// What a put asks for and the store must confirm.
const (
	lockMode  = "X-Amz-Object-Lock-Mode"
	lockUntil = "X-Amz-Object-Lock-Retain-Until-Date"
	sse       = "X-Amz-Server-Side-Encryption"
)

// unproven says what the store has not confirmed, in this run, of what was put.
func unproven(after []archivetest.Entry, put archivetest.Entry) string {
	md5sum, sha := md5.Sum(put.Body), sha256.Sum256(put.Body)
	bytesProven, tagsProven := false, put.Header.Get("X-Amz-Tagging") == ""
	lockProven, sseProven := put.Header.Get(lockMode) == "", put.Header.Get(sse) == ""
	for _, e := range after {
		switch {
		case e.Method == http.MethodGet && e.Query.Has("tagging"):
			tagsProven = bytes.Contains(e.AnswerBody, []byte("<Key>retention</Key>")) && bytes.Contains(e.AnswerBody, []byte(retainUntilTag(put)))
		case e.Method == http.MethodGet && e.Query.Has("retention"):
			lockProven = bytes.Contains(e.AnswerBody, []byte(put.Header.Get(lockMode))) && bytes.Contains(e.AnswerBody, []byte(put.Header.Get(lockUntil)))
		case e.Method == http.MethodHead:
			lockProven = lockProven || e.Answer.Get(lockMode) == put.Header.Get(lockMode) && e.Answer.Get(lockUntil) == put.Header.Get(lockUntil)
			sseProven = sseProven || e.Answer.Get(sse) == put.Header.Get(sse)
			bytesProven = bytesProven || strings.Trim(e.Answer.Get("ETag"), `"`) == hex.EncodeToString(md5sum[:])
		case e.Method == http.MethodGet:
			bytesProven = bytesProven || sha256.Sum256(e.AnswerBody) == sha
		}
	}
	switch {
	case !bytesProven:
		return "the store never confirmed the bytes of its bundle"
	case !tagsProven || !lockProven:
		return "the store never confirmed the retention of its bundle"
	case !sseProven:
		return "the store never confirmed the encryption of its bundle"
	}
	return ""
}

// retainUntilTag is the tag that the bundle must have, computed from its class
// in the key and the time at which it was archived.
func retainUntilTag(put archivetest.Entry) string {
	class := strings.Split(put.Path[strings.Index(put.Path, "/pods/"):], "/")[2]
	date := "never"
	if class != "forever" {
		var days int
		fmt.Sscanf(class, "%dd", &days)
		at, err := time.Parse(time.RFC3339, put.Header.Get("X-Amz-Meta-Archived-At"))
		if err != nil {
			return "no time of archiving"
		}
		y, m, d := at.UTC().Date()
		date = time.Date(y, m, d+days+1, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
	}
	return "<Value>" + date + "</Value>"
}
