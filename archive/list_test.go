package archive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// fillPods puts objects with these keys below pods/, of no content.
func fillPods(t *testing.T, b *Bucket, keys ...string) {
	t.Helper()
	for _, key := range keys {
		putForeign(t, b, b.layout.root()+"/pods/"+key)
	}
}

// On every store, List gives each pod once with all its bundles, in order, and
// Names and Namespaces what can be asked for.
func TestList(t *testing.T) {
	for _, store := range testStores(t) {
		t.Run(store.name, func(t *testing.T) {
			b := store.open(t)
			if store.memory != nil {
				store.memory.PageSize = 2
			}
			fillPods(t, b,
				"7d/a/web/u1_9.tar.zst", "7d/a/web/u1_10.tar.zst", "7d/a/web/u1_10_2.tar.gz", "7d/a/web/u1_11_nologs.tar.zst",
				"30d/a/web/u1_8.tar.zst", "30d/a/web/u2_1.tar.zst", "forever/a/web-1/u3_1.tar.zst", "7d/a-b/web/u4_1.tar.zst",
				"7d/a/web/notes.txt", "1w/a/web/u5_1.tar.zst", "7d/b/job/u6_1.tar.zst", "7d/notes.txt")
			list := func(s Selection) string {
				var lines []string
				err := b.List(t.Context(), s, func(p Pod) error {
					line := p.Namespace + "/" + p.Name + "/" + p.UID
					for _, o := range p.Bundles {
						line += fmt.Sprintf(" %s:%s.%d", o.Key.Class, o.Key.ResourceVersion, o.Key.Number)
					}
					if o := p.Newest(); o.Stored.IsZero() || o.Size == 0 {
						t.Errorf("%+v", o)
					}
					lines = append(lines, line+" newest "+p.Newest().Key.ResourceVersion)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(lines, "\n")
			}
			web := "a/web/u1 7d:10.2 7d:10.1 7d:9.1 30d:8.1 7d:11.1 newest 11\na/web/u2 30d:1.1 newest 1"
			for s, want := range map[Selection]string{
				{}:                            "a-b/web/u4 7d:1.1 newest 1\na/web-1/u3 forever:1.1 newest 1\n" + web + "\nb/job/u6 7d:1.1 newest 1",
				{Namespace: "a"}:              "a/web-1/u3 forever:1.1 newest 1\n" + web,
				{Namespace: "a", Pod: "web"}:  web,
				{Namespace: "a", Pod: "we"}:   "",
				{Namespace: "none"}:           "",
				{Namespace: "b", Pod: "none"}: "",
			} {
				if got := list(s); got != want {
					t.Errorf("%+v: got\n%s\nwant\n%s", s, got, want)
				}
			}
			for what, c := range map[string]struct {
				got  func() ([]string, error)
				want string
			}{
				"namespaces":   {func() ([]string, error) { return b.Namespaces(t.Context(), 10) }, "a a-b b"},
				"names":        {func() ([]string, error) { return b.Names(t.Context(), "a", "we", 10) }, "web web-1"},
				"one name":     {func() ([]string, error) { return b.Names(t.Context(), "a", "web-", 10) }, "web-1"},
				"no such name": {func() ([]string, error) { return b.Names(t.Context(), "a", "x", 10) }, ""},
			} {
				got, err := c.got()
				slices.Sort(got)
				if err != nil || strings.Join(got, " ") != c.want {
					t.Errorf("%s: %v, %v", what, got, err)
				}
			}
		})
	}
}

// The number of requests does not depend on how much else there is.
func TestListAsksForLittle(t *testing.T) {
	b, store := openStub(t, Zstd)
	for i := range 5000 {
		store.Set(fmt.Sprintf("prod-1/pods/7d/ns-%d/pod-%d/%s_1.tar.zst", i%10, i, uid), &archivetest.Stored{Body: []byte("x")})
		store.Set(fmt.Sprintf("prod-1/pods/30d/ns-%d/pod-%d/%s_1.tar.zst", i%10, i, uid), &archivetest.Stored{Body: []byte("x")})
	}
	for s, most := range map[Selection]int{{Namespace: "ns-3", Pod: "pod-13"}: 3, {Namespace: "ns-3"}: 3, {}: 11} {
		before := store.Journal.Len()
		if err := b.List(t.Context(), s, func(Pod) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if n := store.Journal.Len() - before; n > most {
			t.Errorf("%+v: %d requests, want at most %d", s, n, most)
		}
	}
}
