package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim"
)

var update = flag.Bool("update", false, "write the golden files anew")

// environment makes these the only variables until the test ends.
func environment(t *testing.T, pairs ...string) {
	t.Helper()
	set := func(pairs []string) {
		os.Clearenv()
		for _, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			if err := os.Setenv(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := os.Environ()
	t.Cleanup(func() { set(before) })
	set(pairs)
}

// least is what has no default.
var least = []string{"ARCHIVE_BUCKET=pods", "ARCHIVE_CLUSTER=prod-1"}

func with(pairs ...string) []string { return append(slices.Clone(least), pairs...) }

func retention(t *testing.T, text string) archive.Classes {
	t.Helper()
	var classes archive.Classes
	if err := classes.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return classes
}

func TestLoadDefaults(t *testing.T) {
	environment(t, least...)
	got, err := load()
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		Reclaim: reclaim.Config{
			Phases:         reclaim.Phases{"Succeeded", "Failed"},
			OwnerKinds:     reclaim.List{"Job.batch", "ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicationController", "None"},
			ArchiveAfter:   30 * time.Second,
			DeleteAfter:    time.Hour,
			Concurrency:    32,
			Shards:         1,
			LogIdleTimeout: time.Minute,
			LogGrace:       24 * time.Hour,
			LogsRequired:   true, SummaryFile: "/dev/termination-log",
		},
		Archive: archive.Config{
			Bucket: "pods", Cluster: "prod-1", Retention: retention(t, "7d"), Tagging: true,
			Compression: archive.Zstd, Verify: archive.VerifyETag, PathStyle: "auto",
		},
		Log: logConfig{Level: zapcore.InfoLevel, Format: "json"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLoadReadsEveryVariable(t *testing.T) {
	dir := t.TempDir()
	environment(t,
		"RECLAIM_NAMESPACES=a,b", "RECLAIM_EXCLUDE_NAMESPACES=c", "RECLAIM_LABEL_SELECTOR=app in (x,y)", "RECLAIM_PHASES=Failed",
		"RECLAIM_OWNER_KINDS=*", "RECLAIM_ARCHIVE_AFTER=1m", "RECLAIM_DELETE_AFTER=0s", "RECLAIM_MAX_PODS=5", "RECLAIM_DEADLINE=10m",
		"RECLAIM_CONCURRENCY=3", "RECLAIM_LOG_IDLE_TIMEOUT=5s", "RECLAIM_LOG_GRACE=48h", "RECLAIM_LOGS_REQUIRED=false", "RECLAIM_LOG_MAX_BYTES=10Mi", "RECLAIM_DRY_RUN=true",
		"RECLAIM_SUMMARY_FILE=/tmp/summary", "RECLAIM_PUSHGATEWAY_URL=http://u:p@push:9091", "RECLAIM_SHARDS=4", "JOB_COMPLETION_INDEX=2",
		"ARCHIVE_BUCKET=pods", "ARCHIVE_CLUSTER=prod-1", "ARCHIVE_PREFIX=team", "ARCHIVE_RETENTION=30d,1w,90d", "ARCHIVE_TAGGING=off",
		"ARCHIVE_COMPRESSION=gzip", "ARCHIVE_VERIFY=read", "ARCHIVE_PATH_STYLE=true", "ARCHIVE_SPOOL_DIR="+dir,
		"ARCHIVE_OBJECT_LOCK=compliance", "ARCHIVE_SSE=aws:kms", "ARCHIVE_KMS_KEY_ID=1234abcd", "ARCHIVE_STORAGE_CLASS=STANDARD_IA",
		"LOG_LEVEL=debug", "LOG_FORMAT=console",
	)
	got, err := load()
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		Reclaim: reclaim.Config{
			Namespaces: reclaim.List{"a", "b"}, ExcludeNamespaces: reclaim.List{"c"}, LabelSelector: "app in (x,y)", Phases: reclaim.Phases{"Failed"},
			OwnerKinds: reclaim.List{"*"}, ArchiveAfter: time.Minute, MaxPods: 5, Deadline: 10 * time.Minute,
			Concurrency: 3, Shards: 4, ShardIndex: 2, LogIdleTimeout: 5 * time.Second, LogGrace: 48 * time.Hour, LogMaxBytes: 10 << 20, DryRun: true, SummaryFile: "/tmp/summary", PushgatewayURL: "http://u:p@push:9091",
		},
		Archive: archive.Config{
			Bucket: "pods", Cluster: "prod-1", Prefix: "team", Retention: retention(t, "30d,7d,90d"),
			Compression: archive.Gzip, Verify: archive.VerifyRead, PathStyle: "true", SpoolDir: dir,
			ObjectLock: archive.LockCompliance, SSE: archive.SSEKMS, KMSKeyID: "1234abcd", StorageClass: "STANDARD_IA",
		},
		Log: logConfig{Level: zapcore.DebugLevel, Format: "console"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLoadTrimsWhiteSpace(t *testing.T) {
	environment(t,
		"ARCHIVE_BUCKET= pods\n", "ARCHIVE_CLUSTER=prod-1\r\n", "ARCHIVE_RETENTION= 7d , ,30d\n", "RECLAIM_NAMESPACES= a , ,b,\n",
		"RECLAIM_DELETE_AFTER=2h\n", "LOG_FORMAT=console\n", "ARCHIVE_COMPRESSION= \n",
		"AWS_ACCESS_KEY_ID=id\n", "AWS_SECRET_ACCESS_KEY=secret\r\n", "AWS_SESSION_TOKEN=\n", "AWS_ENDPOINT_URL_S3= http://store:9000 \n",
		"OTHER= x\n",
	)
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if c.Archive.Bucket != "pods" || c.Archive.Cluster != "prod-1" || !reflect.DeepEqual(c.Archive.Retention, retention(t, "7d,30d")) ||
		!slices.Equal(c.Reclaim.Namespaces, reclaim.List{"a", "b"}) || c.Reclaim.DeleteAfter != 2*time.Hour || c.Log.Format != "console" {
		t.Errorf("got %+v", c)
	}
	if c.Archive.Compression != archive.Zstd {
		t.Errorf("an empty variable stands for %q, want the default", c.Archive.Compression)
	}
	for name, want := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL_S3": "http://store:9000", "OTHER": " x\n",
	} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if value, ok := os.LookupEnv("AWS_SESSION_TOKEN"); ok {
		t.Errorf("AWS_SESSION_TOKEN is %q, want it not set", value)
	}
}

// serviceLinks are the variables that Kubernetes injects for a Service.
func serviceLinks(name string) []string {
	return []string{
		name + "_SERVICE_HOST=10.0.0.1",
		name + "_SERVICE_PORT=80",
		name + "_SERVICE_PORT_HTTP=80",
		name + "_PORT=tcp://10.0.0.1:80",
		name + "_PORT_80_TCP=tcp://10.0.0.1:80",
		name + "_PORT_80_TCP_PROTO=tcp",
		name + "_PORT_80_TCP_PORT=80",
		name + "_PORT_80_TCP_ADDR=10.0.0.1",
	}
}

func TestServiceLinksAreNoSettings(t *testing.T) {
	environment(t, least...)
	want, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{"RECLAIM", "ARCHIVE", "ARCHIVE_STORE", "RECLAIM_WEB_2", "LOG"} {
		environment(t, with(serviceLinks(service)...)...)
		if got, err := load(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("a Service named %s: %v", service, err)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	const value = "hunter2-secret"
	for _, tt := range []struct {
		name    string
		unknown bool
	}{
		{"ARCHIVE_RETENTON", true},
		{"ARCHIVE_RETENTION_DAYS", true},
		{"ARCHIVE_SECRET_ACCESS_KEY", true},
		{"RECLAIM_DELETE_AFER", true},
		{"RECLAIM_", true},
		{"RECLAIM_delete_after", true},
		{"ARCHIVE_SERVICE_HOSTS", true},
		{"ARCHIVE_SERVICEPORT", true},
		{"RECLAIM_PORTS", true},
		{"RECLAIM_PORT_HTTP", true},
		{"RECLAIM_PORT_80", true},
		{"RECLAIM", false},
		{"ARCHIVES_BUCKET", false},
		{"MY_ARCHIVE_BUCKET", false},
		{"LOG_DIR", false},
		{"AWS_RETENTON", false},
		{"JOB_COMPLETION_INDEXES", false},
	} {
		environment(t, with(append(serviceLinks("ARCHIVE"), tt.name+"="+value)...)...)
		_, err := load()
		switch {
		case !tt.unknown && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case !tt.unknown:
		case err == nil || !strings.Contains(err.Error(), tt.name+":"):
			t.Errorf("%s: error %v does not name it", tt.name, err)
		case strings.Contains(err.Error(), value):
			t.Errorf("%s: the error shows its value", tt.name)
		case strings.Contains(err.Error(), "_SERVICE_"), strings.Contains(err.Error(), "ARCHIVE_PORT"):
			if !strings.Contains(tt.name, "SERVICE") {
				t.Errorf("%s: the error names a Service's variable: %v", tt.name, err)
			}
		}
	}
}

func TestLoadReportsEverythingAtOnce(t *testing.T) {
	bad := []string{
		"RECLAIM_PHASES=Running", "RECLAIM_LABEL_SELECTOR=a b", "RECLAIM_DELETE_AFTER=soon", "RECLAIM_ARCHIVE_AFTER=-1s", "RECLAIM_DEADLINE=5",
		"RECLAIM_MAX_PODS=many", "RECLAIM_CONCURRENCY=0", "RECLAIM_DRY_RUN=maybe", "RECLAIM_LOG_MAX_BYTES=10MB", "RECLAIM_TYPO=x",
		"ARCHIVE_RETENTION=1y", "ARCHIVE_TAGGING=perhaps", "ARCHIVE_COMPRESSION=lz4", "ARCHIVE_VERIFY=no", "ARCHIVE_PATH_STYLE=maybe",
		"ARCHIVE_SPOOL_DIR=/dev/null", "ARCHIVE_BUKET=x", "LOG_LEVEL=loud", "LOG_FORMAT=xml",
	}
	environment(t, append(slices.Clone(bad), "AWS_ACCESS_KEY_ID=hunter2-secret")...)
	_, err := load()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, pair := range append(bad, "ARCHIVE_BUCKET=", "ARCHIVE_CLUSTER=", "AWS_SECRET_ACCESS_KEY=") {
		name, _, _ := strings.Cut(pair, "=")
		n := 0
		for _, line := range lines {
			if strings.HasPrefix(line, name+":") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s stands in %d lines, want 1, of\n%v", name, n, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2-secret") {
		t.Errorf("the error shows a secret:\n%v", err)
	}
}

func TestHelp(t *testing.T) {
	environment(t, "ARCHIVE_BUCKET=mine", "AWS_SECRET_ACCESS_KEY=hunter2-secret")
	var out bytes.Buffer
	if err := usage(&out); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
	}
}

func TestHelpNamesEveryVariable(t *testing.T) {
	var out bytes.Buffer
	if err := usage(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, name := range variables(&config{}) {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") }) {
			t.Errorf("%s is missing", name)
		}
	}
}
