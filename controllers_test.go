package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// jobCase is a Job of which some pods end at once and one waits.
type jobCase struct {
	spec   string // beside the template
	script string // what its pods do: end, or call released to wait
	starts int    // of containers, over all of the Job's life
	ended  int    // pods that end before any is released
	end    string // the Job's status in the end
}

var jobCases = map[string]jobCase{
	"plain": {
		spec:   `completions: 2, parallelism: 2`,
		script: "first || released", starts: 2, ended: 1,
		end: "succeeded=2 failed= Complete=True",
	},
	"indexed": {
		spec:   `completions: 2, parallelism: 2, completionMode: Indexed`,
		script: `test "$JOB_COMPLETION_INDEX" = 0 || released`, starts: 2, ended: 1,
		end: "succeeded=2 failed= Complete=True indexes=0,1",
	},
	"retried": {
		spec:   `backoffLimit: 1`,
		script: "if first; then exit 1; fi; released; exit 1", starts: 2, ended: 1,
		end: "succeeded= failed=2 Failed=True BackoffLimitExceeded",
	},
	"per-index": {
		spec:   `completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 1`,
		script: `test "$JOB_COMPLETION_INDEX" = 1 && exit 0; if first; then exit 1; fi; released; exit 1`, starts: 3, ended: 2,
		end: "succeeded=1 failed=2 Failed=True FailedIndexes indexes=1 failedIndexes=0",
	},
	"policy": {
		spec: `backoffLimit: 0, podFailurePolicy: {rules: [` +
			`{action: Ignore, onExitCodes: {operator: In, values: [42]}}, {action: FailJob, onExitCodes: {operator: In, values: [3]}}]}`,
		script: "if first; then exit 42; fi; released; exit 3", starts: 2, ended: 1,
		end: "succeeded= failed=1 Failed=True PodFailurePolicy",
	},
}

// startJob makes the Job. Its pods note each start in the folder work.
func (b *bed) startJob(name, work string, c jobCase) {
	b.t.Helper()
	script := strings.ReplaceAll(`echo start >> /work/NAME; first() { mkdir /work/NAME-first 2>/dev/null; }; `+
		`released() { until test -e /work/released; do sleep 0.1; done; }; `+c.script, "NAME", name)
	b.apply(fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s}
spec: {%s, template: {spec: {restartPolicy: Never,
  volumes: [{name: work, hostPath: {path: %s}}],
  containers: [{name: main, image: IMAGE, imagePullPolicy: Never, volumeMounts: [{name: work, mountPath: /work}], command: [sh, -c, %q]}]}}}
`, name, c.spec, work, script))
}

// Jobs in the middle of their work lose their ended pods, and go on as if those
// were there: no work is done again, every failure counts, and each Job ends as
// it should.
func TestJobsAfterDeleteOnRealNode(t *testing.T) {
	b := newNodeBed(t)
	work := t.TempDir()
	ended, waiting := 0, 0
	for name, c := range jobCases {
		b.startJob(name, work, c)
		ended += c.ended
		waiting += c.starts - c.ended
	}
	b.waitCounted(ended)
	for name, c := range jobCases {
		eventually(t, name+" has started all", func() bool { return starts(t, work, name) == c.starts })
	}
	e := b.run()
	e.expect(t, 0, "all ended pods deleted", e.summary.Deleted == ended)

	if err := os.WriteFile(filepath.Join(work, "released"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.waitCounted(waiting)
	e = b.run()
	e.expect(t, 0, "the others deleted", e.summary.Deleted == waiting)
	time.Sleep(3 * time.Second) // for a controller that would start something again
	for name, c := range jobCases {
		got := "succeeded=" + b.field("job/"+name, ".status.succeeded") + " failed=" + b.field("job/"+name, ".status.failed")
		for _, condition := range []string{"Complete", "Failed"} {
			if b.field("job/"+name, `.status.conditions[?(@.type=="`+condition+`")].status`) == "True" {
				got += " " + condition + "=True"
			}
		}
		if reason := b.field("job/"+name, `.status.conditions[?(@.type=="Failed")].reason`); reason != "" {
			got += " " + reason
		}
		if indexes := b.field("job/"+name, ".status.completedIndexes"); indexes != "" {
			got += " indexes=" + indexes
		}
		if failed := b.field("job/"+name, ".status.failedIndexes"); failed != "" {
			got += " failedIndexes=" + failed
		}
		if got != c.end {
			t.Errorf("Job %s ended as %q, want %q", name, got, c.end)
		}
		if n := starts(t, work, name); n != c.starts {
			t.Errorf("Job %s started %d containers, want %d", name, n, c.starts)
		}
	}
	if left := b.podsIn(); len(left) != 0 {
		t.Errorf("there are still %v", left)
	}
}

// waitCounted waits until so many pods have ended and no Job has to count them.
func (b *bed) waitCounted(n int) {
	b.t.Helper()
	eventually(b.t, fmt.Sprintf("%d pods have ended and are counted", n), func() bool {
		output := b.kubectl("get", "pods", "--field-selector=status.phase!=Running,status.phase!=Pending",
			"-o", `jsonpath={range .items[*]}{"pod "}{.metadata.finalizers}{"\n"}{end}`)
		return strings.Count(string(output), "pod \n") == n
	})
}

func starts(t testing.TB, work, job string) int {
	text, err := os.ReadFile(filepath.Join(work, job))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "start")
}
