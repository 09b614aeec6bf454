package chaostest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is the API server as its administrator sees it, past all proxies.
type cluster struct {
	url  string
	http *http.Client
}

func openCluster(kubeconfig string) (*cluster, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	client.Timeout = 10 * time.Second
	return &cluster{url: cfg.Host, http: client}, nil
}

// do sends one request with a JSON body and decodes the answer into into; both
// may be nil. The status is 0 if there was no answer.
func (c *cluster) do(method, path string, body, into any) (int, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, c.url+path, content)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode >= 300 {
		return resp.StatusCode, fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, text)
	}
	if into == nil {
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(text, into)
}

// must is do for what has to succeed, though the servers may still be waking up.
func (c *cluster) must(t testing.TB, method, path string, body, into any) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		status, err := c.do(method, path, body, into)
		if err == nil || method == http.MethodPost && status == http.StatusConflict || method == http.MethodDelete && status == http.StatusNotFound {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
