package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// sealed is a bundle with a log of this many bytes that do not compress.
func sealed(t *testing.T, b *Bucket, logBytes int64) *Sealed {
	t.Helper()
	bundle := NewBundle(b.cfg.SpoolDir, b.cfg.Compression)
	t.Cleanup(func() { bundle.Remove() })
	bundle.Add("pod.json", []byte(`{"kind":"Pod"}`))
	log := make([]byte, logBytes)
	rand.Read(log)
	err := bundle.AddLog("logs/main.log", func(w io.Writer) error {
		_, err := w.Write(log)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := bundle.Seal(Index{Schema: Schema, Phase: "Failed", FinishedAt: time.Now(), Logs: []Log{{Container: "main", Outcome: Complete}}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every store keeps the contract, with every way to configure it that it has.
func TestContract(t *testing.T) {
	for _, store := range testStores(t) {
		for name, change := range map[string]func(*Config){
			"as it comes":   func(*Config) {},
			"gzip":          func(c *Config) { c.Compression = Gzip },
			"read back":     func(c *Config) { c.Verify = VerifyRead },
			"without tags":  func(c *Config) { c.Tagging = false },
			"odd prefix":    func(c *Config) { c.Prefix = "team ü+%/~a=b" },
			"governance":    func(c *Config) { c.ObjectLock = LockGovernance },
			"compliance":    func(c *Config) { c.ObjectLock = LockCompliance },
			"AES256":        func(c *Config) { c.SSE = SSES3 },
			"KMS":           func(c *Config) { c.SSE, c.KMSKeyID = SSEKMS, store.kmsKey },
			"a long prefix": func(c *Config) { c.Prefix = strings.Repeat("a", 255) + "/" + strings.Repeat("b", 60) },
		} {
			t.Run(store.name+", "+name, func(t *testing.T) {
				b := store.open(t, change)
				if b.cfg.ObjectLock != LockOff && !store.locks || b.cfg.SSE != "" && store.kmsKey == "" {
					t.Skip("this bucket cannot do it")
				}
				large := int64(20)
				if name == "as it comes" || name == "read back" {
					large = 2 << 20
				}
				contract(t, b, large)
			})
		}
	}
}

// contract is what the archive relies on; one bundle has a log of so many bytes.
func contract(t *testing.T, b *Bucket, large int64) {
	ctx := t.Context()
	if _, err := b.Preflight(ctx); err != nil {
		t.Fatal(err)
	}
	claimAndRecord(t, b)
	for i, key := range []Key{exampleKey(), exampleKey(provisional), longestKeys()[1]} {
		key.Number = 1
		sizes := []int64{10, 20}
		if i == 0 {
			sizes[1] = large
		}
		if _, err := b.Head(ctx, key); !errors.Is(err, ErrNotFound) {
			t.Fatalf("head of nothing: %v", err)
		}
		if keys, err := b.Numbers(ctx, key); err != nil || len(keys) != 0 {
			t.Fatalf("numbers of nothing: %v, %v", keys, err)
		}
		for _, size := range sizes {
			putAndCopy(t, b, key, sealed(t, b, size))
			key = key.Next().Next()
		}
		keys, err := b.Numbers(ctx, key)
		if err != nil || fmt.Sprint(numbersOf(keys)) != "[4 3 2 1]" {
			t.Errorf("numbers: %v, %v", numbersOf(keys), err)
		}
		newest, err := b.Newest(ctx, key)
		if err != nil || newest.Key.Number != 4 {
			t.Errorf("the newest is %+v, %v", newest.Key, err)
		}
	}
}

func numbersOf(keys []Key) (all []int) {
	for _, k := range keys {
		all = append(all, k.Number)
	}
	return all
}

// putAndCopy puts a bundle under key and copies it to the next one.
func putAndCopy(t *testing.T, b *Bucket, key Key, s *Sealed) {
	t.Helper()
	ctx := t.Context()
	want, err := b.Put(ctx, key, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.VerifyPut(ctx, want)
	if err != nil || !got.Fresh || got.Key != key || got.Logs() != Complete {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := b.Put(ctx, key, s); !errors.Is(err, ErrExists) {
		t.Errorf("a second put: %v", err)
	}
	earlier, err := b.Head(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Verify(ctx, earlier); err != nil {
		t.Error(err)
	}
	want, err = b.Copy(ctx, earlier, key.Next())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.VerifyPut(ctx, want); err != nil {
		t.Fatal(err)
	}
	readBack(t, b, want, s)
	damaged := got
	damaged.Metadata = map[string]string{}
	if err := b.Verify(ctx, damaged); !errors.Is(err, ErrMismatch) || errors.Is(err, ErrUnprotected) {
		t.Errorf("without metadata: %v", err)
	}
	undeletable(t, b, want)
}

// readBack compares all bytes.
func readBack(t *testing.T, b *Bucket, o Object, s *Sealed) {
	t.Helper()
	out, err := b.s3.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &o.name})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	var got, want bytes.Buffer
	got.ReadFrom(out.Body)
	want.ReadFrom(s.Body())
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%s: %d bytes read back, %d put, and they differ", o.name, got.Len(), want.Len())
	}
}

// undeletable tries to delete the very version of a bundle under COMPLIANCE.
func undeletable(t *testing.T, b *Bucket, o Object) {
	t.Helper()
	if b.cfg.ObjectLock != LockCompliance {
		return
	}
	client := b.s3.(*s3.Client)
	head, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.cfg.Bucket, Key: &o.name})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.cfg.Bucket, Key: &o.name, VersionId: head.VersionId}); err == nil {
		t.Errorf("%s could be deleted", o.name)
	}
	if err := b.Verify(t.Context(), mustHead(t, b, o)); err != nil {
		t.Error(err)
	}
}

func mustHead(t *testing.T, b *Bucket, o Object) Object {
	t.Helper()
	got, err := b.head(t.Context(), o.name, o.class)
	if err != nil {
		t.Fatal(err)
	}
	got.Key = o.Key
	return got
}

// claimAndRecord writes what is no bundle.
func claimAndRecord(t *testing.T, b *Bucket) {
	t.Helper()
	ctx := t.Context()
	for _, c := range []struct {
		uid string
		ok  bool
	}{{"ours", true}, {"ours", true}, {"theirs", false}} {
		if err := b.Claim(ctx, c.uid, false); (err == nil) != c.ok {
			t.Errorf("claim by %s: %v", c.uid, err)
		}
	}
	record, err := b.Begin(ctx, "0123456789abcdef", map[string]int{"listed": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(record.Add(ctx, "a line"), record.End(context.WithoutCancel(ctx), "the end")); err != nil {
		t.Error(err)
	}
}
