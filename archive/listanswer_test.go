package archive

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// lists are all ways to ask for keys.
func lists(b *Bucket) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"list":   func(ctx context.Context) error { return b.List(ctx, Selection{}, func(Pod) error { return nil }) },
		"expire": func(ctx context.Context) error { _, err := b.Expire(ctx, ExpireOptions{}); return err },
		"names": func(ctx context.Context) error {
			_, err := b.Names(ctx, exampleKey().Namespace, "", 10)
			return err
		},
		"numbers": func(ctx context.Context) error { _, err := b.Numbers(ctx, exampleKey()); return err },
	}
}

// A foreign key that XML cannot hold ends no list, and keys of ours are found
// beside it, whatever their prefix.
func TestListAnyKey(t *testing.T) {
	for _, store := range testStores(t) {
		t.Run(store.name, func(t *testing.T) {
			b := store.open(t, func(c *Config) { c.Prefix = "team ü+%/~a=b" })
			key := exampleKey()
			key.Number = 1
			if _, err := b.Put(t.Context(), key, sealed(t, b, 10)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"control\x01\x1f", "+", "a b", "%2B", "&<>\"'", "ü"} {
				foreign := strings.TrimSuffix(b.layout.object(key), ".tar.zst") + name
				if store.memory != nil {
					store.memory.Set(foreign, &archivetest.Stored{Body: []byte("x")})
					continue
				}
				u := document(foreign, "text/plain", Class{}, []byte("x"))
				u.permanent = true
				if _, err := b.put(t.Context(), u); err != nil {
					t.Logf("the store does not take %q: %v", name, err)
				}
			}
			for name, list := range lists(b) {
				if err := list(t.Context()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if keys, err := b.Numbers(t.Context(), key); err != nil || len(keys) != 1 || keys[0] != key {
				t.Errorf("%v, %v", keys, err)
			}
		})
	}
}

// An answer that says less than there is, or would never end, is an error.
func TestListAnswersThatLie(t *testing.T) {
	for name, answer := range map[string]string{
		"no place to go on":      `<IsTruncated>true</IsTruncated>`,
		"the same place again":   `<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>`,
		"a key beside":           `<Contents><Key>other/x</Key><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>`,
		"a key that is no text":  `<EncodingType>url</EncodingType><Contents><Key>%zz</Key><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>`,
		"a key encoded and not":  `<EncodingType>url</EncodingType><Contents><Key>prod+1/x</Key><LastModified>2026-01-02T03:04:05Z</LastModified></Contents>`,
		"a folder that is above": `<CommonPrefixes><Prefix>/</Prefix></CommonPrefixes>`,
	} {
		t.Run(name, func(t *testing.T) {
			b, store := openStub(t, Zstd)
			store.Journal.Before(func(_ string, w http.ResponseWriter, req *http.Request) bool {
				listed := req.URL.Query().Get("list-type") == "2"
				if listed {
					fmt.Fprintf(w, `<ListBucketResult>%s</ListBucketResult>`, answer)
				}
				return listed
			})
			for name, list := range lists(b) {
				if err := list(t.Context()); err == nil || !strings.Contains(err.Error(), "the store ") {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
