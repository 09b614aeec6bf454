package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

var update = flag.Bool("update", false, "write the sessions in testdata anew")

// today is the clock of all sessions.
var today = time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC)

// shelf is an archive in memory and the program before it.
type shelf struct {
	t     *testing.T
	store *archivetest.Store
	cfg   archive.Config
	now   time.Time
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{t: t, store: archivetest.NewStore(t, &archivetest.Journal{}), now: today}
	s.store.Journal.Shift(time.Until(today))
	t.Setenv("AWS_ENDPOINT_URL_S3", s.store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "testbed")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testbed-secret-key")
	s.cfg = archive.Config{Bucket: s.store.Bucket, Cluster: "prod-1", Tagging: true, Verify: archive.VerifyETag, PathStyle: "true", SpoolDir: t.TempDir()}
	s.cfg.Retention.UnmarshalText([]byte("7d,30d,forever"))
	s.cfg.Compression.UnmarshalText([]byte("zstd"))
	return s
}

func (s *shelf) open(ctx context.Context) (*archive.Bucket, error) {
	return archive.Open(ctx, s.cfg, archive.Options{Now: func() time.Time { return s.now }})
}

// command runs one command line and returns what a terminal would show, and the
// exit code if that is not 0.
func (s *shelf) command(line string) string {
	s.t.Helper()
	var out bytes.Buffer
	words := strings.Fields(line)
	binary := words[0]
	if binary == "kubectl" {
		binary, words = "/bin/kubectl-reclaimed", words[1:]
	}
	err := Run(s.t.Context(), Program{
		Binary: binary, Version: "v1.2.3", Commit: "0123456789ab", Date: "2026-12-01T10:00:00Z",
		Out: &out, Err: &out, Now: func() time.Time { return s.now }, Open: s.open,
	}, words[1:])
	if err != nil {
		fmt.Fprintf(&out, "[exit code %d]\n", codeOf(err))
	}
	return out.String()
}

func codeOf(err error) int {
	switch {
	case errors.Is(err, ErrUsage):
		return 2
	case errors.Is(err, ErrFound):
		return 3
	}
	return 1
}

// session plays the session of this name: every line that begins with "$ " is a
// command, what follows is what it must print. -update writes it down.
func (s *shelf) session(name string) {
	s.t.Helper()
	s.play(filepath.Join("testdata", name+".txt"), func(line string) bool { return strings.HasPrefix(line, "# ") })
}

// document plays the commands in the code blocks of a document.
func (s *shelf) document(file string) {
	s.t.Helper()
	inBlock, played := false, false
	s.play(file, func(line string) bool {
		fence := strings.HasPrefix(line, "```")
		inBlock, played = inBlock != fence, played && !fence
		played = played || inBlock && (strings.HasPrefix(line, "$ pod-reclaimer ") || strings.HasPrefix(line, "$ kubectl reclaimed "))
		return !played
	})
}

// play runs the commands of a file and compares all but the lines that are text.
func (s *shelf) play(file string, isText func(line string) bool) {
	s.t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		switch {
		case isText(line):
			got.WriteString(line)
		case strings.HasPrefix(line, "$ "):
			got.WriteString(line + s.command(strings.TrimSpace(line[2:])))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	if got.String() != string(want) && !*update {
		s.t.Errorf("%s: got\n%s\nwant\n%s", file, got.String(), want)
	}
}
