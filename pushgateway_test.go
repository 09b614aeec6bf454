package main

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// pushgateway is one in memory: a push replaces the metrics of the same names in
// its group, as in the real one.
type pushgateway struct {
	*httptest.Server
	mu     sync.Mutex
	groups map[string]map[string]*dto.MetricFamily
	users  []string
}

func newPushgateway(t testing.TB) *pushgateway {
	p := &pushgateway{groups: map[string]map[string]*dto.MetricFamily{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		pushed, err := families(req)
		group, ok := groupOf(req.URL.Path)
		if err != nil || !ok || req.Method != http.MethodPost {
			t.Errorf("%s %s: %v", req.Method, req.URL, err)
			http.Error(w, "no push", http.StatusBadRequest)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		user, password, _ := req.BasicAuth()
		p.users = append(p.users, user+":"+password)
		if p.groups[group] == nil {
			p.groups[group] = map[string]*dto.MetricFamily{}
		}
		maps.Copy(p.groups[group], pushed)
	}))
	t.Cleanup(p.Close)
	return p
}

// groupOf is "cluster=c job=j shard=0" of a path: the order of the labels in it
// means nothing.
func groupOf(path string) (string, bool) {
	labels, ok := strings.CutPrefix(path, "/metrics/")
	var group []string
	for pair := range slices.Chunk(strings.Split(labels, "/"), 2) {
		group = append(group, strings.Join(pair, "="))
	}
	slices.Sort(group)
	return strings.Join(group, " "), ok
}

func families(req *http.Request) (map[string]*dto.MetricFamily, error) {
	decoder := expfmt.NewDecoder(req.Body, expfmt.ResponseFormat(req.Header))
	all := map[string]*dto.MetricFamily{}
	for {
		family := &dto.MetricFamily{}
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all[family.GetName()] = family
	}
}

// value is one gauge of a group, or the count of one histogram or counter; labels
// are "name=value". ok tells whether it is there.
func (p *pushgateway) value(group, name string, labels ...string) (value float64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.groups[group]["pod_reclaimer_"+name].GetMetric() {
		var has []string
		for _, l := range m.GetLabel() {
			has = append(has, l.GetName()+"="+l.GetValue())
		}
		if !slices.Equal(has, labels) {
			continue
		}
		return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()), true
	}
	return 0, false
}

// A Pushgateway that does not take the metrics changes nothing but that a line
// says so, without name and password.
func TestPushgatewayThatFails(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	answers := map[string]http.HandlerFunc{
		"refuses": func(rw http.ResponseWriter, _ *http.Request) {
			http.Error(rw, "text format parsing error", http.StatusBadRequest)
		},
		"forbids":   func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusUnauthorized) },
		"redirects": func(rw http.ResponseWriter, req *http.Request) { http.Redirect(rw, req, "/", http.StatusFound) },
		"is slow":   func(http.ResponseWriter, *http.Request) { <-hang },
		"is cut":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is down":   nil,
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
				if strings.HasPrefix(req.URL.Path, "/metrics/") {
					answer(rw, req)
				}
			}))
			if answer == nil {
				server.Close()
			} else {
				t.Cleanup(server.CloseClientConnections)
			}
			w := newStubs(t)
			w.secrets = append(w.secrets, "hunter2-secret", "metrics-user")
			u, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			u.User = url.UserPassword("metrics-user", "hunter2-secret")
			w.addPods(2)
			e := w.run("RECLAIM_PUSHGATEWAY_URL="+u.String(), pushWait+"=300ms")
			e.expect(t, 0, "all deleted, and a line", e.summary.Deleted == 2 && strings.Contains(e.output, "push metrics to RECLAIM_PUSHGATEWAY_URL"))
		})
	}
}

// Name and password in the URL are sent as such; a name alone, too.
func TestPushgatewayCredentials(t *testing.T) {
	w, p := newStubs(t), newPushgateway(t)
	for _, user := range []string{"metrics:hunter2@", "token@", ""} {
		w.run("RECLAIM_PUSHGATEWAY_URL="+strings.Replace(p.URL, "//", "//"+user, 1)).expect(t, 0, "nothing to do", true)
	}
	if want := []string{"metrics:hunter2", "token:", ":"}; !slices.Equal(p.users, want) {
		t.Errorf("users %q, want %q", p.users, want)
	}
}
