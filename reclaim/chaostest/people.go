package chaostest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"
)

var podPath = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)`)

// meddleMeanwhile lets other people change pods while runs are at work, and
// the observer copy logs.
func (s *Series) meddleMeanwhile(d dice) {
	for range 1 + d.IntN(4) {
		time.Sleep(d.between(100*time.Millisecond, time.Second))
		s.node.tend(s)
		lives := slices.DeleteFunc(s.history.all(), func(l *life) bool { return l.gone })
		if len(lives) > 0 && !s.spent() {
			s.meddle(lives[d.IntN(len(lives))], d)
		}
	}
}

// meddleIn lets somebody change the pod that a request is for.
func (s *Series) meddleIn(path string, d dice) {
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
func (s *Series) meddle(l *life, d dice) {
	if l.namespace == s.nodeNamespace && !s.node.copied(l.uid) {
		return
	}
	yes := "true"
	switch what := pick(d, "relabel", "relabel", "hold", "release", "release", "finalizer", "no finalizer", "delete", "replace", "replace", "retention"); what {
	case "relabel":
		s.change(l, what, map[string]any{"labels": map[string]any{"changed": fmt.Sprint(d.IntN(1000))}})
	case "hold":
		s.change(l, what, map[string]any{"annotations": map[string]any{hold: yes}})
	case "release":
		s.change(l, what, map[string]any{"annotations": map[string]any{hold: nil}})
	case "retention":
		s.change(l, what, map[string]any{"annotations": map[string]any{retention: pick(d, "30d", "7d")}})
	case "finalizer":
		s.change(l, what, map[string]any{"finalizers": []string{"example.com/late"}})
	case "no finalizer":
		s.change(l, what, map[string]any{"finalizers": nil})
	case "delete":
		s.remove(l)
	case "replace":
		s.replace(l, d)
	}
}

// change patches the metadata of exactly this pod.
func (s *Series) change(l *life, what string, metadata map[string]any) (int, error) {
	metadata["uid"] = l.uid
	status, err := s.cluster.do(http.MethodPatch, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod, map[string]any{"metadata": metadata}, nil)
	s.journal.note("somebody: %s %s/%s : %d", what, l.namespace, l.pod, status)
	if err == nil {
		s.count("others: " + what)
	}
	return status, err
}

// annotate sets or removes an annotation; the observer does so, which is no
// fault.
func (s *Series) annotate(l *life, name string, value any) (int, error) {
	status, err := s.cluster.do(http.MethodPatch, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod,
		map[string]any{"metadata": map[string]any{"uid": l.uid, "annotations": map[string]any{name: value}}}, nil)
	s.journal.note("somebody (the observer) annotates %s/%s : %s, %d", l.namespace, l.pod, name, status)
	return status, err
}

// remove deletes exactly this pod, and notes what is known of that.
func (s *Series) remove(l *life) bool {
	status, err := s.cluster.do(http.MethodDelete, "/api/v1/namespaces/"+l.namespace+"/pods/"+l.pod,
		map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": map[string]any{"uid": l.uid}}, nil)
	s.journal.note("somebody: delete %s/%s : %s, %d", l.namespace, l.pod, l.uid, status)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.theirs[l.uid] = won
		s.faults["others: delete"]++
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
func (s *Series) replace(l *life, d dice) {
	s.mu.Lock()
	_, known := s.plans[l.namespace+"/"+l.pod]
	s.mu.Unlock()
	if !known || !s.remove(l) || len(l.last.Finalizers) > 0 {
		return
	}
	s.count("others: make it anew")
	s.journal.note("somebody: make anew %s/%s ", l.namespace, l.pod)
	if l.namespace == s.nodeNamespace {
		s.makeNodePod(d, l.pod, false)
		return
	}
	s.makeFakePod(d, l.namespace, l.pod, false)
}

// replaceIn replaces the pod that a request is for.
func (s *Series) replaceIn(path string, d dice) {
	m := podPath.FindStringSubmatch(path)
	if m == nil {
		return
	}
	if l := s.history.now(m[1], m[2]); l != nil && (l.namespace != s.nodeNamespace || s.node.copied(l.uid)) {
		s.replace(l, d)
	}
}
