package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/push"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

// pushTimeout bounds the push of the metrics: a Pushgateway that hangs must not
// keep a run that is done, and less so one that is interrupted. Tests set less.
var pushTimeout = 10 * time.Second

const pushTimeoutInterrupted = 2 * time.Second

// metrics are those of one run. A run is too short to be scraped, so they are
// pushed when it ends:
// https://prometheus.io/docs/practices/pushing/.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	broken   *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "pod_reclaimer_request_duration_seconds",
			Help:    "Time until the headers of the answer, by server (api, store), method and status code.",
			Buckets: prometheus.ExponentialBuckets(0.005, 4, 7), // 5 ms to 20 s
		}, []string{"server", "method", "code"}),
		broken: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pod_reclaimer_requests_without_answer_total",
			Help: "Requests that got no answer, by server.",
		}, []string{"server"}),
	}
	m.registry.MustRegister(m.requests, m.broken)
	return m
}

// observe measures the requests that go through the transport to a server.
func (m *metrics) observe(server string, next http.RoundTripper) http.RoundTripper {
	broken := m.broken.WithLabelValues(server)
	durations := m.requests.MustCurryWith(prometheus.Labels{"server": server})
	return promhttp.InstrumentRoundTripperDuration(durations, promhttp.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil {
			broken.Inc()
		}
		return answer, err
	}))
}

// gauge registers one value of the run.
func (m *metrics) gauge(name, help string, value float64) {
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "pod_reclaimer_" + name, Help: help})
	gauge.Set(value)
	m.registry.MustRegister(gauge)
}

// summarize registers what the run did. A run that failed has no time of
// success, so that of the last one that did not stays at the Pushgateway.
func (m *metrics) summarize(s reclaim.Summary, failure error) {
	m.gauge("run_start_timestamp_seconds", "When the last run started.", seconds(s.StartedAt))
	m.gauge("run_duration_seconds", "How long the last run took.", s.FinishedAt.Sub(s.StartedAt).Seconds())
	if failure == nil {
		m.gauge("last_success_timestamp_seconds", "When the last run ended that could do all it wanted.", seconds(s.FinishedAt))
	}
	m.gauge("archived_pods", "Pods of which a complete bundle was stored.", float64(s.Archived))
	m.gauge("provisional_bundles", "Pods of which a bundle was stored without the logs that are still missing.", float64(s.Provisional))
	m.gauge("renewed_bundles", "Bundles copied to a later date.", float64(s.Renewed))
	m.gauge("deleted_without_logs", "Deleted pods with a container whose log is unavailable.", float64(s.DeletedWithoutLogs))
	m.gauge("deleted_with_partial_logs", "Deleted pods with a log that may lack a part.", float64(s.DeletedWithPartialLogs))
	m.gauge("oldest_kept_pod_age_seconds", "Time since the oldest kept pod finished; 0: none is kept.", age(s, s.OldestKept))
	m.gauge("oldest_waiting_pod_age_seconds", "Time since the oldest pod finished that waits for a log; 0: none waits.", age(s, s.OldestWaiting))
	m.registry.MustRegister(podCounts(s), byteCounts(s), logCounts(s))
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

func age(s reclaim.Summary, finished time.Time) float64 {
	if finished.IsZero() {
		return 0
	}
	return s.FinishedAt.Sub(finished).Seconds()
}

// podCounts are the listed pods by what became of them.
func podCounts(s reclaim.Summary) prometheus.Collector {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "pod_reclaimer_pods", Help: "Terminated pods of the last run, by outcome and reason (of failures: the step).",
	}, []string{"outcome", "reason"})
	for outcome, n := range map[reclaim.Outcome]int{
		reclaim.Deleted: s.Deleted, reclaim.Gone: s.Gone, reclaim.Pending: s.Pending, reclaim.Remaining: s.Remaining,
	} {
		v.WithLabelValues(string(outcome), "").Set(float64(n))
	}
	// 0 is told too: an alert on failures needs a series to look at
	for _, outcome := range []reclaim.Outcome{reclaim.Kept, reclaim.Skipped, reclaim.Failed} {
		v.WithLabelValues(string(outcome), "").Set(0)
	}
	count(v, reclaim.Kept, s.Kept)
	count(v, reclaim.Skipped, s.Skipped)
	count(v, reclaim.Failed, s.Failed)
	return v
}

func count[K ~string](v *prometheus.GaugeVec, outcome reclaim.Outcome, counts map[K]int) {
	for reason, n := range counts {
		v.WithLabelValues(string(outcome), string(reason)).Set(float64(n))
	}
}

func byteCounts(s reclaim.Summary) prometheus.Collector {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "pod_reclaimer_bytes", Help: "What the last run archived: manifests and logs before compression, bundles as stored.",
	}, []string{"kind"})
	v.WithLabelValues("manifests").Set(float64(s.Bytes.Manifests))
	v.WithLabelValues("logs").Set(float64(s.Bytes.Logs))
	v.WithLabelValues("bundles").Set(float64(s.Bytes.Bundles))
	return v
}

func logCounts(s reclaim.Summary) prometheus.Collector {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pod_reclaimer_logs", Help: "Logs archived by the last run, by how complete they are."}, []string{"outcome"})
	for _, outcome := range archive.Outcomes() {
		v.WithLabelValues(string(outcome)).Set(0)
	}
	for outcome, n := range s.Logs {
		v.WithLabelValues(string(outcome)).Set(float64(n))
	}
	return v
}

// report pushes the metrics of a run that began, if that is asked for. A dry run
// writes nothing, and would be taken for a run.
func (m *metrics) report(ctx context.Context, cfg config, s reclaim.Summary, failure error) error {
	if cfg.Reclaim.PushgatewayURL == "" || cfg.Reclaim.DryRun {
		return nil
	}
	if s.StartedAt.IsZero() { // not even the clients could be made
		s.StartedAt, s.FinishedAt = now(), now()
	}
	m.summarize(s, cmp.Or(failure, context.Cause(ctx)))
	return m.push(ctx, cfg.Reclaim.PushgatewayURL, cfg.Archive.Cluster, cfg.Reclaim.ShardIndex)
}

// push sends all to the Pushgateway at address, in the group of this cluster and
// shard. The address may hold a name and password, which no error shows.
func (m *metrics) push(ctx context.Context, address, cluster string, shard int) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("RECLAIM_PUSHGATEWAY_URL: it cannot be parsed")
	}
	user := u.User
	u.User = nil
	pusher := push.New(u.String(), "pod-reclaimer").Gatherer(m.registry).Client(noRedirects).
		Grouping("cluster", cluster).Grouping("shard", strconv.Itoa(shard))
	if user != nil {
		password, _ := user.Password()
		pusher = pusher.BasicAuth(user.Username(), password)
	}
	timeout := pushTimeout
	if ctx.Err() != nil {
		timeout = min(timeout, pushTimeoutInterrupted)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if err := pusher.AddContext(ctx); err != nil {
		return fmt.Errorf("push metrics to RECLAIM_PUSHGATEWAY_URL: %w", err)
	}
	return nil
}

// noRedirects takes a redirect for the answer: followed, most become a GET, which
// a login page answers with 200.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
