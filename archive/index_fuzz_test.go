package archive

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Whatever a reader takes for an index says the same when it is written again,
// also with fields of a later version in it.
func FuzzIndexDecode(f *testing.F) {
	example, err := json.Marshal(exampleIndex())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, text := range []string{
		`{}`, `null`, `[]`, `{"schema":2,"files":null,"logs":[{"outcome":"from the future"}]}`,
		`{"schema":1,"finishedAt":"2024-02-29T10:00:00.123456789+05:30"}`, `{"schema":1e3}`, `{"files":[{"size":-1}]}`,
		`{"schema":1,"fromTheFuture":{"a":[1]},"SCHEMA":3}`, `{"logs":[{"container":"\ud800","note":"\u0000"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var index Index
		if json.Unmarshal(text, &index) != nil {
			t.Skip("no index")
		}
		again, err := json.Marshal(index)
		if err != nil {
			t.Skip("a time that cannot be written") // year 0 with a zone
		}
		var back Index
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if !back.FinishedAt.Equal(index.FinishedAt) {
			t.Errorf("finished at %s, then at %s", index.FinishedAt, back.FinishedAt)
		}
		back.FinishedAt = index.FinishedAt // a zone may have another name
		if !reflect.DeepEqual(back, index) {
			t.Errorf("%+v, then %+v", index, back)
		}
		worst := Worst(index.Logs)
		for _, l := range index.Logs {
			if outcomeRank[l.Outcome] > outcomeRank[worst] {
				t.Errorf("the worst of %+v is %s", index.Logs, worst)
			}
		}
	})
}
