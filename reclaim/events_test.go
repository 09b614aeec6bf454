package reclaim

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadEvent(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		uid, at   string
	}{
		{"from an old reporter",
			`{"metadata":{"creationTimestamp":"2026-11-30T10:00:03Z"},"involvedObject":{"kind":"Pod","uid":"u"},"firstTimestamp":"2026-11-30T10:00:00Z","lastTimestamp":"2026-11-30T10:00:09Z","eventTime":null}`,
			"u", "2026-11-30T10:00:00Z"},
		{"from a new reporter",
			`{"metadata":{"creationTimestamp":"2026-11-30T10:00:03Z"},"involvedObject":{"uid":"u"},"firstTimestamp":null,"eventTime":"2026-11-30T10:00:00.123456Z"}`,
			"u", "2026-11-30T10:00:00.123456Z"},
		{"only its creation is known",
			`{"metadata":{"creationTimestamp":"2026-11-30T10:00:03Z"},"involvedObject":{"uid":"u"},"firstTimestamp":null,"eventTime":null}`,
			"u", "2026-11-30T10:00:03Z"},
		{"no time at all", `{"involvedObject":{"uid":"u"}}`, "u", "0001-01-01T00:00:00Z"},
		{"of no object", `{"metadata":{}}`, "", "0001-01-01T00:00:00Z"},
	} {
		uid, ev, err := readEvent(json.RawMessage(tt.raw))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := ev.at.UTC().Format("2006-01-02T15:04:05.999999999Z07:00"); uid != tt.uid || got != tt.at {
			t.Errorf("%s: of %q at %s, want %q at %s", tt.name, uid, got, tt.uid, tt.at)
		}
	}
}

func TestReadEventKeepsTheEvent(t *testing.T) {
	const raw = `{"metadata":{"name":"x","uid":"e"},"involvedObject":{"uid":"u","fieldPath":"spec.containers{main}"},` +
		`"message":"a <b> & \"c\" \u00e4","count":9007199254740993,"series":null,"fromTheFuture":{"a":[1.50,{}]}}`
	_, ev, err := readEvent(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	var before, after map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(ev.raw, &after); err != nil {
		t.Fatal(err)
	}
	if string(after["kind"]) != `"Event"` || string(after["apiVersion"]) != `"v1"` {
		t.Errorf("kind %s of %s", after["kind"], after["apiVersion"])
	}
	if len(after) != len(before)+2 {
		t.Errorf("%d fields, want %d and two more", len(after), len(before))
	}
	for _, name := range []string{"count", "series", "fromTheFuture", "involvedObject"} {
		if string(after[name]) != string(before[name]) {
			t.Errorf("%s: %s, want %s", name, after[name], before[name])
		}
	}
	var message string
	if err := json.Unmarshal(after["message"], &message); err != nil || message != `a <b> & "c" ä` {
		t.Errorf("message %q, %v", message, err)
	}
}

func TestReadEventRefusesWhatIsNone(t *testing.T) {
	for _, raw := range []string{``, `[]`, `"text"`, `{"involvedObject":7}`, `{"firstTimestamp":"yesterday"}`, `{`} {
		if uid, ev, err := readEvent(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: taken for an event of %q: %s", strings.TrimSpace(raw), uid, ev.raw)
		}
	}
}
