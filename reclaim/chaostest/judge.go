package chaostest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// judge looks at everything after a run that nothing has disturbed.
func (s *Series) judge() {
	s.history.await(s.t, s.cluster, s.namespaces[0], fmt.Sprintf("m%03d-judge", s.round))
	bundles := s.readBucket()
	deleted := s.judgeRequests()
	for _, l := range s.history.all() {
		switch {
		case l.gone:
			s.judgeGone(l, deleted[l.uid], bundles)
		case terminal(l.last):
			s.judgeLeft(l, bundles)
		}
	}
}

// readBucket reads what has come into the bucket in this round, and finds what is
// not what it says. The answer has the whole bundles by UID and resourceVersion.
func (s *Series) readBucket() map[string][]*bundle {
	keys, err := s.bucket.keys(s.name + "/")
	if err != nil {
		s.t.Fatal(err)
	}
	byState := map[string][]*bundle{}
	lives := map[string]*life{}
	for _, l := range s.history.all() {
		lives[l.uid] = l
	}
	keys = slices.DeleteFunc(keys, func(key string) bool {
		if !strings.Contains(key, "/pods/") {
			return s.readBefore(key)
		}
		return !strings.Contains(key, fmt.Sprintf("/r%03d-", s.round))
	})
	objects := make([]*object, len(keys))
	var work []func() error
	for i, key := range keys {
		work = append(work, func() (err error) {
			objects[i], err = s.bucket.get(key)
			return err
		})
	}
	s.sideBySide(work)
	if s.t.Failed() {
		s.t.FailNow()
	}
	for _, o := range objects {
		if !strings.Contains(o.key, "/pods/") {
			s.judgeRecord(o)
		} else if b := s.judgeBundle(o, lives); b != nil {
			byState[b.uid+"_"+b.version] = append(byState[b.uid+"_"+b.version], b)
		}
	}
	return byState
}

// judgeRecord reads a part of a run's record.
func (s *Series) judgeRecord(o *object) {
	key := o.key
	for line := range strings.Lines(string(o.body)) {
		if !strings.HasSuffix(key, ".ndjson") {
			line = string(o.body)
		}
		if !json.Valid([]byte(line)) {
			s.found(nil, "%s is not whole: %.200q", key, line)
			return
		}
	}
}

// judgeBundle reads a bundle; nil if it proves nothing.
func (s *Series) judgeBundle(o *object, lives map[string]*life) *bundle {
	key := o.key
	b, err := readBundle(o)
	var l *life
	if b != nil {
		l = lives[b.uid]
	}
	if s.isDamaged(key) {
		return nil
	}
	if err == nil && l == nil {
		err = fmt.Errorf("no pod ever had its UID")
	}
	if err != nil {
		s.found(l, "%s is no whole bundle: %v", key, err)
		return nil
	}
	if stored, ok := l.states[b.version]; !ok {
		s.found(l, "%s: the pod never had this resourceVersion", key)
	} else if err := b.sameAs(stored); err != nil {
		s.found(l, "%s does not have the pod's manifest: %v", key, err)
	}
	claimed := map[string]bool{}
	for _, log := range b.opened.Index.Logs {
		claimed[log.Path] = true
		if why := s.falseLog(b, log); why != "" {
			s.found(l, "%s: the log of %s (previous: %v), said to be %s, is not: %s", key, log.Container, log.Previous, log.Outcome, why)
		}
	}
	for path := range b.opened.Files {
		if strings.HasPrefix(path, "logs/") && !claimed[path] {
			s.found(l, "%s: %s is in no entry of the index", key, path)
		}
	}
	s.countBundle(b)
	return b
}

// judgeRequests looks at what the program has asked of the API server. The answer
// has the resourceVersion by which it deleted each UID, as far as the server said
// that it did.
func (s *Series) judgeRequests() map[string]string {
	deleted := map[string]string{}
	lives := map[string]*life{}
	for _, l := range s.history.all() {
		lives[l.uid] = l
	}
	for _, e := range s.journal.entries() {
		if e.server != "api" || e.method == http.MethodGet || strings.HasSuffix(e.path, "/selfsubjectaccessreviews") {
			continue
		}
		var options struct {
			Preconditions struct{ UID, ResourceVersion string }
		}
		json.Unmarshal(e.body, &options)
		want := options.Preconditions
		l := lives[want.UID]
		switch {
		case e.method != http.MethodDelete || podPath.FindString(e.path) != e.path:
			s.found(nil, "%s %s: not the delete of one pod", e.method, e.path)
		case want.UID == "" || want.ResourceVersion == "":
			m := podPath.FindStringSubmatch(e.path)
			s.found(&life{namespace: m[1], pod: m[2]}, "a DELETE does not say which UID and resourceVersion: %s", e.body)
		case l == nil || !slices.Contains(l.order, want.ResourceVersion):
			s.found(l, "DELETE %s: there never was a pod like this: %s", e.path, e.body)
		case e.status == http.StatusOK:
			deleted[want.UID] = want.ResourceVersion
		}
	}
	return deleted
}

// judgeGone looks for the evidence of a pod that is no more, unless others have
// deleted it. ours is the resourceVersion by which the program did, if the API
// server has said so.
func (s *Series) judgeGone(l *life, ours string, bundles map[string][]*bundle) {
	if isMarker(l.pod) {
		return
	}
	s.mu.Lock()
	theirs := s.theirs[l.uid]
	s.mu.Unlock()
	if ours == "" && theirs != "" {
		return
	}
	if ours != "" && ours != l.lastVersion() && theirs == "" {
		s.found(l, "it was deleted as %s, its last state was %s", ours, l.lastVersion())
	}
	s.mu.Lock()
	s.figures.deleted++
	s.mu.Unlock()
	version := l.lastVersion()
	if ours != "" {
		version = ours
	}
	state, err := decodePod(l.states[version])
	if err != nil {
		s.t.Fatal(err)
	}
	if why := mustStay(state); why != "" {
		s.found(l, "the program deleted it: %s", why)
	}
	all, why := bundles[l.uid+"_"+version], ""
	for _, b := range all {
		if b.provisional {
			continue
		}
		if why = s.incomplete(b); why == "" {
			return
		}
	}
	switch {
	case why != "":
		s.found(l, "the program deleted it without a log: %s", why)
	case len(all) > 0:
		s.found(l, "the program deleted it, and there is only a provisional bundle")
	default:
		s.found(l, "the program deleted it, and there is no bundle of its UID and resourceVersion")
	}
}

// incomplete says what is missing in the bundle of a pod that was deleted.
func (s *Series) incomplete(b *bundle) string {
	spec, status := b.manifest.Spec, b.manifest.Status
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		if _, ok := b.opened.Log(c.Name, false); !ok {
			return fmt.Sprintf("%s does not say what became of the log of %s", b.key, c.Name)
		}
	}
	for _, c := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		if _, ok := b.opened.Log(c.Name, true); !ok && c.RestartCount > 0 {
			return fmt.Sprintf("%s does not say what became of the previous log of %s", b.key, c.Name)
		}
	}
	for _, l := range b.opened.Index.Logs {
		if why := s.missing(b, l); why != "" {
			return fmt.Sprintf("log of %s (previous: %v) %s (%d %s): %s", l.Container, l.Previous, l.Outcome, l.Status, l.Note, why)
		}
	}
	return ""
}

// judgeLeft looks at a pod that has ended and is still there.
func (s *Series) judgeLeft(l *life, bundles map[string][]*bundle) {
	if mustStay(l.last) == "" && !s.node.hasLost(l.uid) {
		s.found(l, "it should have gone")
	}
	if len(bundles[l.uid+"_"+l.lastVersion()]) == 0 && !s.hasDamaged(l) {
		s.found(l, "it is in scope, kept, and has no bundle of its state")
	}
}

// mustStay says why a pod may not go.
func mustStay(pod *corev1.Pod) string {
	wanted, has := pod.Annotations[retention]
	switch {
	case !terminal(pod):
		return "it had not ended"
	case pod.Annotations[hold] == "true":
		return "it is on hold"
	case has && wanted != "1d" && wanted != "7d" && wanted != "30d":
		return "its retention cannot be understood"
	case len(pod.Finalizers) > 0:
		return "it has a finalizer"
	case pod.DeletionTimestamp != nil:
		return "it is terminating"
	}
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if status.State.Running != nil {
			return "a container runs"
		}
	}
	return ""
}

// judgeRun looks at what one run has said and left.
func (s *Series) judgeRun(r *run) {
	if left := r.left(); len(left) > 0 {
		s.found(nil, "run %d has left files: %v", r.number, left)
	}
	code := r.cmd.ProcessState.ExitCode()
	if strings.Contains(r.output.String(), "DATA RACE") {
		s.found(nil, "run %d has a race:\n%s", r.number, r.output.String())
	}
	if r.wasKilled() {
		s.mu.Lock()
		s.figures.killed++
		s.mu.Unlock()
		return
	}
	output := r.output.String()
	if strings.Contains(output, os.Getenv("AWS_SECRET_ACCESS_KEY")) {
		s.found(nil, "run %d prints a secret:\n%s", r.number, output)
	}
	last, err := r.last()
	if err != nil {
		if code != 1 && code != 2 {
			s.found(nil, "run %d ended with %d and %v:\n%s", r.number, code, err, tail(output))
		}
		return
	}
	if last.Sum() != last.Listed {
		s.found(nil, "run %d listed %d pods, its outcomes sum to %d:\n%s", r.number, last.Listed, last.Sum(), tail(output))
	}
	s.judgeCode(r, last, code)
	s.judgeCounts(r, last)
	if left := goroutines(filepath.Join(r.dir, "goroutines")); left != "" {
		s.found(nil, "run %d has left goroutines:\n%s", r.number, left)
	}
}

func (s *Series) judgeCode(r *run, last *reclaimtest.Summary, code int) {
	failed := len(last.Failed) > 0
	switch {
	case r.calm && code != 0,
		code == 0 && failed, code == 3 && !failed,
		code != 0 && code != 1 && code != 3 && !(r.weather.blow == "terminate" && code == 143):
		s.found(nil, "run %d ended with %d:\n%s", r.number, code, tail(r.output.String()))
	}
}

// judgeCounts compares the summary with the API server's answers.
func (s *Series) judgeCounts(r *run, last *reclaimtest.Summary) {
	deletes := 0
	for _, e := range s.journal.entries() {
		if e.run == r.number && e.server == "api" && e.method == http.MethodDelete {
			if e.status == http.StatusOK {
				deletes++
			}
			if r.weather.young && e.forwarded {
				s.found(nil, "run %d: DELETE %s, and no pod was old enough", r.number, e.path)
			}
		}
	}
	if last.Deleted > deletes {
		s.found(nil, "run %d says that it deleted %d pods, the API server did %d", r.number, last.Deleted, deletes)
	}
	if r.calm && last.Deleted+last.Pending != deletes {
		s.found(nil, "run %d says that it deleted %d pods, the API server did %d", r.number, last.Deleted, deletes)
	}
}

func tail(text string) string { return text[max(0, len(text)-3000):] }

func isMarker(pod string) bool { return strings.HasPrefix(pod, "m") }
