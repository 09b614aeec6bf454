package archivetest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Load puts all objects of a stored archive into the store, as they were: dir has
// objects.json and, below bucket, their content.
func (s *Store) Load(t testing.TB, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "objects.json"))
	if err != nil {
		t.Fatal(err)
	}
	var objects []struct {
		Key, Stored, ContentType string
		Metadata, Tags           map[string]string
	}
	if err := json.Unmarshal(text, &objects); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		body, err := os.ReadFile(filepath.Join(dir, "bucket", o.Key))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := time.Parse(http.TimeFormat, o.Stored)
		if err != nil {
			t.Fatal(err)
		}
		tags := url.Values{}
		for name, value := range o.Tags {
			tags.Set(name, value)
		}
		s.Set(o.Key, &Stored{Body: body, Metadata: o.Metadata, Tags: tags, Header: http.Header{"Content-Type": {o.ContentType}}, Stored: stored})
	}
}
