package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// every byte, in an order that a shell can print
const allBytes = `i=0; while [ $i -lt 256 ]; do printf "\\$(printf %o $i)"; i=$((i+1)); done`

// Every way for a pod to end on a real node, or never to begin, and logs that
// are no text. What kubectl logs gives is in the bundle, byte for byte.
func TestEveryEndOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	limit := resource.MustParse("1Mi")
	hostLogs := corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: os.Getenv("TESTBED_POD_LOGS_DIR")}}
	// first, those that take longest
	// it ends once its log was rotated twice and the kubelet is done with that:
	// the last file by name is a rotated one that is not yet compressed
	b.nodePod("zipped", "echo first; sleep 11; D=$(echo /data/"+b.namespace+"_zipped_*/main)"+
		`; until { ls $D/*.gz && ! ls $D/0.log.* | tail -n 1 | grep -E 'gz$|tmp$'; } >/dev/null 2>&1; do seq 1 5000; sleep 0.2; done`+
		"; until test -s $D/0.log; do echo last; sleep 0.2; done",
		withData(hostLogs))
	b.nodePod("evicted", "echo too much; head -c 8000000 /dev/zero > /data/file; sleep 600",
		withData(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &limit}}))
	b.nodePod("late", "echo before the deadline; sleep 600", func(p *corev1.Pod) {
		deadline := int64(3)
		p.Spec.ActiveDeadlineSeconds = &deadline
	})
	b.nodePod("restarted", "echo attempt; test -e /data/ran || { touch /data/ran; exit 1; }",
		withData(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}), func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure })
	b.nodePod("no-init", "echo never", func(p *corev1.Pod) {
		p.Spec.InitContainers = []corev1.Container{shell("prepare", "echo fails; exit 1")}
	})
	b.nodePod("rejected", "echo never", func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000")}
	})
	// the kubelet says of it that its status was lost: it may have run
	b.nodePod("no-image", "echo never", func(p *corev1.Pod) {
		p.Spec.Containers[0].Image = "docker.io/local/missing:1"
		deadline := int64(3)
		p.Spec.ActiveDeadlineSeconds = &deadline
	})
	b.nodePod("binary", allBytes+`; printf '\303('; head -c 4096 /dev/zero; printf 'a\r\nb'`)
	b.nodePod("silent", "true")
	b.nodePod("endless", "head -c 700000 /dev/zero | tr '\\0' x")
	b.nodePod("annotated", "echo done", func(p *corev1.Pod) {
		p.Annotations = map[string]string{"example.com/large": strings.Repeat("x", 200<<10)}
	})
	b.nodePod("line", "echo placeholder")
	// nobody schedules it, and somebody gives it up
	b.nodePod("unscheduled", "echo never", func(p *corev1.Pod) { p.Spec.NodeName, p.Spec.NodeSelector = "", map[string]string{"type": "none"} })
	b.kubectl("patch", "pod", "unscheduled", "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Failed"}}`)

	want := map[string]string{
		"late": "main:complete", "restarted": "main:complete main(previous):unavailable",
		"no-init": "prepare:complete main:never-started", "rejected": "main:never-started", "no-image": "main:unavailable",
		"binary": "main:complete", "silent": "main:empty", "endless": "main:complete", "annotated": "main:complete",
		"line": "main:complete", "unscheduled": "main:never-started", "zipped": "main:possibly-rotated",
	}
	b.waitEnded("pod/line")
	b.writeLogFile("line", slices.Values([]string{"before", strings.Repeat("x", 64<<20), "after"}))

	// an evicted pod is archived at once, whatever of its log is there, and
	// does not wait for the rest
	b.waitEnded("pod/evicted")
	b.kubectl("label", "pod", "evicted", "take=first")
	var e ended
	eventually(t, "an evicted pod that stays as it is", func() bool { // the kubelet writes its status more than once
		e = b.run("RECLAIM_LABEL_SELECTOR=take=first")
		return e.summary.Kept["changed"] == 0
	})
	e.expect(t, 0, "the evicted pod deleted at once", e.summary.Deleted == 1)
	if bundle, _ := b.bundle("evicted"); !slices.Contains([]string{"complete", "unavailable"}, bundle.Index.Logs[0].Outcome) {
		t.Errorf("evicted: %+v", bundle.Index.Logs)
	}
	b.waitAllEnded()
	logs := map[string][]byte{}
	for pod, outcome := range want {
		if pod == "line" {
			continue // kubectl would need seconds for it
		}
		if strings.HasPrefix(outcome, "main:complete") || strings.HasPrefix(outcome, "main:possibly") {
			logs[pod] = b.kubectl("logs", pod, "--timestamps")
		}
	}
	gz, err := filepath.Glob(filepath.Join(filepath.Dir(b.logFile("zipped", "main")), "*.gz"))
	if err != nil || len(gz) == 0 {
		t.Errorf("no log was rotated to .gz: %v", err)
	}
	shown := b.shown(slices.Collect(maps.Keys(want))...)
	e = b.run()
	e.expect(t, 0, "all deleted", e.summary.Deleted == len(want) && e.summary.DeletedWithoutLogs == 2 && e.summary.DeletedWithPartialLogs == 1)
	b.outcomes(want)
	for pod, text := range logs {
		bundle, _ := b.bundle(pod)
		if got := bundle.Files["logs/main.log"]; len(text) == 0 || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, kubectl logs --timestamps gives %d", pod, len(got), len(text))
		}
	}
	bundle, _ := b.bundle("annotated")
	if !bytes.Contains(bundle.Files["pod.json"], bytes.Repeat([]byte("x"), 200<<10)) {
		t.Error("the large annotation is not in the manifest")
	}
	bundle, _ = b.bundle("line")
	log := bundle.Files["logs/main.log"]
	if bytes.Count(log, []byte("x")) != 64<<20 || bytes.Count(log, []byte("\n")) != 3 || !bytes.HasSuffix(log, []byte("Z after\n")) {
		t.Errorf("the log with the long line has %d bytes", len(log))
	}
	b.readsBack(shown)
}
