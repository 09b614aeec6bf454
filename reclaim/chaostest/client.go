package chaostest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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

// do sends one request with a JSON body, which may be nil. The status is 0 if
// there was no answer.
func (c *cluster) do(method, path string, body any) (int, error) {
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
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, text)
	}
	return resp.StatusCode, err
}

// try sends a request once.
func (c *cluster) try(method, path string, body any) error {
	_, err := c.do(method, path, body)
	return err
}

// insist sends a request until it is done: the servers may still be waking up.
func (c *cluster) insist(method, path string, body any) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		status, err := c.do(method, path, body)
		switch {
		case err == nil,
			method == http.MethodPost && status == http.StatusConflict,
			method == http.MethodDelete && status == http.StatusNotFound:
			return nil
		case time.Now().After(end):
			return err
		}
	}
}
