package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

const testImage = "docker.io/local/pod-reclaimer:test"

var imageLoaded sync.Once

// loadImage builds the image and gives it to the real node, once.
func (b *bed) loadImage() {
	b.t.Helper()
	imageLoaded.Do(b.loadImageNow)
}

func (b *bed) loadImageNow() {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "image.tar")
	if output, err := exec.Command("make", "-s", "image", "IMAGE="+testImage, "IMAGE_FILE="+file).CombinedOutput(); err != nil {
		b.t.Fatalf("make image: %v\n%s", err, output)
	}
	b.testbed("load", file)
}

// onNode is an overlay as a user writes one: bucket, cluster, image,
// credentials, beside what onHostNetwork changes. The proxy before the store is
// where tests hold requests back. Settings are lines of the ConfigMap's data.
func (b *bed) onNode(target string, settings ...string) string {
	b.t.Helper()
	settings = append(settings,
		"ARCHIVE_BUCKET: "+b.bucket, "ARCHIVE_CLUSTER: "+b.namespace, "AWS_ENDPOINT_URL_S3: "+b.env["AWS_ENDPOINT_URL_S3"],
		"RECLAIM_ARCHIVE_AFTER: 0s", "RECLAIM_DELETE_AFTER: 0s",
	)
	return b.overlay(target, fmt.Sprintf(`
components: [MANIFESTS/components/static-credentials]
images: [{name: pod-reclaimer, newName: docker.io/local/pod-reclaimer, newTag: test}]
secretGenerator:
- name: pod-reclaimer-credentials
  literals: [AWS_ACCESS_KEY_ID=%s, AWS_SECRET_ACCESS_KEY=%s]
  options: {disableNameSuffixHash: true}
patches:
- target: {kind: ConfigMap}
  patch: |-
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: ignored}
    data:
      %s
%s`, os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), strings.Join(settings, "\n      "), b.onHostNetwork()))
}

// onHostNetwork are patches with which the program's pods run on the testbed's
// node, where the API server and the store are on loopback.
func (b *bed) onHostNetwork() string {
	b.t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		b.t.Fatal(err)
	}
	api, err := url.Parse(cfg.Host)
	if err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprintf(`- target: {kind: Namespace}
  patch: |-
    - op: remove
      path: /metadata/labels/pod-security.kubernetes.io~1enforce
- target: {kind: CronJob}
  patch: |-
    apiVersion: batch/v1
    kind: CronJob
    metadata: {name: ignored}
    spec:
      schedule: "* * * * *"
      suspend: true
      jobTemplate:
        spec:
          template:
            spec:
              hostNetwork: true
              nodeName: %s
              containers:
              - name: pod-reclaimer
                imagePullPolicy: Never
                env:
                - {name: KUBERNETES_SERVICE_HOST, value: %s}
                - {name: KUBERNETES_SERVICE_PORT, value: "%s"}
`, os.Getenv("TESTBED_NODE"), api.Hostname(), api.Port())
}

// cronJob is the name of the one that was installed.
func (b *bed) cronJob() string { return "cronjob/" + b.namespace + "-pod-reclaimer" }

// inHome runs kubectl in the namespace where the manifests are installed.
func (b *bed) inHome(args ...string) string {
	b.t.Helper()
	return string(b.kubectl(append(args, "--namespace", b.home)...))
}

// endedPods lets so many pods run and end on the real node.
func (b *bed) endedPods(n int) {
	b.t.Helper()
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, `
apiVersion: v1
kind: Pod
metadata: {name: job-%d}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: IMAGE, imagePullPolicy: Never, command: [sh, -c, "echo working on %d"]}
---`, i, i)
	}
	b.apply(all.String())
	for i := range n {
		b.waitEnded(fmt.Sprintf("pod/job-%d", i))
	}
}

// waitJob waits until a Job is over, whichever way.
func (b *bed) waitJob(job string) {
	b.t.Helper()
	eventually(b.t, job+" is over", func() bool {
		conditions := b.inHome("get", "job", job, "-o", "jsonpath={.status.conditions[*].type}")
		return strings.Contains(conditions, "Complete") || strings.Contains(conditions, "Failed")
	})
}

// finished waits until a Job is over, and returns the summaries that its pods
// left as termination messages, with their exit codes.
func (b *bed) finished(job string) []terminated {
	b.t.Helper()
	b.waitJob(job)
	var pods struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct {
				ContainerStatuses []struct {
					State struct {
						Terminated struct {
							ExitCode int
							Message  string
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(b.inHome("get", "pods", "-l", "job-name="+job, "-o", "json")), &pods); err != nil {
		b.t.Fatal(err)
	}
	var all []terminated
	for _, p := range pods.Items {
		state := p.Status.ContainerStatuses[0].State.Terminated
		e := terminated{pod: p.Metadata.Name, code: state.ExitCode, message: state.Message}
		if err := json.Unmarshal([]byte(state.Message), &e.summary); err != nil {
			b.t.Errorf("%s of %s left %q: %v", e.pod, job, state.Message, err)
		}
		if e.summary.Sum() != e.summary.Listed {
			b.t.Errorf("%s: listed %d, but the outcomes sum to %d", e.pod, e.summary.Listed, e.summary.Sum())
		}
		all = append(all, e)
	}
	return all
}

// terminated is how a pod of the program ended, and what it left to read.
type terminated struct {
	pod     string
	code    int
	message string
	summary summary
}

// As a user installs and uses it, on a real node and with the image: by
// schedule, by hand, and when it fails; and it leaves its own pods alone.
func TestCronJobOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	b.loadImage()
	b.home = b.makeNamespace()
	b.install(b.onNode("base", "RECLAIM_NAMESPACES: "+b.namespace+","+b.home))
	cronJob := b.cronJob()
	b.endedPods(3)

	b.inHome("create", "job", "--from="+cronJob, "manual-1")
	runs := b.finished("manual-1")
	if len(runs) != 1 || runs[0].code != 0 || runs[0].summary.Deleted != 3 || runs[0].summary.Logs["complete"] != 3 {
		t.Fatalf("manual-1 ended as %+v", runs)
	}
	if pods := b.podsIn(); len(pods) != 0 {
		t.Errorf("%v are still there", pods)
	}
	if described := b.inHome("describe", "pod", runs[0].pod); !strings.Contains(described, `"deleted":3`) {
		t.Errorf("kubectl describe pod does not show the summary:\n%s", described)
	}
	bundle, _ := b.bundle("job-2")
	if log := string(bundle.Files["logs/main.log"]); !strings.HasSuffix(log, " working on 2\n") {
		t.Errorf("the log in the bundle is %q", log)
	}

	// without a bucket it fails, and kubectl says why
	job := b.inHome("create", "job", "--from="+cronJob, "manual-2", "--dry-run=client", "-o", "json")
	job = string(b.kubectlIn(job, "set", "env", "--namespace", b.home, "--local", "-f", "-", "ARCHIVE_BUCKET=no-such-bucket", "-o", "json"))
	b.kubectlIn(job, "apply", "--namespace", b.home, "-f", "-")
	b.endedPods(1)
	runs = b.finished("manual-2")
	if len(runs) != 1 || runs[0].code != 1 || !strings.Contains(runs[0].message, "ARCHIVE_BUCKET") {
		t.Errorf("manual-2 ended as %+v", runs)
	}
	if described := b.inHome("describe", "pod", runs[0].pod); !strings.Contains(described, "no-such-bucket") {
		t.Errorf("kubectl describe pod does not say what is wrong:\n%s", described)
	}

	// the schedule
	b.inHome("patch", cronJob, "--type=merge", "-p", `{"spec":{"suspend":false}}`)
	eventually(t, "the schedule has brought the pod to the archive", func() bool { return len(b.podsIn()) == 0 })
	b.inHome("patch", cronJob, "--type=merge", "-p", `{"spec":{"suspend":true}}`)
	scheduled := strings.Fields(b.inHome("get", "jobs", "-o", `jsonpath={.items[?(@.metadata.annotations.batch\.kubernetes\.io/cronjob-scheduled-timestamp)].metadata.name}`))
	if len(scheduled) == 0 {
		t.Fatal("no Job was made by the schedule")
	}
	runs = b.finished(scheduled[0])
	if len(runs) != 1 || runs[0].code != 0 || runs[0].summary.Deleted != 1 || runs[0].summary.Skipped["self"] != 2 {
		t.Errorf("%s ended as %+v, want one pod deleted and our own two skipped", scheduled[0], runs)
	}
	b.bundle("job-0")
}
