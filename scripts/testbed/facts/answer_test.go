package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// answer is what a client of the API server gets for a log request.
type answer struct {
	code int
	body string
	// kind and message are those of a refusal.
	kind, message string
}

func (a answer) String() string {
	if a.code >= 400 {
		return fmt.Sprintf("%d kind %q: %s", a.code, a.kind, a.message)
	}
	return fmt.Sprintf("%d with %d bytes: %.200q", a.code, len(a.body), a.body)
}

// log asks for a log, as the query says, and reads the whole answer.
func (c *cluster) log(t *testing.T, pod, query string) answer {
	t.Helper()
	resp, err := c.openLog(t.Context(), pod, query)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{code: resp.StatusCode, body: string(body)}
	if a.code >= 400 {
		var status metav1.Status
		if err := json.Unmarshal(body, &status); err != nil {
			t.Fatalf("%d with a body that is no Status: %q", a.code, body)
		}
		if a.message = status.Message; status.Details != nil {
			a.kind = status.Details.Kind
		}
	}
	return a
}

// openLog sends the request by plain HTTP, so that no client library retries it
// or explains it away.
func (c *cluster) openLog(ctx context.Context, pod, query string) (*http.Response, error) {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/log?%s", c.config.Host, c.namespace, pod, query)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

// served waits until the log is answered with exactly this text.
func (c *cluster) served(t *testing.T, pod, query, want string) {
	t.Helper()
	eventually(t, fmt.Sprintf("the log of pod %s is served", pod), func() error {
		if a := c.log(t, pod, query); a.code != 200 || a.body != want {
			return fmt.Errorf("%v", a)
		}
		return nil
	})
}

// answered waits for an answer of this kind.
func (c *cluster) answered(t *testing.T, pod, query, what string, is func(answer) bool) answer {
	t.Helper()
	var a answer
	eventually(t, fmt.Sprintf("the log of pod %s: %s", pod, what), func() error {
		if a = c.log(t, pod, query); !is(a) {
			return fmt.Errorf("%v", a)
		}
		return nil
	})
	return a
}
