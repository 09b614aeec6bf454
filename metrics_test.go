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

func newPushgateway(t *testing.T) *pushgateway {
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

const theGroup = "cluster=test job=pod-reclaimer shard=0"

// A run pushes what its summary says, with times, ages and requests, in the group
// of its cluster and shard.
func TestMetricsOfARun(t *testing.T) {
	w, p := newStubs(t), newPushgateway(t)
	w.addPods(3)
	w.api.Add(ranPod("held", annotated("pod-reclaimer/hold", "true")))
	w.api.Add(ranPod("waits"))
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		unreachable := strings.HasSuffix(req.URL.Path, "/pods/waits/log")
		if unreachable {
			rw.WriteHeader(http.StatusBadGateway)
		}
		return unreachable
	})
	e := w.run("RECLAIM_PUSHGATEWAY_URL=" + p.URL)
	e.expect(t, 0, "three deleted, one held, one waiting", e.summary.Deleted == 3 && e.summary.Kept["hold"] == 1 && e.summary.Kept["log-wait"] == 1)
	requests := func(server, method string) float64 {
		n := 0
		for _, entry := range w.journal.Entries() {
			if entry.Server == server && entry.Method == method && entry.Status == http.StatusOK {
				n++
			}
		}
		return float64(n)
	}
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"pods", []string{"outcome=deleted", "reason="}, 3},
		{"pods", []string{"outcome=kept", "reason=hold"}, 1},
		{"pods", []string{"outcome=kept", "reason=log-wait"}, 1},
		{"pods", []string{"outcome=failed", "reason="}, 0},
		{"archived_pods", nil, 4},
		{"provisional_bundles", nil, 1},
		{"logs", []string{"outcome=complete"}, 4},
		{"logs", []string{"outcome=unavailable"}, 0},
		{"deleted_without_logs", nil, 0},
		{"request_duration_seconds", []string{"code=200", "method=delete", "server=api"}, 3},
		{"request_duration_seconds", []string{"code=200", "method=put", "server=store"}, requests("store", http.MethodPut)},
		{"requests_without_answer_total", []string{"server=api"}, 0},
	} {
		if got, ok := p.value(theGroup, c.name, c.labels...); !ok || got != c.want {
			t.Errorf("%s%v is %v (there: %v), want %v", c.name, c.labels, got, ok, c.want)
		}
	}
	for name, labels := range map[string][]string{
		"run_start_timestamp_seconds": nil, "last_success_timestamp_seconds": nil, "run_duration_seconds": nil,
		"oldest_kept_pod_age_seconds": nil, "oldest_waiting_pod_age_seconds": nil,
		"bytes": {"kind=bundles"},
	} {
		if got, _ := p.value(theGroup, name, labels...); got <= 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
	if waiting, _ := p.value(theGroup, "oldest_waiting_pod_age_seconds"); waiting < 3600 || waiting > 7200 {
		t.Errorf("the pod that waits ended an hour ago, its age is %v", waiting)
	}
}

// Each shard has its own group.
func TestMetricsOfAShard(t *testing.T) {
	w, p := newStubs(t), newPushgateway(t)
	w.run("RECLAIM_PUSHGATEWAY_URL="+p.URL, "RECLAIM_SHARDS=3", "JOB_COMPLETION_INDEX=2").expect(t, 0, "nothing to do", true)
	if _, ok := p.value("cluster=test job=pod-reclaimer shard=2", "last_success_timestamp_seconds"); !ok || len(p.groups) != 1 {
		t.Errorf("groups: %v", slices.Collect(maps.Keys(p.groups)))
	}
}

// A run that fails leaves the time of the last success as it was, and the next
// good one leaves nothing of the failures.
func TestMetricsOfAFailedRun(t *testing.T) {
	w, p := newStubs(t), newPushgateway(t)
	w.env["RECLAIM_PUSHGATEWAY_URL"] = p.URL
	w.run().expect(t, 0, "nothing to do", true)
	success, _ := p.value(theGroup, "last_success_timestamp_seconds")
	started, _ := p.value(theGroup, "run_start_timestamp_seconds")
	w.api.Add(ranPod("a"))
	for _, c := range []struct {
		env  string
		code int
	}{{"ARCHIVE_BUCKET=another", 1}, {"KUBECONFIG=/does/not/exist", 1}, {"AWS_ENDPOINT_URL_S3=http://127.0.0.1:1", 1}, {"", 3}} {
		w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/pods/") {
				rw.WriteHeader(http.StatusForbidden)
				return true
			}
			return false
		})
		w.run(strings.Fields(c.env)...).expect(t, c.code, "a failure", true)
		if now, _ := p.value(theGroup, "last_success_timestamp_seconds"); now != success {
			t.Errorf("%s: a failed run counts as a success", c.env)
		}
		now, _ := p.value(theGroup, "run_start_timestamp_seconds")
		if now <= started {
			t.Errorf("%s: the failed run has no start", c.env)
		}
		started = now
	}
	if failed, _ := p.value(theGroup, "pods", "outcome=failed", "reason=put"); failed != 1 {
		t.Errorf("%v failed", failed)
	}
	w.journal.Before(nil)
	w.run().expect(t, 0, "deleted", true)
	if now, _ := p.value(theGroup, "last_success_timestamp_seconds"); now <= success {
		t.Error("the good run is no success")
	}
	if _, ok := p.value(theGroup, "pods", "outcome=failed", "reason=put"); ok {
		t.Error("the failure stays")
	}
}

// A dry run pushes nothing.
func TestMetricsOfADryRun(t *testing.T) {
	w, p := newStubs(t), newPushgateway(t)
	w.addPods(1)
	w.run("RECLAIM_PUSHGATEWAY_URL="+p.URL, "RECLAIM_DRY_RUN=true").expect(t, 0, "what would happen", true)
	if len(p.groups) != 0 {
		t.Errorf("pushed: %v", p.groups)
	}
}

// A Pushgateway that does not take the metrics changes nothing but that a line
// says so, without name and password.
func TestPushgatewayThatFails(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	answers := map[string]http.HandlerFunc{
		"refuses":   func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "text format parsing error", http.StatusBadRequest) },
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
