package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
)

// shown is what kubectl shows of a pod before it is archived.
type shown struct {
	pod        string
	yaml, json []byte
	// logs are what kubectl logs prints, by its arguments; none where it has an
	// error instead of a log.
	logs map[string][]byte
}

// shown asks kubectl for all that it can show of these pods.
func (b *bed) shown(pods ...string) []shown {
	b.t.Helper()
	var all []shown
	for _, pod := range pods {
		s := shown{pod: pod, logs: map[string][]byte{}}
		s.yaml, s.json = b.kubectl("get", "pod", pod, "-o", "yaml"), b.kubectl("get", "pod", pod, "-o", "json")
		containers := b.kubectl("get", "pod", pod, "-o", "jsonpath={.spec.initContainers[*].name} {.spec.containers[*].name} {.spec.ephemeralContainers[*].name}")
		for _, c := range strings.Fields(string(containers)) {
			for _, args := range []string{"-c " + c, "-c " + c + " --previous", "-c " + c + " --timestamps", "-c " + c + " --tail=2", "-c " + c + " --prefix"} {
				s.logs[args] = b.loggedBy(pod, strings.Fields(args))
			}
		}
		all = append(all, s)
	}
	return all
}

// loggedBy is what kubectl logs prints; nil for an error, also one that stands
// where a log should be, without a timestamp.
func (b *bed) loggedBy(pod string, args []string) []byte {
	b.t.Helper()
	stamped, err := b.tryKubectl("", append([]string{"logs", pod, "--timestamps"}, args...)...)
	if err != nil || len(stamped) > 0 && (stamped[0] < '1' || stamped[0] > '9') && stamped[0] != '[' {
		return nil
	}
	log, err := b.tryKubectl("", append([]string{"logs", pod}, args...)...)
	if err != nil {
		return nil
	}
	return append([]byte{}, log...)
}

// readsBack compares what the verbs print of pods that are gone with what kubectl
// printed when they were there. A log that kubectl had can be missing only where
// the bundle says that it could not be had.
func (b *bed) readsBack(before []shown) {
	b.t.Helper()
	equal := 0
	for _, s := range before {
		for format, want := range map[string][]byte{"yaml": s.yaml, "json": s.json} {
			if got, code := b.reads("get", s.pod, "-o", format); code != 0 || !bytes.Equal(got, want) {
				b.t.Errorf("get %s -o %s: exit code %d, got\n%s\nkubectl printed\n%s", s.pod, format, code, got, want)
			}
		}
		for args, want := range s.logs {
			got, code := b.reads(append([]string{"logs", s.pod}, strings.Fields(args)...)...)
			if strings.Contains(args, "--tail") && longLine(got) {
				continue // the kubelet counts the parts in which a runtime writes it
			}
			switch {
			case want == nil && code != 1 && !b.kept(s.pod, args):
				b.t.Errorf("logs %s %s: exit code %d, kubectl had no log", s.pod, args, code)
			case want != nil && code == 1 && !b.kept(s.pod, args):
				b.t.Logf("logs %s %s: it could not be had any more", s.pod, args)
			case want != nil && (code != 0 || !bytes.Equal(got, want)):
				b.t.Errorf("logs %s %s: exit code %d, got %d bytes\n%.300q\nkubectl printed %d\n%.300q", s.pod, args, code, len(got), got, len(want), want)
			case len(want) > 0:
				equal++
			}
		}
	}
	if equal < 2*len(before) {
		b.t.Errorf("only %d logs of %d pods were compared", equal, len(before))
	}
}

// longLine tells whether a log has a line of more than one part.
func longLine(log []byte) bool {
	for line := range bytes.Lines(log) {
		if len(line) > 16<<10 {
			return true
		}
	}
	return false
}

// kept tells whether the bundle has the log that these arguments ask for.
func (b *bed) kept(pod, args string) bool {
	b.t.Helper()
	bundle, _ := b.bundle(pod)
	log, _ := bundle.Log(strings.Fields(args)[1], strings.Contains(args, "--previous"))
	return log.Path != ""
}

// reads runs a verb on the test's namespace and returns what it printed.
func (b *bed) reads(args ...string) (stdout []byte, code int) {
	b.t.Helper()
	cmd := exec.Command(b.binary, append(args, "-n", b.namespace)...)
	for name, value := range b.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return stdout, cmd.ProcessState.ExitCode()
}
