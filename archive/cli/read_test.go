package cli

import (
	"strings"
	"testing"
)

func TestListSession(t *testing.T) {
	s := newShelf(t)
	s.session("list-empty")
	s.fill()
	s.store.PageSize = 2
	s.set("pods/7d/shop/x/notes.txt", 1, 10)
	s.session("list")
}

func TestLogsSession(t *testing.T) {
	s := newShelf(t)
	s.fill()
	s.session("logs")
}

func TestGetSession(t *testing.T) {
	s := newShelf(t)
	s.fill()
	s.session("get")
}

func TestLifecycleSession(t *testing.T) {
	s := newShelf(t)
	s.session("lifecycle")
}

func TestAuditSession(t *testing.T) {
	s := newShelf(t)
	s.fill()
	s.record("prod-1/pods/7d/shop/nightly-report-x7k2p/"+uid+"_4711.tar.zst", "prod-1/pods/7d/shop/web-1/"+uid+"_7.tar.zst")
	s.session("audit")
	for _, key := range s.store.Keys() {
		o := s.store.Object(key)
		switch {
		case strings.Contains(key, "/nightly-report"):
			o.Body[len(o.Body)/2] ^= 1
		case strings.Contains(key, "/web-0/"+uid2):
			o.Tags.Set("retention", "9d")
		case strings.Contains(key, "/logger/"):
			o.Stored = o.Stored.AddDate(0, 0, -20)
		}
	}
	s.store.EnableObjectLock(false)
	s.cfg.Retention.UnmarshalText([]byte("7d,30d"))
	s.cfg.ObjectLock.UnmarshalText([]byte("governance"))
	s.session("audit-damaged")
}

func TestCompletionSession(t *testing.T) {
	s := newShelf(t)
	s.fill()
	s.session("completion")
	for _, c := range []struct{ line, want string }{
		{"pod-reclaimer completion bash", "__start_pod-reclaimer"},
		{"pod-reclaimer completion zsh", "#compdef pod-reclaimer"},
		{"pod-reclaimer completion fish", "complete -c pod-reclaimer"},
		{"kubectl reclaimed completion bash", "__start_kubectl-reclaimed"},
	} {
		if got := s.command(c.line); !strings.Contains(got, c.want) {
			t.Errorf("%s does not have %q:\n%.500s", c.line, c.want, got)
		}
	}
}

// The commands that the documents show print what they show.
func TestDocuments(t *testing.T) {
	for _, file := range []string{"docs/reading.md", "README.md"} {
		s := newShelf(t)
		s.fill()
		s.document("../../" + file)
	}
}
