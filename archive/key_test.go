package archive

import (
	"strings"
	"testing"
)

const uid = "0d5f9a1e-8a4e-4f3c-9c55-0a6b4f3f2d11"

// exampleKey is the bundle of a pod with plain names.
func exampleKey(changes ...func(*Key)) Key {
	k := Key{Class: Class{7}, Namespace: "shop", Pod: "job-x7k2p", UID: uid, ResourceVersion: "4711", Number: 1}
	for _, change := range changes {
		change(&k)
	}
	return k
}

func numbered(n int) func(*Key) { return func(k *Key) { k.Number = n } }
func provisional(k *Key)        { k.Provisional = true }

func TestObject(t *testing.T) {
	zstd := layout{prefix: "team/pods", cluster: "prod-1", extension: ".tar.zst"}
	gzip := layout{cluster: "prod-1", extension: ".tar.gz"}
	for _, tt := range []struct {
		name   string
		layout layout
		key    Key
		want   string
	}{
		{"the first bundle", zstd, exampleKey(), "team/pods/prod-1/pods/7d/shop/job-x7k2p/" + uid + "_4711.tar.zst"},
		{"the second", zstd, exampleKey().Next(), "team/pods/prod-1/pods/7d/shop/job-x7k2p/" + uid + "_4711_2.tar.zst"},
		{"without logs", zstd, exampleKey(provisional), "team/pods/prod-1/pods/7d/shop/job-x7k2p/" + uid + "_4711_nologs.tar.zst"},
		{"without logs, the third", zstd, exampleKey(provisional, numbered(3)), "team/pods/prod-1/pods/7d/shop/job-x7k2p/" + uid + "_4711_nologs_3.tar.zst"},
		{"no prefix, gzip", gzip, exampleKey(), "prod-1/pods/7d/shop/job-x7k2p/" + uid + "_4711.tar.gz"},
		{"forever", gzip, exampleKey(func(k *Key) { k.Class = Class{} }), "prod-1/pods/forever/shop/job-x7k2p/" + uid + "_4711.tar.gz"},
	} {
		if got := tt.layout.object(tt.key); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if back, err := tt.layout.parse(tt.want); err != nil || back != tt.key {
			t.Errorf("%s: parsed as %+v, %v, want %+v", tt.name, back, err, tt.key)
		}
	}
}

func TestParseRefusesForeignKeys(t *testing.T) {
	l := layout{prefix: "team", cluster: "prod-1", extension: ".tar.zst"}
	for _, object := range []string{
		"",
		"team/prod-1/pods/",
		"team/prod-1/cluster.json",
		"team/prod-1/runs/7d/2026/11/30/x/start.json",
		"team/prod-2/pods/7d/shop/a/u_1.tar.zst",
		"team/prod-1x/pods/7d/shop/a/u_1.tar.zst",
		"prod-1/pods/7d/shop/a/u_1.tar.zst",
		"/team/prod-1/pods/7d/shop/a/u_1.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1.tar.gz",
		"team/prod-1/pods/7d/shop/a/u_1.tar.zst.part",
		"team/prod-1/pods/7d/shop/a/u_1",
		"team/prod-1/pods/7d/shop/a/u.tar.zst",
		"team/prod-1/pods/7d/shop/a/_1.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_.tar.zst",
		"team/prod-1/pods/7d/shop//u_1.tar.zst",
		"team/prod-1/pods/7d//a/u_1.tar.zst",
		"team/prod-1/pods/7d/shop/a/b/u_1.tar.zst",
		"team/prod-1/pods/7d/shop/u_1.tar.zst",
		"team/prod-1/pods/1w/shop/a/u_1.tar.zst",  // is written 7d
		"team/prod-1/pods/07d/shop/a/u_1.tar.zst", // is written 7d
		"team/prod-1/pods/0d/shop/a/u_1.tar.zst",
		"team/prod-1/pods/soon/shop/a/u_1.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_0.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_1.tar.zst", // is written without the number
		"team/prod-1/pods/7d/shop/a/u_1_-2.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_+2.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_02.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_x.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_2_nologs.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_2_3.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_nologs_1.tar.zst",
		"team/prod-1/pods/7d/shop/a/u_1_nologs_nologs.tar.zst",
	} {
		if k, err := l.parse(object); err == nil {
			t.Errorf("%q was taken for %+v", object, k)
		}
	}
}

func TestNoTwoBundlesShareAKey(t *testing.T) {
	long := strings.Repeat("a", 252)
	l := layout{cluster: "prod-1", extension: ".tar.zst"}
	seen := map[string]Key{}
	for _, k := range []Key{
		exampleKey(),
		exampleKey(numbered(2)),
		exampleKey(provisional),
		exampleKey(provisional, numbered(2)),
		exampleKey(func(k *Key) { k.ResourceVersion = "4712" }),
		exampleKey(func(k *Key) { k.UID = "1" + uid[1:] }),
		exampleKey(func(k *Key) { k.Class = Class{} }),
		exampleKey(func(k *Key) { k.Namespace = "shop-2" }),
		exampleKey(func(k *Key) { k.Pod = long + "1" }),
		exampleKey(func(k *Key) { k.Pod = long + "2" }),
	} {
		object := l.object(k)
		if other, taken := seen[object]; taken {
			t.Errorf("%+v and %+v are both %s", k, other, object)
		}
		seen[object] = k
	}
}

func TestNextLeavesTheOldKey(t *testing.T) {
	k := exampleKey()
	if next := k.Next(); next.Number != 2 || k.Number != 1 {
		t.Errorf("numbers %d and %d, want 2 and 1", next.Number, k.Number)
	}
}

func TestNormalizePrefix(t *testing.T) {
	for _, tt := range []struct{ name, prefix, want string }{
		{"none", "", ""},
		{"plain", "team/pods", "team/pods"},
		{"a leading slash", "/team", "team"},
		{"a slash at the end", "team/", "team"},
		{"double slashes", "//team///pods//", "team/pods"},
		{"only slashes", "///", ""},
		{"the same directory", "./team/./pods/.", "team/pods"},
		{"the directory above", "../team/../pods/..", "team/pods"},
		{"dots in names stay", ".team/pods..x/...", ".team/pods..x/..."},
	} {
		if got := normalizePrefix(tt.prefix); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// longestKeys are bundles with the longest names that are legal.
func longestKeys() []Key {
	var keys []Key
	for _, class := range []Class{{}, {36500}} {
		keys = append(keys, Key{
			Class: class, Namespace: strings.Repeat("n", 63), Pod: strings.Repeat("p", 253), UID: uid,
			ResourceVersion: "18446744073709551615", Provisional: true, Number: 999,
		})
	}
	return keys
}

func TestNoSegmentIsTooLong(t *testing.T) {
	for _, extension := range []string{Zstd.extension(), Gzip.extension()} {
		l := layout{prefix: strings.Repeat("x", 255), cluster: strings.Repeat("c", 255), extension: extension}
		if err := l.validate(); err != nil {
			t.Fatal(err)
		}
		for _, k := range longestKeys() {
			for segment := range strings.SplitSeq(l.object(k), "/") {
				if len(segment) > 255 {
					t.Errorf("segment of %d bytes: %s", len(segment), segment)
				}
			}
		}
	}
}

func TestKeyLengthIsCheckedAtStart(t *testing.T) {
	// prefix gives one of n bytes in short segments.
	prefix := func(n int) string {
		return strings.Repeat("x", 2-n%2) + strings.Repeat("/x", (n-1)/2)
	}
	longest := 0
	for n := 1; n < 1024; n++ {
		l := layout{prefix: prefix(n), cluster: "prod-1", extension: ".tar.zst"}
		if len(l.prefix) != n {
			t.Fatalf("the test's prefix has %d bytes, want %d", len(l.prefix), n)
		}
		err := l.validate()
		fits := true
		for _, k := range longestKeys() {
			fits = fits && len(l.object(k)) <= 1024
		}
		if err == nil && !fits {
			t.Fatalf("a prefix of %d bytes passes, and a legal pod's key is too long", n)
		}
		if err == nil {
			longest = n
		}
		if err != nil && !strings.Contains(err.Error(), "ARCHIVE_PREFIX") {
			t.Fatalf("the error does not name the variable: %v", err)
		}
	}
	if longest < 500 {
		t.Errorf("the longest prefix that passes has %d bytes", longest)
	}
}

func TestKeySegmentsAreCheckedAtStart(t *testing.T) {
	for _, tt := range []struct {
		name   string
		layout layout
		ok     bool
	}{
		{"segments of 255 bytes", layout{prefix: strings.Repeat("x", 255), cluster: "c"}, true},
		{"a prefix segment of 256 bytes", layout{prefix: "a/" + strings.Repeat("x", 256), cluster: "c"}, false},
		{"a cluster of 256 bytes", layout{cluster: strings.Repeat("c", 256)}, false},
		{"bytes count, not letters", layout{prefix: strings.Repeat("ü", 128), cluster: "c"}, false},
	} {
		if err := tt.layout.validate(); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	layouts := []layout{
		{prefix: "team/pods", cluster: "prod-1", extension: ".tar.zst"},
		{cluster: "prod-1", extension: ".tar.gz"},
	}
	for _, l := range layouts {
		f.Add(l.object(exampleKey()))
		f.Add(l.object(exampleKey(provisional, numbered(2))))
		f.Add(l.object(longestKeys()[0]))
	}
	f.Add("prod-1/pods/1w/shop/a/u_1_02.tar.gz")
	f.Fuzz(func(t *testing.T, object string) {
		for _, l := range layouts {
			k, err := l.parse(object)
			if err == nil && l.object(k) != object {
				t.Errorf("%q was taken for %q", object, l.object(k))
			}
		}
	})
}

func FuzzKeyRoundTrip(f *testing.F) {
	f.Add(7, "shop", "job-x7k2p", uid, "4711", false, 1)
	f.Add(0, "shop", "a.b-c", uid, "nologs", true, 999)
	f.Fuzz(func(t *testing.T, days int, namespace, pod, uid, version string, provisional bool, number int) {
		k := Key{Class{days}, namespace, pod, uid, version, provisional, number}
		for _, part := range []string{namespace, pod, uid, version} {
			if part == "" || strings.ContainsAny(part, "/_") {
				t.Skip("not a name that Kubernetes gives")
			}
		}
		if days < 0 || days > 36500 || number < 1 {
			t.Skip("no such class or number")
		}
		l := layout{prefix: "team", cluster: "prod-1", extension: ".tar.zst"}
		if got, err := l.parse(l.object(k)); err != nil || got != k {
			t.Errorf("%s: %+v, %v, want %+v", l.object(k), got, err, k)
		}
	})
}
