package chaostest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const podsKey = "/registry/pods/"

// change is one state of a pod as etcd has stored it, or its end.
type change struct {
	revision  int64 // of the change; a pod's resourceVersion is that of its last put
	namespace string
	pod       string
	value     []byte // of a put
	// last is what the end has ended, and lastRevision its resourceVersion.
	last         []byte
	lastRevision int64
}

// watchEtcd passes on every change of every pod from revision on, in order. It
// goes on where it was when etcd was away.
func watchEtcd(ctx context.Context, url string, revision int64, see func(change) error) error {
	for ctx.Err() == nil {
		next, err := watchOnce(ctx, url, revision, see)
		if err != nil {
			return err
		}
		revision = next
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// watchOnce watches until the connection ends and tells where to go on.
func watchOnce(ctx context.Context, url string, revision int64, see func(change) error) (int64, error) {
	encode := func(key string) string { return base64.StdEncoding.EncodeToString([]byte(key)) }
	request := fmt.Sprintf(`{"create_request":{"key":%q,"range_end":%q,"start_revision":"%d","prev_kv":true}}`,
		encode(podsKey), encode(strings.TrimSuffix(podsKey, "/")+"0"), revision)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v3/watch", strings.NewReader(request))
	if err != nil {
		return revision, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return revision, nil // etcd is away
	}
	defer resp.Body.Close()
	for answers := json.NewDecoder(resp.Body); ; {
		var answer struct {
			Result struct {
				CompactRevision string `json:"compact_revision"`
				Events          []event
			}
		}
		if err := answers.Decode(&answer); err != nil {
			return revision, nil
		}
		if answer.Result.CompactRevision != "" {
			return revision, fmt.Errorf("etcd has forgotten what came after revision %d", revision)
		}
		for _, e := range answer.Result.Events {
			c, err := e.change()
			if err == nil {
				err = see(c)
			}
			if err != nil {
				return revision, err
			}
			revision = c.revision + 1
		}
	}
}

type event struct {
	Type   string
	KV     keyValue
	PrevKV keyValue `json:"prev_kv"`
}

type keyValue struct {
	Key, Value  []byte
	ModRevision string `json:"mod_revision"`
}

func (e event) change() (change, error) {
	namespace, pod, _ := strings.Cut(strings.TrimPrefix(string(e.KV.Key), podsKey), "/")
	revision, err := strconv.ParseInt(e.KV.ModRevision, 10, 64)
	c := change{revision: revision, namespace: namespace, pod: pod, value: e.KV.Value}
	if err == nil && e.Type == "DELETE" {
		c.value, c.last = nil, e.PrevKV.Value
		c.lastRevision, err = strconv.ParseInt(e.PrevKV.ModRevision, 10, 64)
	}
	return c, err
}

// etcdRevision is the newest revision.
func etcdRevision(url string) (int64, error) {
	resp, err := http.Post(url+"/v3/kv/range", "application/json", strings.NewReader(`{"key":"AA=="}`))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var answer struct{ Header struct{ Revision string } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, err
	}
	return strconv.ParseInt(answer.Header.Revision, 10, 64)
}

// decodePod reads a pod as the API server stores it.
func decodePod(value []byte) (*corev1.Pod, error) {
	text, ok := bytes.CutPrefix(value, []byte("k8s\x00"))
	if !ok {
		return nil, fmt.Errorf("not in the API server's binary form: %.20q", value)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("decode envelope: %w", err)
	}
	var pod corev1.Pod
	if err := pod.Unmarshal(envelope.Raw); err != nil {
		return nil, fmt.Errorf("decode pod: %w", err)
	}
	return &pod, nil
}
