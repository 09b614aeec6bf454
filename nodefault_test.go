package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The kubelet dies in the middle of a large log. The API server relays that as a
// clean end of the answer; it is not taken for the end of the log, whether the
// kubelet is there again when the end is asked for, or not.
func TestKubeletKilledInMidLogOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	mendAtEnd(t)
	b.nodePod("big", "echo placeholder")
	b.waitAllEnded()
	b.nodePod("other", "echo a line") // ends later, so that its turn is later
	b.waitAllEnded()
	const lines = 12_800
	b.writeLogFile("big", func(yield func(string) bool) {
		for n := range lines {
			if !yield(fmt.Sprint(n, strings.Repeat(" a line of 4 KB", 273))) {
				return
			}
		}
	})

	cut := b.cutLog()
	b.onLogOf("big", func(rw http.ResponseWriter, req *http.Request) bool { return cut(rw, req, false) })
	e := b.run("RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "both kept: one unconfirmed, one unreachable", e.summary.Kept["log-wait"] == 2 && e.summary.Provisional == 2)
	b.outcomes(map[string]string{"big": "main:unconfirmed", "other": "main:unavailable"})
	bundle, _ := b.bundle("big")
	if n := len(bundle.Files["logs/main.log"]); n == 0 || n > 50<<20 {
		t.Errorf("%d bytes of the log came", n)
	}
	e = b.run("RECLAIM_LOG_GRACE=1ms")
	e.expect(t, 0, "kept, also after the grace: the node is Ready", e.summary.Kept["log-wait"] == 2)
	b.mend()

	cut = b.cutLog()
	b.onLogOf("big", func(rw http.ResponseWriter, req *http.Request) bool { return cut(rw, req, true) })
	e = b.run("RECLAIM_CONCURRENCY=1")
	e.expect(t, 0, "both deleted with their logs", e.summary.Deleted == 2 && e.summary.Logs["complete"] == 2)
	bundle, _ = b.bundle("big")
	if log := bundle.Files["logs/main.log"]; len(log) < 50<<20 || bytes.Count(log, []byte("\n")) != lines {
		t.Errorf("%d bytes are stored as the whole log", len(log))
	}
}

// onLogOf lets f answer log requests for a pod; it returns false to let them
// pass.
func (b *bed) onLogOf(pod string, f func(rw http.ResponseWriter, req *http.Request) bool) {
	b.journal.Before(func(server string, rw http.ResponseWriter, req *http.Request) bool {
		return server == "api" && strings.HasSuffix(req.URL.Path, "/"+pod+"/log") && f(rw, req)
	})
}

// awaitTail waits until the end of a log is served.
func awaitTail(client *http.Client, url string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		resp, err := client.Get(url + "&tailLines=1")
		if err != nil {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == http.StatusOK && bytes.HasPrefix(body, []byte("20")) { // a year
			return
		}
	}
}

// cutLog passes the first request for a log on, kills the kubelet when some of
// the answer has come, and passes on what still comes: as long as nobody reads,
// the rest cannot be under way. With mend the kubelet is well again before the
// answer ends.
func (b *bed) cutLog() func(rw http.ResponseWriter, req *http.Request, mend bool) bool {
	b.t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		b.t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	var once atomic.Bool
	return func(rw http.ResponseWriter, req *http.Request, mend bool) bool {
		if once.Swap(true) {
			return false
		}
		resp, err := client.Get(cfg.Host + req.URL.RequestURI())
		if err != nil {
			b.t.Error(err)
			return false
		}
		defer resp.Body.Close()
		if _, err := io.CopyN(rw, resp.Body, 64<<10); err != nil {
			b.t.Errorf("the beginning of the log: %v", err)
		}
		err = testbed("kill", "kubelet")
		if err == nil && mend {
			err = testbed("up", "--node")
			awaitTail(client, cfg.Host+req.URL.RequestURI())
		}
		if err != nil {
			b.t.Error(err)
		}
		if _, err := io.Copy(rw, resp.Body); err != nil {
			b.t.Errorf("the end is not clean: %v", err)
		}
		return true
	}
}
