package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

func TestExpireSession(t *testing.T) {
	s := newShelf(t)
	s.set("pods/7d/shop/a/"+uid+"_1.tar.zst", 10, 5<<20)
	s.set("pods/7d/shop/a/"+uid+"_1_2.tar.zst", 9, 500)
	s.set("pods/7d/shop/b/"+uid+"_1_nologs.tar.gz", 8, 500)
	s.set("pods/30d/shop/a/"+uid+"_2.tar.zst", 40, 2000)
	s.set("pods/forever/shop/a/"+uid+"_3.tar.zst", 4000, 2000)
	s.set("runs/7d/2026/11/30/20261130T120000Z-0123456789abcdef/start.json", 10, 100)
	s.set("cluster.json", 4000, 100)
	s.set("pods/7d/README.txt", 4000, 100)
	locked := s.set("pods/30d/shop/lock/"+uid+"_2.tar.zst", 40, 2000)
	locked.Header.Set("X-Amz-Object-Lock-Mode", "COMPLIANCE")
	locked.Header.Set("X-Amz-Object-Lock-Retain-Until-Date", "2030-01-01T00:00:00Z")
	s.session("expire")
	if left := strings.Join(s.store.Keys(), " "); strings.Count(left, "prod-1/") != 5 || strings.Contains(left, "runs/") {
		t.Errorf("left: %s", left)
	}
}

func TestExpireRefusedSession(t *testing.T) {
	s := newShelf(t)
	s.store.Refusing(archivetest.Least())
	s.set("pods/7d/shop/a/"+uid+"_1.tar.zst", 10, 500)
	s.set("pods/7d/shop/b/"+uid+"_1.tar.zst", 10, 500)
	s.store.Journal.Before(func(_ string, w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodDelete || !strings.Contains(req.URL.Path, "/b/") {
			return false
		}
		archivetest.Refuse(w, http.StatusConflict, "OperationAborted")
		return true
	})
	s.session("expire-refused")
}

func TestUsageSession(t *testing.T) { newShelf(t).session("usage") }

// Sizes have the form that Kubernetes uses.
func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1023: "1023", 1024: "1.0Ki", 1536: "1.5Ki", 1<<20 - 1: "1.0Mi", 5 << 30: "5.0Gi", 1 << 62: "4.0Ei"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// What stands in a name cannot steer a terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"a-b.c": "a-b.c", "ü": "ü", "a\x1b[2J": `"a\x1b[2J"`, "a\tb": `"a\tb"`, "a\xffb": `"a\xffb"`, "a\u202eb": `"a\u202eb"`} {
		if got := printable(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
