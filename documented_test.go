package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Somebody with an S3 client, tar, zstd, jq and sha256sum reads a bundle.
func TestFormat(t *testing.T) {
	b := newBed(t)
	debian(t, "zstd")
	debian(t, "jq")
	debian(t, "curl")
	b.env["ARCHIVE_CLUSTER"] = "prod-1" // as in the document
	b.env["ARCHIVE_PREFIX"] = b.namespace
	b.endedPod("a")
	b.run().expect(t, 0, "archived", true)
	_, put := b.bundle("a")
	env := append(os.Environ(), "key="+strings.TrimPrefix(put.Path, "/"+b.bucket+"/"), "ARCHIVE_BUCKET="+b.bucket)
	output := documented(t, t.TempDir(), env, map[string]string{"prefix=prod-1": "prefix=" + b.namespace + "%2Fprod-1"}, "docs/format.md")
	for _, want := range []string{
		"<Key>" + b.namespace + "/prod-1/pods/7d/" + b.namespace + "/a/", "pod.json: OK", "logs/main.log: OK", "\nindex.json\n",
		"main\tregular\tfalse\tcomplete", "bundle.tar.zst: OK", "-amz-meta-retain-until: ",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the commands do not print %q:\n%s", want, output)
		}
	}
}

// Somebody on another machine, with the program on the PATH, reads the archive, as a
// plugin of kubectl too.
func TestReading(t *testing.T) {
	b := newBed(t)
	b.env["ARCHIVE_CLUSTER"] = b.namespace
	b.endedPod("a")
	b.run().expect(t, 0, "archived", true)
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + filepath.Dir(build(t)) + ":" + os.Getenv("TESTBED_BIN") + ":/usr/bin:/bin"}
	output := documented(t, home, env, map[string]string{
		"ARCHIVE_BUCKET=bundles":          "ARCHIVE_BUCKET=" + b.bucket,
		"ARCHIVE_CLUSTER=prod-1":          "ARCHIVE_CLUSTER=" + b.namespace,
		"AWS_ACCESS_KEY_ID=change-me":     "AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"),
		"AWS_SECRET_ACCESS_KEY=change-me": "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY"),
		"eu-central-1":                    os.Getenv("AWS_REGION"),
		"https://store.example.com":       os.Getenv("AWS_ENDPOINT_URL_S3"),
	}, "docs/reading.md")
	if strings.Count(output, "\n"+b.namespace+"   a ") != 2 {
		t.Errorf("the pod is not listed twice:\n%s", output)
	}
}

// A group of a shard that is no more can be deleted from a Pushgateway.
func TestForgottenGroup(t *testing.T) {
	debian(t, "curl")
	gateway := "http://" + serve(t, "prometheus-pushgateway")
	w := newStubs(t)
	w.env["RECLAIM_PUSHGATEWAY_URL"], w.env["ARCHIVE_CLUSTER"] = gateway, "prod-1"
	w.run().expect(t, 0, "nothing to do", true)
	groups := func() string {
		answer, err := http.Get(gateway + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var text strings.Builder
		if err := answer.Write(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if !strings.Contains(groups(), `cluster="prod-1"`) {
		t.Fatal("nothing was pushed")
	}
	documented(t, t.TempDir(), os.Environ(), map[string]string{"http://prometheus-pushgateway.monitoring.svc:9091": gateway}, "docs/monitoring.md")
	if left := groups(); strings.Contains(left, `cluster="prod-1"`) {
		t.Errorf("the group is still there:\n%s", left)
	}
}

// What the documents say to try with a store that has locks shows that it enforces
// them.
func TestLockIsEnforced(t *testing.T) {
	newBed(t)
	debian(t, "curl")
	env := append(os.Environ(), "ARCHIVE_BUCKET="+os.Getenv("TESTBED_BUCKET_LOCKED"))
	if output := documented(t, t.TempDir(), env, nil, "docs/stores.md"); !strings.Contains(output, "refused: as it must be") {
		t.Errorf("the store does not enforce the lock:\n%s", output)
	}
}
