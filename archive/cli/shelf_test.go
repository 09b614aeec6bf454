package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

const (
	uid  = "0d5f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d11"
	uid2 = "1e6f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d22"
	uid3 = "2f7f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d33"
)

// set puts an object past the front door that was stored some days ago.
func (s *shelf) set(name string, days, size int) *archivetest.Stored {
	o := &archivetest.Stored{Body: make([]byte, size), Stored: today.Add(-time.Duration(days) * 24 * time.Hour), Header: http.Header{}}
	s.store.Set("prod-1/"+name, o)
	return o
}

// ago sets the clock of the program back.
func (s *shelf) ago(d time.Duration) { s.now = today.Add(-d) }

// logOf is one container's log to archive. Its text is as it is served.
type logOf struct {
	archive.Log
	text string
}

// served is text as the log endpoint serves it: a timestamp before each line.
func served(lines ...string) string {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "2026-12-07T09:%02d:00.123456789Z %s\n", i, line)
	}
	return text.String()
}

// put archives a pod as a run does, at the time of s.now.
func (s *shelf) put(key archive.Key, manifest string, logs ...logOf) archive.Object {
	s.t.Helper()
	bucket, err := s.open(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	finished := time.Date(2026, 12, 7, 10, 0, 0, 0, time.UTC)
	index := archive.Index{
		Schema: archive.Schema, Cluster: "prod-1", Namespace: key.Namespace, Pod: key.Pod, UID: key.UID, ResourceVersion: key.ResourceVersion,
		Phase: "Failed", Node: "node-1", Class: key.Class.String(), FinishedAt: finished, FinishedAtSource: "containers", Notes: []string{},
	}
	b := archive.NewBundle(s.cfg.SpoolDir, s.cfg.Compression)
	defer b.Remove()
	b.Add("pod.json", []byte(manifest))
	b.Add("events.json", []byte(`{"kind":"List","apiVersion":"v1","items":[]}`))
	for _, l := range logs {
		if l.Path != "" {
			if err := b.AddLog(l.Path, func(w io.Writer) error { _, err := io.WriteString(w, l.text); return err }); err != nil {
				s.t.Fatal(err)
			}
		}
		index.Logs = append(index.Logs, l.Log)
	}
	sealed, err := b.Seal(index, finished)
	if err != nil {
		s.t.Fatal(err)
	}
	o, err := bucket.Put(s.t.Context(), key, sealed)
	if err != nil {
		s.t.Fatal(err)
	}
	s.store.Object(o.Name()).Stored = s.now
	return o
}

// manifestOf is a pod's manifest with these containers; those that begin with
// "init:" are init containers.
func manifestOf(name string, containers ...string) string {
	var kinds [2][]string
	for _, c := range containers {
		name, isInit := strings.CutPrefix(c, "init:")
		kind := 0
		if isInit {
			kind = 1
		}
		text, _ := json.Marshal(name)
		kinds[kind] = append(kinds[kind], fmt.Sprintf(`{"name":%s,"image":"example/image:1"}`, text))
	}
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","managedFields":[{"manager":"kubelet"}],"annotations":{"note":"a < b"}},`+
		`"spec":{"initContainers":[%s],"containers":[%s],"priority":0},"status":{"phase":"Failed"}}`+"\n", name, strings.Join(kinds[1], ","), strings.Join(kinds[0], ","))
}

func log(container, kind string, outcome archive.Outcome, lines ...string) logOf {
	l := logOf{archive.Log{Container: container, Type: kind, Outcome: outcome}, served(lines...)}
	if outcome != archive.Unavailable && outcome != archive.NeverStarted {
		l.Path = "logs/" + container + ".log"
	}
	return l
}

// withNote gives a log a note, previous makes it that of the instance before.
func (l logOf) withNote(note string) logOf { l.Note = note; return l }

func (l logOf) previous() logOf {
	l.Previous = true
	if l.Path != "" {
		l.Path = "logs/" + l.Container + ".previous.log"
	}
	return l
}

func keyOf(namespace, pod, uid, version string) archive.Key {
	class, _ := archive.ParseClass("7d")
	return archive.Key{Class: class, Namespace: namespace, Pod: pod, UID: uid, ResourceVersion: version, Number: 1}
}

// fill archives pods of several kinds.
func (s *shelf) fill() {
	s.ago(60 * time.Hour)
	report := manifestOf("nightly-report-x7k2p", "init:prepare", "report", "proxy")
	s.put(keyOf("shop", "nightly-report-x7k2p", uid, "4711"), report,
		log("prepare", "init", archive.Complete, "prepare 1", "prepare 2"),
		log("report", "regular", archive.Complete, "working", "still working", "", "failed"),
		log("report", "regular", archive.Complete, "the first try").previous(),
		log("proxy", "regular", archive.Empty))
	old := keyOf("shop", "web-0", uid, "100")
	old.Class, _ = archive.ParseClass("30d")
	s.put(old, manifestOf("web-0", "main"), log("main", "regular", archive.Complete, "of the first web-0"))
	s.ago(20 * time.Hour)
	s.put(keyOf("shop", "web-0", uid2, "9000"), manifestOf("web-0", "main"), log("main", "regular", archive.PossiblyRotated, "of the second web-0"))
	s.put(keyOf("infra", "logger", uid3, "9001"), manifestOf("logger", "main"), log("main", "regular", archive.NeverStarted).withNote("no image"))
	// its node went away after the first run: the later manifest has no logs
	provisional := keyOf("shop", "lost", uid, "10")
	provisional.Provisional = true
	s.put(provisional, manifestOf("lost", "main", "other"), log("main", "regular", archive.Complete, "what it said"), log("other", "regular", archive.Unavailable))
	s.put(keyOf("shop", "lost", uid, "11"), manifestOf("lost", "main", "other"), log("main", "regular", archive.Unavailable).withNote("the node is gone"),
		log("other", "regular", archive.Truncated, "only this"))
	s.now = today
}

// record is the record of a run that archived these bundles yesterday.
func (s *shelf) record(keys ...string) {
	s.ago(24 * time.Hour)
	bucket, err := s.open(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := bucket.Begin(s.t.Context(), "0123456789abcdef", "start")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, key := range keys {
		if err := r.Add(s.t.Context(), map[string]any{"time": s.now, "bundle": key}); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := r.End(s.t.Context(), "end"); err != nil {
		s.t.Fatal(err)
	}
	s.now = today
}
