package archive

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestIndexForm(t *testing.T) {
	index := exampleIndex()
	index.Files = []File{{Path: "pod.json", Size: 2, SHA256: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "index.json", append(text, '\n'))
}

func TestReadersIgnoreWhatTheyDoNotKnow(t *testing.T) {
	text, err := json.Marshal(exampleIndex())
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`{"schema":1,`), []byte(`{"schema":1,"fromTheFuture":{"a":[1]},`), 1)
	var got Index
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if want := exampleIndex(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestIndexHasNoNullLists(t *testing.T) {
	b := NewBundle(t.TempDir(), Zstd)
	defer b.Remove()
	b.Add("pod.json", []byte("{}"))
	entries := unpack(t, Zstd, seal(t, b, Index{Logs: []Log{}}))
	if content := entries[len(entries)-1].content; bytes.Contains(content, []byte("null")) {
		t.Errorf("index: %s", content)
	}
}

func TestWorst(t *testing.T) {
	ordered := []Outcome{Complete, Empty, NeverStarted, PossiblyRotated, Truncated, Unconfirmed, Unavailable}
	if got := Worst(nil); got != Complete {
		t.Errorf("no logs: %s, want complete", got)
	}
	for i, better := range ordered {
		for _, worse := range ordered[i:] {
			for _, logs := range [][]Log{
				{{Outcome: better}, {Outcome: worse}},
				{{Outcome: worse}, {Outcome: better}, {Outcome: better}},
			} {
				if got := Worst(logs); got != worse {
					t.Errorf("%s and %s: %s", better, worse, got)
				}
			}
		}
	}
}
