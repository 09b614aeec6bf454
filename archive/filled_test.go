package archive

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// foreign files lie below our prefix and are not ours.
var foreign = []string{
	"notes.txt", "cluster.json.bak", "pods/7d/shop/job-x7k2p/" + uid + "_1.tar.zst.part", "pods/07d/shop/job/" + uid + "_1.tar.zst", "pods/7d/x.tar.zst",
	"runs/7d/notes", "runs/7d/2026/01/02/20260102T000000Z-0123456789abcdef/more.json", "runs/7d/2026/01/02/20260103T000000Z-0123456789abcdef/end.json",
}

func foreignNames(b *Bucket) (all []string) {
	for _, name := range foreign {
		all = append(all, b.layout.root()+"/"+name)
	}
	return all
}

// fillArchive puts all that there can be; expired is what goes after 7 days.
func fillArchive(t *testing.T, b *Bucket) (expired, kept []string) {
	t.Helper()
	ctx := t.Context()
	for _, c := range []struct {
		class Class
		into  *[]string
		edit  func(*Key)
	}{
		{Class{7}, &expired, func(k *Key) {}},
		{Class{7}, &expired, func(k *Key) { k.Number = 2 }},
		{Class{7}, &expired, func(k *Key) { k.Provisional = true }},
		{Class{7}, &expired, func(k *Key) { k.Pod = "other"; k.Provisional, k.Number = true, 3 }},
		{Class{7}, &expired, func(k *Key) { k.Namespace = "a b+c" }},
		{Class{30}, &kept, func(k *Key) {}},
		{Class{}, &kept, func(k *Key) {}},
	} {
		key := exampleKey()
		key.Number, key.Class = 1, c.class
		c.edit(&key)
		o, err := b.Put(ctx, key, sealed(t, b, 10))
		if err != nil {
			t.Fatal(err)
		}
		*c.into = append(*c.into, o.Name())
	}
	record, err := b.Begin(ctx, "0123456789abcdef", "start")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(record.Add(ctx, "a line"), record.End(ctx, "the end"), b.Claim(ctx, "ours", false)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"start.json", "0001.ndjson", "end.json"} {
		expired = append(expired, record.dir+"/"+part)
	}
	for _, name := range foreignNames(b) {
		putForeign(t, b, name)
	}
	return expired, append(kept, b.layout.clusterFile())
}

func putForeign(t *testing.T, b *Bucket, name string) {
	t.Helper()
	u := document(name, "text/plain", Class{}, []byte("not ours"))
	u.permanent = true
	if _, err := b.put(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// hide deletes an object as a person does, without naming its version.
func hide(t *testing.T, b *Bucket, name string) {
	t.Helper()
	if _, err := b.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.cfg.Bucket, Key: &name}); err != nil {
		t.Fatal(err)
	}
}

func versioned(t *testing.T, b *Bucket) bool {
	t.Helper()
	out, err := b.s3.(*s3.Client).GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: &b.cfg.Bucket})
	return err == nil && out.Status == types.BucketVersioningStatusEnabled
}

// names are the keys of all versions and delete markers, one for each.
func names(t *testing.T, b *Bucket) (all []string) {
	t.Helper()
	err := b.versions(t.Context(), b.layout.root()+"/", func(page []version) error {
		for _, v := range page {
			all = append(all, v.name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func lockUntil(t *testing.T, b *Bucket, memory *archivetest.Store, name string, until time.Time) {
	t.Helper()
	if memory != nil {
		memory.Object(name).Header.Set("X-Amz-Object-Lock-Mode", "GOVERNANCE")
		memory.Object(name).Header.Set("X-Amz-Object-Lock-Retain-Until-Date", until.UTC().Format(time.RFC3339))
		return
	}
	_, err := b.s3.(*s3.Client).PutObjectRetention(t.Context(), &s3.PutObjectRetentionInput{
		Bucket: &b.cfg.Bucket, Key: &name,
		Retention: &types.ObjectLockRetention{Mode: types.ObjectLockRetentionModeGovernance, RetainUntilDate: &until},
	}, withContentMD5)
	if err != nil {
		t.Fatal(err)
	}
}
