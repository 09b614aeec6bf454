package archive

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// openStub opens a bucket of a store in memory.
func openStub(t *testing.T, c Compression) (*Bucket, *archivetest.Store) {
	t.Helper()
	store := archivetest.NewStore(t, &archivetest.Journal{})
	t.Setenv("AWS_ENDPOINT_URL_S3", store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "testbed")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testbed-secret-key")
	cfg := Config{Bucket: store.Bucket, Cluster: "prod-1", Retention: Classes{{7}}, Tagging: true, Compression: c, Verify: VerifyETag, PathStyle: "true"}
	b, err := Open(t.Context(), cfg, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return b, store
}

// Find gives exactly the bundles of this UID, the best first, over all pages.
func TestFind(t *testing.T) {
	b, store := openStub(t, Zstd)
	store.PageSize = 2
	dir := "prod-1/pods/7d/shop/job-x7k2p/"
	want := []string{
		dir + uid + "_10000.tar.zst",
		dir + uid + "_9999_10.tar.gz",
		dir + uid + "_9999_2.tar.zst",
		dir + uid + "_9999.tar.zst",
		dir + uid + "_10001_nologs_2.tar.zst",
		dir + uid + "_10001_nologs.tar.zst",
	}
	for _, name := range append([]string{
		dir + uid + "_1.tar.zst.part", dir + uid + "_", dir + "other-uid_4.tar.zst", dir + uid + "2_4.tar.zst",
		"prod-1/pods/7d/shop/job-x7k2p2/" + uid + "_4.tar.zst", "prod-1/pods/30d/shop/job-x7k2p/" + uid + "_4.tar.zst",
	}, want...) {
		store.Set(name, &archivetest.Stored{Body: []byte(name)})
	}
	found, err := b.Find(t.Context(), Class{7}, "shop", "job-x7k2p", uid)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range found {
		got = append(got, o.Name())
		if o.Size != int64(len(o.Name())) || o.Key.UID != uid {
			t.Errorf("%s: size %d, key %+v", o.Name(), o.Size, o.Key)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Read gives back what Put wrote, and an error of its own kind for whatever is
// something else.
func TestReadProvesTheBundle(t *testing.T) {
	for _, c := range compressions {
		b, store := openStub(t, c)
		index := exampleIndex()
		s := seal(t, exampleBundle(t, t.TempDir(), c), index)
		o, err := b.Put(t.Context(), exampleKey(), s)
		if err != nil {
			t.Fatal(err)
		}
		visited := 0
		visit := func(_ File, content io.Reader) error { visited++; return nil }
		if got, err := b.Read(t.Context(), o, visit); err != nil || got.UID != uid || visited != len(s.Index.Files) {
			t.Fatalf("%s: %d entries, %v", c, visited, err)
		}
		name := o.Name()
		sound := *store.Object(name)
		for _, tt := range []struct {
			name  string
			spoil func(o *archivetest.Stored)
			key   func(*Key)
			want  error
		}{
			{"bit flipped", func(o *archivetest.Stored) { o.Body[len(o.Body)/2] ^= 1 }, nil, ErrMismatch},
			{"cut", func(o *archivetest.Stored) { o.Body = o.Body[:len(o.Body)-1] }, nil, ErrMismatch},
			{"another hash", func(o *archivetest.Stored) { o.Metadata["sha256"] = "x" }, nil, ErrMismatch},
			{"another size", func(o *archivetest.Stored) { o.Metadata["size"] = "1" }, nil, ErrMismatch},
			{"another UID in its metadata", func(o *archivetest.Stored) { o.Metadata["uid"] = "x" }, nil, ErrMismatch},
			{"another pod in its key", nil, func(k *Key) { k.Pod = "x" }, ErrMismatch},
			{"another namespace in its key", nil, func(k *Key) { k.Namespace = "x" }, ErrMismatch},
			{"another resourceVersion in key and metadata", func(o *archivetest.Stored) { o.Metadata["resource-version"] = "1" }, func(k *Key) { k.ResourceVersion = "1" }, ErrMismatch},
		} {
			o, spoiled := o, sound
			spoiled.Body, spoiled.Metadata = slices.Clone(sound.Body), map[string]string{}
			for k, v := range sound.Metadata {
				spoiled.Metadata[k] = v
			}
			if tt.spoil != nil {
				tt.spoil(&spoiled)
			}
			if tt.key != nil {
				tt.key(&o.Key)
			}
			store.Set(name, &spoiled)
			if _, err := b.Read(t.Context(), o, visit); !errors.Is(err, tt.want) {
				t.Errorf("%s, %s: %v", c, tt.name, err)
			}
		}
		store.Set(name, &sound)
		if _, err := b.Read(t.Context(), o, func(File, io.Reader) error { return errBroken }); !errors.Is(err, errBroken) {
			t.Errorf("visit failed: %v", err)
		}
		for status, want := range map[int]error{http.StatusNotFound: ErrNotFound, http.StatusForbidden: ErrRefused} {
			store.Journal.Before(func(_ string, rw http.ResponseWriter, _ *http.Request) bool {
				archivetest.Refuse(rw, status, "AsTheTestWants")
				return true
			})
			if _, err := b.Read(t.Context(), o, visit); !errors.Is(err, want) {
				t.Errorf("status %d: %v", status, err)
			}
		}
	}
}
