package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
