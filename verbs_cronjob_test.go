package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// As a user installs them, on a real node and with the image: the CronJob that
// audits finds what is past its date, the one that expires deletes it, each with
// credentials of its own and no token of the cluster.
func TestVerbCronJobsOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.loadImage()
	b.home = b.makeNamespace()
	overlay := b.onNode("base", "RECLAIM_NAMESPACES: "+b.namespace)
	b.install(strings.Replace(overlay, "components: [", "components: [MANIFESTS/components/expire, MANIFESTS/components/audit, ", 1))
	for _, verb := range []string{"expire", "audit"} {
		b.inHome("create", "secret", "generic", "pod-reclaimer-"+verb+"-credentials",
			"--from-literal=AWS_ACCESS_KEY_ID="+os.Getenv("AWS_ACCESS_KEY_ID"), "--from-literal=AWS_SECRET_ACCESS_KEY="+os.Getenv("AWS_SECRET_ACCESS_KEY"))
	}
	b.endedPods(1)
	if code, output := b.job("", "run-1"); code != 0 {
		t.Fatalf("the run ended with exit code %d:\n%s", code, output)
	}
	b.makeOld()
	if code, output := b.job("-audit", "audit-1"); code != 3 || !strings.Contains(output, "past-date: "+b.namespace+"/pods/7d/") || !strings.Contains(output, "1 past-date\n") {
		t.Errorf("the audit ended with exit code %d:\n%s", code, output)
	}
	if code, output := b.job("-expire", "expire-1"); code != 0 || !strings.Contains(output, "1 deleted") {
		t.Errorf("the expiry ended with exit code %d:\n%s", code, output)
	}
	if code, output := b.job("-audit", "audit-2"); code != 3 || !strings.Contains(output, "missing: "+b.namespace+"/pods/7d/") {
		t.Errorf("the audit of what is gone ended with exit code %d:\n%s", code, output)
	}
}

// job lets the CronJob of this suffix run once, and returns how its pod ended.
func (b *bed) job(suffix, name string) (code int, output string) {
	b.t.Helper()
	b.inHome("create", "job", "--from="+b.cronJob()+suffix, name)
	b.waitJob(name)
	text := b.inHome("get", "pods", "-l", "job-name="+name, "-o", "jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}")
	code, err := strconv.Atoi(text)
	if err != nil {
		b.t.Fatal(err)
	}
	return code, b.inHome("logs", "job/"+name)
}

// makeOld makes the test's bundles ten days older, in the folder of the store.
func (b *bed) makeOld() {
	b.t.Helper()
	root := filepath.Join(os.Getenv("TESTBED_DIR"), "data", "store", b.bucket, b.namespace, "pods")
	old := time.Now().Add(-240 * time.Hour)
	files, err := filepath.Glob(root + "/*/*/*/*.tar.zst")
	if err != nil || len(files) == 0 {
		b.t.Fatalf("no bundles in %s: %v", root, err)
	}
	for _, file := range files {
		if err := os.Chtimes(file, old, old); err != nil {
			b.t.Fatal(err)
		}
	}
}
