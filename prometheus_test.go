package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// debian is a program of a Debian package, which make test installs as root.
// Without it the test is skipped, and fails where TESTBED_REQUIRED says that all
// must be there.
func debian(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("TESTBED_REQUIRED") == "node" {
		t.Fatal(err)
	}
	t.Skipf("needs %s of Debian: run make test as root", program)
	return ""
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.Command(debian(t, "promtool"), args...).CombinedOutput(); err != nil {
		t.Fatalf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// serve starts a server of a Debian package on a port of its own and returns its
// address, host and port. It ends with the test, or with the process of the tests.
func serve(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(debian(t, program), append(args, "--web.listen-address=127.0.0.1:0")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	address := make(chan string, 1)
	go func() {
		defer close(address)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if found := listening.FindStringSubmatch(lines.Text()); found != nil && len(address) == 0 {
				address <- found[1]
			}
		}
	}()
	at, ok := <-address
	if !ok {
		t.Fatalf("%s ended without listening", program)
	}
	return at
}

// query asks Prometheus and returns the result's labels and values.
func query(t *testing.T, prometheus, expression string) []sample {
	t.Helper()
	answer, err := http.Get("http://" + prometheus + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Error string
		Data  struct{ Result []sample }
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Error != "" {
		t.Fatalf("%s: %s", expression, got.Error)
	}
	return got.Data.Result
}

// sample is one time series of an answer, at one time.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

// A real Pushgateway takes what a run pushes, a real Prometheus scrapes it, and
// each panel of the dashboard shows data; no alert fires but for what is wrong.
func TestDashboardOnRealPrometheus(t *testing.T) {
	gateway := serve(t, "prometheus-pushgateway")
	dir := t.TempDir()
	rules, err := filepath.Abs(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Sprintf(`
global: {scrape_interval: 500ms, evaluation_interval: 500ms}
rule_files: [%s]
scrape_configs:
- {job_name: pushgateway, honor_labels: true, static_configs: [{targets: ["%s"]}]}
`, rules, gateway))
	prometheus := serve(t, "prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"))

	w := newStubs(t)
	w.addPods(3)
	w.api.Add(ranPod("lost"))
	w.api.Add(ranPod("held", annotated("pod-reclaimer/hold", "true")))
	w.journal.Before(func(_ string, rw http.ResponseWriter, req *http.Request) bool {
		lost := strings.HasSuffix(req.URL.Path, "/pods/lost/log")
		if lost {
			reclaimtest.Refuse(rw, http.StatusBadRequest, "", `container "main" in pod "lost" is not available`)
		}
		return lost
	})
	for _, shard := range []string{"0", "1"} {
		w.run("RECLAIM_PUSHGATEWAY_URL=http://"+gateway, "RECLAIM_SHARDS=2", "JOB_COMPLETION_INDEX="+shard).expect(t, 0, "done", true)
	}
	panels := queries(t)
	if len(panels) < 10 {
		t.Fatalf("only the panels %v", panels)
	}
	for title, expression := range panels {
		eventually(t, "data of the panel "+title, func() bool { return len(query(t, prometheus, expression)) > 0 })
	}
	started := query(t, prometheus, `pod_reclaimer_run_start_timestamp_seconds`)
	for _, s := range started {
		if s.Metric["job"] != "pod-reclaimer" || s.Metric["cluster"] != "test" {
			t.Errorf("labels %v", s.Metric)
		}
	}
	if len(started) != 2 {
		t.Errorf("%d shards", len(started))
	}
	eventually(t, "the alert for lost logs, and no other", func() bool {
		firing := query(t, prometheus, `ALERTS{alertstate="firing"}`)
		return len(firing) == 1 && firing[0].Metric["alertname"] == "PodReclaimerLogsLost"
	})
}
