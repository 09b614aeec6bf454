package chaostest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

var podPath = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)`)

// meddleMeanwhile lets other people change pods while runs are at work, and
// the observer copy logs.
func (s *Series) meddleMeanwhile(d dice.Dice) {
	for range 1 + d.IntN(4) {
		time.Sleep(d.Between(100*time.Millisecond, time.Second))
		s.node.tend(s)
		onNode := d.Chance(0.25)
		lives := slices.DeleteFunc(s.history.all(), func(l *life) bool { return l.gone || onNode && l.namespace != s.nodeNamespace })
		if len(lives) > 0 && !s.spent() {
			s.meddle(lives[d.IntN(len(lives))], d)
		}
	}
}

// meddleIn lets somebody change the pod that a request is for.
func (s *Series) meddleIn(path string, d dice.Dice) {
	m := podPath.FindStringSubmatch(path)
	if m == nil {
		return
	}
	if l := s.history.now(m[1], m[2]); l != nil {
		s.meddle(l, d)
	}
}

// meddle lets somebody change a pod. One of the real node is left alone until
// its logs are safe with the observer.
func (s *Series) meddle(l *life, d dice.Dice) {
	if l.namespace == s.nodeNamespace && !s.node.copied(l.uid) {
		return
	}
	if l.namespace == s.nodeNamespace && d.Chance(0.2) {
		s.loseLogs(l)
		return
	}
	yes := "true"
	switch what := dice.Pick(d, "relabel", "relabel", "hold", "release", "release", "finalizer", "no finalizer", "delete", "replace", "replace", "retention"); what {
	case "relabel":
		s.change(l, what, map[string]any{"labels": map[string]any{"changed": fmt.Sprint(d.IntN(1000))}})
	case "hold":
		s.change(l, what, map[string]any{"annotations": map[string]any{hold: yes}})
	case "release":
		s.change(l, what, map[string]any{"annotations": map[string]any{hold: nil}})
	case "retention":
		s.change(l, what, map[string]any{"annotations": map[string]any{retention: dice.Pick(d, "30d", "7d")}})
	case "finalizer":
		s.change(l, what, map[string]any{"finalizers": []string{"example.com/late"}})
	case "no finalizer":
		s.change(l, what, map[string]any{"finalizers": nil})
	case "delete":
		if s.remove(l) {
			s.count("others: delete")
		}
	case "replace":
		if s.replace(l, d) {
			s.count("others: delete, and make another of the same name")
		}
	}
}

// change patches the metadata of exactly this pod.
func (s *Series) change(l *life, what string, metadata map[string]any) {
	metadata["uid"] = l.uid
	status, err := s.cluster.do(http.MethodPatch, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod, map[string]any{"metadata": metadata})
	s.journal.note("somebody: %s %s/%s : %d", what, l.namespace, l.pod, status)
	if err == nil {
		s.count("others: " + what)
	}
}

// annotate sets or removes an annotation; the observer does so, which is no
// fault.
func (s *Series) annotate(l *life, name string, value any) int {
	status, _ := s.cluster.do(http.MethodPatch, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod,
		map[string]any{"metadata": map[string]any{"uid": l.uid, "annotations": map[string]any{name: value}}})
	s.journal.note("somebody (the observer) annotates %s/%s : %s, %d", l.namespace, l.pod, name, status)
	return status
}

// remove deletes exactly this pod, and notes what is known of that.
func (s *Series) remove(l *life) bool {
	status, err := s.cluster.do(http.MethodDelete, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod,
		map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": map[string]any{"uid": l.uid}})
	s.journal.note("somebody: delete %s/%s : %s, %d", l.namespace, l.pod, l.uid, status)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.theirs[l.uid] = won
	case (status == 0 || status >= 500) && s.theirs[l.uid] == "":
		s.theirs[l.uid] = perhaps
	}
	return err == nil
}

// What a delete of others came to, where it was not refused.
const (
	won     = "done"
	perhaps = "nobody knows"
)

// replace deletes the pod and makes another one of the same name.
func (s *Series) replace(l *life, d dice.Dice) bool {
	s.mu.Lock()
	known := s.made[l.namespace+"/"+l.pod]
	s.mu.Unlock()
	if !known || len(l.last.Finalizers) > 0 || !s.remove(l) {
		return false
	}
	s.journal.note("somebody: make another %s/%s ", l.namespace, l.pod)
	if l.namespace == s.nodeNamespace {
		return s.makeNodePod(d, l.pod, s.cluster.try) == nil
	}
	return s.makeFakePod(d, l.namespace, l.pod, s.cluster.try) == nil
}

// replaceIn replaces the pod that a request is for.
func (s *Series) replaceIn(path string, d dice.Dice) bool {
	m := podPath.FindStringSubmatch(path)
	if m == nil {
		return false
	}
	l := s.history.now(m[1], m[2])
	return l != nil && (l.namespace != s.nodeNamespace || s.node.copied(l.uid)) && s.replace(l, d)
}
