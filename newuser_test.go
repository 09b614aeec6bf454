package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// userEnv is the environment of somebody with a shell, the testbed's programs and
// its kubeconfig, who has set nothing for this program.
func userEnv() []string {
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "AWS_") && !strings.HasPrefix(variable, "TESTBED_") && !strings.HasPrefix(variable, "PATH=") {
			env = append(env, variable)
		}
	}
	return append(env, "PATH="+os.Getenv("TESTBED_BIN")+":"+os.Getenv("PATH"), "CONTAINERD_ADDRESS="+filepath.Join(os.Getenv("TESTBED_DIR"), "containerd.sock"))
}

// objects are the names of all objects in the cluster but events and what is in
// the test's own namespace.
func (b *bed) objects() map[string]bool {
	b.t.Helper()
	var kinds []string
	for _, kind := range strings.Fields(string(b.kubectl("api-resources", "--verbs=list", "-o", "name"))) {
		if !strings.HasPrefix(kind, "events") && !strings.HasPrefix(kind, "componentstatuses") {
			kinds = append(kinds, kind)
		}
	}
	list := b.kubectl("get", strings.Join(kinds, ","), "--all-namespaces", "--no-headers", "-o", "custom-columns=A:.kind,B:.metadata.namespace,C:.metadata.name")
	all := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); fields[1] != b.namespace {
			all[strings.Join(fields, "/")] = true
		}
	}
	return all
}

// Somebody who has cloned the repository follows the README: tries a dry run, builds
// the image, gives it to the node, installs, lets it run and reads the archive; then
// the documents, to operate, upgrade and uninstall. Nothing is left in the cluster.
// What is replaced is the reader's own, and that pods are taken at once.
func TestNewUserOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.endedPods(1)
	before := b.objects()
	output := documented(t, checkout(t), userEnv(), map[string]string{
		"registry.example.com/pod-reclaimer": "docker.io/library/pod-reclaimer",
		"newTag: v0.1.0":                     "newTag: dev",
		"eu-central-1":                       os.Getenv("AWS_REGION"),
		"https://store.example.com":          os.Getenv("AWS_ENDPOINT_URL_S3"),
		"ARCHIVE_BUCKET=bundles":             "ARCHIVE_BUCKET=" + b.bucket,
		"ARCHIVE_BUCKET: bundles":            "ARCHIVE_BUCKET: " + b.bucket + "\n      RECLAIM_NAMESPACES: " + b.namespace + "\n      RECLAIM_ARCHIVE_AFTER: 0s\n      RECLAIM_DELETE_AFTER: 0s",
		"AWS_ACCESS_KEY_ID=change-me":        "AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"),
		"AWS_SECRET_ACCESS_KEY=change-me":    "AWS_SECRET_ACCESS_KEY=" + os.Getenv("AWS_SECRET_ACCESS_KEY"),
		"patches:\n":                         "patches:\n" + strings.TrimPrefix(b.onHostNetwork(), "\n"),
	}, "README.md", "docs/operate.md", "docs/install.md")
	t.Log(output)
	_, ran, _ := strings.Cut(output, "job.batch/manual-1 condition met")
	listed := strings.Split(ran, "RETAIN-UNTIL")
	if !strings.Contains(ran, `"deleted":1`) || len(listed) < 2 || !strings.Contains(listed[1], "job-0") {
		t.Error("the pod was not deleted, or is not in the archive")
	}
	if pods := b.podsIn(); len(pods) != 0 {
		t.Errorf("%v are still there", pods)
	}
	eventually(t, "nothing is left", func() bool {
		left := b.objects()
		maps.DeleteFunc(left, func(name string, _ bool) bool { return before[name] })
		if len(left) > 0 {
			t.Logf("left: %v", slices.Sorted(maps.Keys(left)))
		}
		return len(left) == 0
	})
}

// The demo shows what it says.
func TestDemoOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ARCHIVE_") })
	output := documented(t, ".", env, nil, "README.md")
	for _, want := range []string{`"kept": {"finalizer": 1, "hold": 1, "young": `, "row 200 written", "disk quota exceeded", "on-hold", "index.json"} {
		if !strings.Contains(output, want) {
			t.Errorf("the demo does not show %q:\n%s", want, output)
		}
	}
	b.kubectl("wait", "--for=delete", "namespace/demo", "--timeout=2m")
}
