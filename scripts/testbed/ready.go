package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func portFlag(flag string, t *testbed, port string) string {
	return fmt.Sprintf("--%s=%d", flag, t.Ports[port])
}

// answers is a readiness check: the part answers 200 at this path.
func (t *testbed) answers(scheme, port, path string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := t.ask(ctx, t.url(scheme, port)+path)
		return err
	}
}

// ask gets a page as administrator; the API server and the kubelet want to
// know who asks, the others do not.
func (t *testbed) ask(ctx context.Context, url string) (string, error) {
	client, err := t.probe()
	if err != nil {
		return "", err
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s: %.500s", url, resp.Status, strings.TrimSpace(string(body)))
	}
	return string(body), nil
}

// probe asks health pages; it proves nothing about certificates (the cluster's
// own clients do that) and uses no proxy.
func (t *testbed) probe() (*http.Client, error) {
	admin, err := tls.LoadX509KeyPair(t.pki("admin.crt"), t.pki("admin.key"))
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true,
		Certificates:       []tls.Certificate{admin},
	}}}, nil
}
