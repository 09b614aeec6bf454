package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// replayer sends what the program sends for its pods, and does nothing between:
// no decoding, no archive, no checks. All is signed and made ready before.
type replayer struct {
	b          *bench
	api, store *http.Client
	host       string // of the API server
	mu         sync.Mutex
	sent       map[string]int
	failed     error // the first
}

// replay does the pods of the namespaces, with as many in flight as the program
// has, as many requests beside as it had (owners, events), and bundles as large as
// its were on average.
func (b *bench) replay(namespaces []string, product measured) measured {
	b.b.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		b.b.Fatal(err)
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		b.b.Fatal(err)
	}
	r := &replayer{
		b: b, api: &http.Client{Transport: transport}, host: strings.TrimSuffix(cfg.Host, "/"), sent: map[string]int{},
		store: &http.Client{Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true}},
	}
	body := bytes.Repeat([]byte("0123456789abcdef"), product.bytes/product.pods/16+1)
	pods, pages := r.list(namespaces)
	ready := make([][]*http.Request, len(pods))
	for i := range pods {
		ready[i] = r.requests(&pods[i], body)
	}
	beside := product.requests["api GET"]*len(pods)/product.pods - r.sent["api GET"] // list pages
	for _, requests := range ready {
		for _, req := range requests {
			if req.URL.Host != r.storeURL().Host && req.Method == http.MethodGet {
				beside--
			}
		}
	}
	for i := range max(beside, 0) {
		at := i % len(ready)
		ready[at] = append([]*http.Request{r.apiRequest(http.MethodGet, "/api/v1/namespaces/"+pods[at].Namespace, nil)}, ready[at]...)
	}

	clear(r.sent)
	watch, cpu := b.servers.start(), ownCPU(b.b)
	for _, page := range pages {
		r.send(page)
	}
	queue := make(chan []*http.Request)
	var workers sync.WaitGroup
	for range b.concurrency {
		workers.Go(func() {
			for requests := range queue {
				for _, req := range requests {
					r.send(req)
				}
			}
		})
	}
	for _, requests := range ready {
		queue <- requests
	}
	close(queue)
	workers.Wait()
	m := watch.stop()
	if r.failed != nil {
		b.b.Fatal(r.failed)
	}
	m.pods, m.cpu, m.requests = len(pods), ownCPU(b.b)-cpu, maps.Clone(r.sent)
	return m
}

// list is the pods of the namespaces, and the requests that give them: in pages of
// the program's size and form.
func (r *replayer) list(namespaces []string) (pods []corev1.Pod, pages []*http.Request) {
	for _, ns := range namespaces {
		for token := ""; ; {
			query := url.Values{"limit": {"500"}, "fieldSelector": {"status.phase!=Pending,status.phase!=Running,status.phase!=Unknown"}, "continue": {token}}
			page := func() *http.Request {
				req := r.apiRequest(http.MethodGet, "/api/v1/namespaces/"+ns+"/pods?"+query.Encode(), nil)
				req.Header.Set("Accept", "application/vnd.kubernetes.protobuf,application/json")
				return req
			}
			answer, _, err := scheme.Codecs.UniversalDeserializer().Decode(r.send(page()), nil, nil)
			list, ok := answer.(*corev1.PodList)
			if err != nil || !ok {
				r.b.b.Fatalf("%T, %v", answer, err)
			}
			pods, pages = append(pods, list.Items...), append(pages, page())
			if token = list.Continue; token == "" {
				break
			}
		}
	}
	// The program takes the oldest first. Pods that say that they ended before they
	// were made, as the seeded ones do, count as ended when they were made.
	slices.SortStableFunc(pods, func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return pods, pages
}

// requests are those of one pod, in order.
func (r *replayer) requests(pod *corev1.Pod, body []byte) []*http.Request {
	path := "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name
	key := fmt.Sprintf("replay/%s/pods/7d/%s/%s/%s_%s.tar.zst", r.b.env["ARCHIVE_CLUSTER"], pod.Namespace, pod.Name, pod.UID, pod.ResourceVersion)
	all := []*http.Request{r.storeRequest(http.MethodHead, key, "", nil, nil)}
	restarts := map[string]int32{}
	for _, s := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		restarts[s.Name] = s.RestartCount
	}
	for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		for _, previous := range []string{"false", "true"} {
			if previous == "true" && restarts[c.Name] == 0 {
				continue
			}
			log := path + "/log?timestamps=true&container=" + c.Name + "&previous=" + previous
			all = append(all, r.apiRequest(http.MethodGet, log, nil))
			if pod.Status.Reason != "Evicted" { // whose log is refused
				all = append(all, r.apiRequest(http.MethodGet, log+"&tailLines=1", nil))
			}
		}
	}
	sum, now := md5.Sum(body), time.Now().UTC().Format(time.RFC3339)
	del := fmt.Sprintf(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":%q,"resourceVersion":%q}}`, pod.UID, pod.ResourceVersion)
	gone := r.apiRequest(http.MethodDelete, path, []byte(del))
	gone.Header.Set("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json")
	return append(all,
		r.apiRequest(http.MethodGet, path, nil),
		r.storeRequest(http.MethodPut, key, "", body, http.Header{
			"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}, "If-None-Match": {"*"}, "Content-Type": {"application/zstd"},
			"X-Amz-Tagging": {"retain-until=2099-01-01&retention=7d"}, "X-Amz-Meta-Uid": {string(pod.UID)}, "X-Amz-Meta-Resource-Version": {pod.ResourceVersion},
			"X-Amz-Meta-Size": {fmt.Sprint(len(body))}, "X-Amz-Meta-Md5": {hex.EncodeToString(sum[:])}, "X-Amz-Meta-Sha256": {strings.Repeat("0", 64)},
			"X-Amz-Meta-Schema": {"2"}, "X-Amz-Meta-Phase": {string(pod.Status.Phase)}, "X-Amz-Meta-Logs": {"complete"}, "X-Amz-Meta-Finished-At": {now},
			"X-Amz-Meta-Archived-At": {now}, "X-Amz-Meta-Retain-Until": {now},
		}),
		r.storeRequest(http.MethodHead, key, "", nil, nil),
		r.storeRequest(http.MethodGet, key, "tagging=", nil, nil),
		gone,
	)
}

func (r *replayer) apiRequest(method, path string, body []byte) *http.Request {
	req, err := http.NewRequest(method, r.host+path, bytes.NewReader(body))
	if err != nil {
		r.b.b.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	return req
}

func (r *replayer) storeURL() *url.URL {
	u, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL_S3"))
	if err != nil {
		r.b.b.Fatal(err)
	}
	return u
}

func (r *replayer) storeRequest(method, key, query string, body []byte, header http.Header) *http.Request {
	u := r.storeURL().JoinPath(os.Getenv("TESTBED_BUCKET"), key)
	u.RawQuery = query
	req, err := http.NewRequest(method, u.String(), bytes.NewReader(body))
	if err != nil {
		r.b.b.Fatal(err)
	}
	maps.Copy(req.Header, header)
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	req.Header.Set("X-Amz-Content-Sha256", hash)
	keys := aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}
	if err := v4.NewSigner().SignHTTP(context.Background(), keys, req, hash, "s3", "us-east-1", time.Now()); err != nil {
		r.b.b.Fatal(err)
	}
	return req
}

// send sends a request and drains the answer. A HEAD before the PUT finds nothing,
// an evicted pod has no log; all else must be there.
func (r *replayer) send(req *http.Request) []byte {
	server, client := "api", r.api
	if req.Header.Get("X-Amz-Content-Sha256") != "" {
		server, client = "store", r.store
	}
	var answer []byte
	resp, err := client.Do(req)
	if err == nil {
		answer, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		expected := req.Method == http.MethodHead || strings.HasSuffix(req.URL.Path, "/log")
		if err == nil && resp.StatusCode >= 300 && !expected {
			err = fmt.Errorf("%s %s: %s: %s", req.Method, req.URL, resp.Status, answer)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[server+" "+req.Method]++
	if err != nil && r.failed == nil {
		r.failed = err
	}
	return answer
}
