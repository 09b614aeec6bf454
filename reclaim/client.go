package reclaim

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster is the Kubernetes API as this program uses it: all that is archived is got
// as JSON and kept as it came, since typed clients drop fields that they do not know.
type Cluster struct {
	rest *rest.RESTClient
	// Namespace is the one this program runs in, or that of the kubeconfig.
	Namespace string
	clock     *serverClock
}

// Connect makes a client for the cluster this program runs in, else for the one
// of KUBECONFIG. It sends no request. wrap, if set, is put around the transport.
func Connect(userAgent string, wrap func(http.RoundTripper) http.RoundTripper) (*Cluster, error) {
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{})
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: not in a pod, and KUBECONFIG is no help: %w", err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("find own namespace: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register core/v1: %w", err)
	}
	clock := &serverClock{}
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	cfg.UserAgent = userAgent
	cfg.QPS = -1 // the API server's own flow control (429, Retry-After) is the limit
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.Wrap(clock.wrap)
	if wrap != nil {
		cfg.Wrap(wrap)
	}
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return &Cluster{rest: client, Namespace: namespace, clock: clock}, nil
}

// serverClock notes the Date of the API server's last answer.
type serverClock struct{ unix atomic.Int64 }

func (c *serverClock) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return resp, err
		}
		if date, bad := http.ParseTime(resp.Header.Get("Date")); bad == nil {
			c.unix.Store(date.Unix())
		}
		return resp, nil
	})
}

// last is the noted time, zero if the server told none.
func (c *serverClock) last() time.Time {
	if unix := c.unix.Load(); unix != 0 {
		return time.Unix(unix, 0)
	}
	return time.Time{}
}

// errReadOnly is what a request to write gets in a dry run.
var errReadOnly = errors.New("dry run: this request would write")

// accessReview is the one POST that writes nothing.
const accessReview = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// ReadOnly lets only requests through that read; access reviews are of those.
func ReadOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		read := req.Method == http.MethodGet || req.Method == http.MethodHead
		if read || req.Method == http.MethodPost && req.URL.Path == accessReview {
			return next.RoundTrip(req)
		}
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, errReadOnly)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
