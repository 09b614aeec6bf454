package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/yaml"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

const (
	alertsFile     = "manifests/components/monitoring/alerts.yaml"
	alertTestsFile = "testdata/alerts_test.yaml"
	dashboardFile  = "manifests/components/monitoring/dashboard.json"
	monitoringFile = "docs/monitoring.md"
)

// metricNames are those of all that a run may push.
func metricNames(t *testing.T) []string {
	t.Helper()
	m := newMetrics()
	server := httptest.NewServer(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	defer server.Close()
	client := http.Client{Transport: m.observe("api", http.DefaultTransport)}
	answer, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	m.summarize(reclaim.Summary{StartedAt: time.Now(), FinishedAt: time.Now()}, nil)
	all, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, family := range all {
		names = append(names, family.GetName())
	}
	return names
}

var metricName = regexp.MustCompile(`\bpod_reclaimer_\w+`)

// Alerts, dashboard and document name only metrics that there are, and the
// document and the dashboard all of them.
func TestMetricNames(t *testing.T) {
	names := metricNames(t)
	for _, file := range []string{alertsFile, alertTestsFile, dashboardFile, monitoringFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, name := range metricName.FindAllString(string(text), -1) {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count") // of the histogram
			named[name] = true
			if !slices.Contains(names, name) {
				t.Errorf("%s names %s", file, name)
			}
		}
		for _, name := range names {
			if !named[name] && (file == dashboardFile || file == monitoringFile) {
				t.Errorf("%s does not name %s", file, name)
			}
		}
	}
}

// alertNames are those of the rules.
func alertNames(t *testing.T) []string {
	t.Helper()
	var rules struct {
		Groups []struct{ Rules []struct{ Alert string } }
	}
	readYAML(t, alertsFile, &rules)
	var names []string
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			names = append(names, rule.Alert)
		}
	}
	return names
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Each alert is documented, fires in a test and does not when all is well; the
// real promtool runs these.
func TestAlerts(t *testing.T) {
	promtool(t, "check", "rules", alertsFile)
	promtool(t, "test", "rules", alertTestsFile)
	var tests struct {
		Tests []struct {
			Name  string
			Alert []struct {
				Alertname string
				Exp       []any `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		}
	}
	readYAML(t, alertTestsFile, &tests)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range tests.Tests {
		for _, alert := range test.Alert {
			fires[alert.Alertname] = fires[alert.Alertname] || len(alert.Exp) > 0
			silent[alert.Alertname] = silent[alert.Alertname] || test.Name == "all is well" && len(alert.Exp) == 0
		}
	}
	document, err := os.ReadFile(monitoringFile)
	if err != nil {
		t.Fatal(err)
	}
	names := alertNames(t)
	for _, name := range names {
		if !fires[name] || !silent[name] {
			t.Errorf("%s: fires in a test: %v, does not when all is well: %v", name, fires[name], silent[name])
		}
		if !strings.Contains(string(document), "\n| `"+name+"` |") {
			t.Errorf("%s does not document %s", monitoringFile, name)
		}
	}
	for _, name := range regexp.MustCompile("`(PodReclaimer\\w+)`").FindAllStringSubmatch(string(document), -1) {
		if !slices.Contains(names, name[1]) {
			t.Errorf("%s documents %s", monitoringFile, name[1])
		}
	}
}

// queries are those of the dashboard's panels, by title, for all clusters.
func queries(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all[panel.Title] = strings.ReplaceAll(target.Expr, "$cluster", ".*")
		}
	}
	return all
}
