package reclaimtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// Listed counts the terminated pods in the list answers of entries, each UID
// once.
func Listed(entries []archivetest.Entry) int {
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Server != "api" || e.Method != http.MethodGet || e.Status != http.StatusOK || !strings.HasSuffix(e.Path, "/pods") {
			continue
		}
		var page struct {
			Items []struct {
				Metadata struct{ UID string }
				Status   struct{ Phase string }
			}
		}
		if json.Unmarshal(plain(e), &page) != nil {
			continue
		}
		for _, item := range page.Items {
			if item.Status.Phase == "Succeeded" || item.Status.Phase == "Failed" {
				seen[item.Metadata.UID] = true
			}
		}
	}
	return len(seen)
}

// plain is an answer's body; a real API server compresses large ones.
func plain(e archivetest.Entry) []byte {
	if e.Answer.Get("Content-Encoding") != "gzip" {
		return e.AnswerBody
	}
	r, err := gzip.NewReader(bytes.NewReader(e.AnswerBody))
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return body
}
