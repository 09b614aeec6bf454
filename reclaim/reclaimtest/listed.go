package reclaimtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// Listed counts the terminated pods in the list answers of entries, each UID
// once.
func Listed(entries []archivetest.Entry) int {
	seen := map[types.UID]bool{}
	for _, e := range entries {
		if e.Server != "api" || e.Method != http.MethodGet || e.Status != http.StatusOK || !strings.HasSuffix(e.Path, "/pods") {
			continue
		}
		answer, _, err := scheme.Codecs.UniversalDeserializer().Decode(plain(e), nil, nil)
		page, ok := answer.(*corev1.PodList)
		if err != nil || !ok {
			continue
		}
		for _, pod := range page.Items {
			if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
				seen[pod.UID] = true
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
