package archive

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// On every store, encrypted with a key of KMS or not, Audit finds what was
// spoiled, and nothing else.
func TestAudit(t *testing.T) {
	for _, store := range testStores(t) {
		t.Run(store.name, func(t *testing.T) {
			auditSpoiled(t, store, func(*Config) {})
		})
		if store.kmsKey == "" {
			continue
		}
		t.Run(store.name+", KMS", func(t *testing.T) {
			auditSpoiled(t, store, func(c *Config) { c.SSE, c.KMSKeyID = SSEKMS, store.kmsKey })
		})
	}
}

func auditSpoiled(t *testing.T, store testStore, change func(*Config)) {
	t.Helper()
	age := &aged{}
	b := store.openWith(t, Options{Now: time.Now, Wrap: age.wrap}, change)
	keys := map[string]Key{}
	for i, name := range []string{"sound", "damaged", "superseded", "untagged", "lost", "old"} {
		key := exampleKey(func(k *Key) { k.Pod, k.ResourceVersion = name, fmt.Sprint(i+1) })
		keys[name] = key
		s := sealedFor(t, b, key)
		if _, err := b.Put(t.Context(), key, s); err != nil {
			t.Fatal(err)
		}
		if name == "superseded" {
			if _, err := b.Put(t.Context(), key.Next(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	record, err := b.Begin(t.Context(), "0123456789abcdef", "start")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		record.Add(t.Context(), map[string]any{"time": time.Now(), "bundle": b.layout.object(key)})
	}
	if err := record.End(t.Context(), "end"); err != nil {
		t.Fatal(err)
	}
	if got := audited(t, b); len(got) != 0 {
		t.Fatalf("all is sound: %v", got)
	}
	want := []string{"damaged: damaged", "missing: lost"}
	overwrite(t, b, keys["damaged"])
	overwrite(t, b, keys["superseded"])
	hide(t, b, b.layout.object(keys["lost"]))
	if b.cfg.Tagging {
		want = append(want, "wrongly-tagged: untagged")
		untag(t, b, store, keys["untagged"])
	}
	if got := audited(t, b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	age.by = 10 * day
	if got := audited(t, b); len(got) != len(want)+6 {
		t.Errorf("past their date: %v", got)
	}
}

// sealedFor is a bundle of this pod.
func sealedFor(t *testing.T, b *Bucket, key Key) *Sealed {
	t.Helper()
	index := exampleIndex()
	index.Namespace, index.Pod, index.UID, index.ResourceVersion = key.Namespace, key.Pod, key.UID, key.ResourceVersion
	return seal(t, exampleBundle(t, b.cfg.SpoolDir, b.cfg.Compression), index)
}

// audited are the findings in short, sorted.
func audited(t *testing.T, b *Bucket) (all []string) {
	t.Helper()
	progress := int64(0)
	a, err := b.Audit(t.Context(), AuditOptions{Sample: 1, Progress: func(n int64) { progress += n }, Found: func(f Finding) {
		key, err := b.layout.parseAny(f.Key)
		if err != nil || f.Detail == "" {
			t.Errorf("%+v", f)
		}
		all = append(all, string(f.Problem)+": "+key.Pod)
	}})
	if err != nil || a.Pods == 0 || progress != a.Bytes || a.Records == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	slices.Sort(all)
	return all
}

// overwrite changes the bytes and keeps the metadata: what an attacker would do.
func overwrite(t *testing.T, b *Bucket, key Key) {
	t.Helper()
	name := b.layout.object(key)
	o, err := b.Head(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	size := o.Size
	_, err = b.s3.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &b.cfg.Bucket, Key: &name, Body: bytes.NewReader(bytes.Repeat([]byte("x"), int(size))), Metadata: o.Metadata,
	}, withContentMD5)
	if err != nil {
		t.Fatal(err)
	}
}

func untag(t *testing.T, b *Bucket, store testStore, key Key) {
	t.Helper()
	name := b.layout.object(key)
	if store.memory != nil {
		store.memory.Object(name).Tags = nil
		return
	}
	_, err := b.s3.(*s3.Client).PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{
		Bucket: &b.cfg.Bucket, Key: &name, Tagging: &types.Tagging{TagSet: []types.Tag{}},
	}, withContentMD5)
	if err != nil {
		t.Fatal(err)
	}
}
