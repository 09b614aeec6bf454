package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// BenchmarkReading reads an archive of 100,000 pods in 100 namespaces in the
// testbed's second store, which lists from an index, and reports the peak of the
// heap. Of all pods but one there is only the key:
//
//	go test -run - -bench Reading -benchtime 5x ./archive
func BenchmarkReading(b *testing.B) {
	if os.Getenv("TESTBED_STORE2_URL") == "" {
		b.Skip("needs a testbed with a second store")
	}
	b.Setenv("AWS_ENDPOINT_URL_S3", os.Getenv("TESTBED_STORE2_URL"))
	cfg := Config{
		Bucket: "reading", Cluster: fmt.Sprintf("bench-%d", time.Now().UnixNano()), Retention: Classes{{7}}, Tagging: true,
		Compression: Zstd, Verify: VerifyETag, PathStyle: "true", SpoolDir: b.TempDir(),
	}
	age := &aged{}
	bucket, err := Open(b.Context(), cfg, Options{Now: time.Now, Wrap: age.wrap})
	if err != nil {
		b.Fatal(err)
	}
	bucket.s3.(*s3.Client).CreateBucket(b.Context(), &s3.CreateBucketInput{Bucket: &cfg.Bucket}) // it may be there
	one := fillReading(b, bucket)
	age.by = 20 * day
	nothing := func(Pod) error { return nil }
	for name, do := range map[string]func() error{
		"list a pod":       func() error { return bucket.List(b.Context(), Selection{Namespace: "ns-7", Pod: "job-7"}, nothing) },
		"list a namespace": func() error { return bucket.List(b.Context(), Selection{Namespace: "ns-7"}, nothing) },
		"list all":         func() error { return bucket.List(b.Context(), Selection{}, nothing) },
		"logs": func() error {
			return bucket.List(b.Context(), Selection{Namespace: one.Namespace, Pod: one.Pod}, func(p Pod) error {
				_, err := bucket.Read(b.Context(), p.Newest(), func(File, io.Reader) error { return nil })
				return err
			})
		},
		"expire": func() error {
			_, err := bucket.Expire(b.Context(), ExpireOptions{})
			return err
		},
		"audit": func() error {
			_, err := bucket.Audit(b.Context(), AuditOptions{Sample: 0.05, Found: func(Finding) {}})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			peak := peakHeap(func() {
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.ReportMetric(float64(peak)/(1<<20), "MiB-heap")
		})
	}
}

// fillReading puts the keys of 100,000 pods, and one pod that is real.
func fillReading(b *testing.B, bucket *Bucket) Key {
	b.Helper()
	work := make(chan int)
	var workers sync.WaitGroup
	for range 32 {
		workers.Go(func() {
			for i := range work {
				key := Key{Class: Class{7}, Namespace: fmt.Sprintf("ns-%d", i%100), Pod: fmt.Sprintf("job-%d", i), UID: uid, ResourceVersion: fmt.Sprint(i + 1), Number: 1}
				name := bucket.layout.object(key)
				_, err := bucket.s3.PutObject(b.Context(), &s3.PutObjectInput{Bucket: &bucket.cfg.Bucket, Key: &name, Body: bytes.NewReader([]byte("x"))}, withContentMD5)
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range 100_000 {
		work <- i
	}
	close(work)
	workers.Wait()
	one := exampleKey(func(k *Key) { k.Pod = "real" })
	index := exampleIndex()
	index.Namespace, index.Pod, index.UID, index.ResourceVersion = one.Namespace, one.Pod, one.UID, one.ResourceVersion
	if _, err := bucket.Put(b.Context(), one, seal(b, exampleBundle(b, b.TempDir(), Zstd), index)); err != nil {
		b.Fatal(err)
	}
	return one
}

// peakHeap is the most that the heap held while do ran, as far as samples show.
func peakHeap(do func()) uint64 {
	runtime.GC()
	done, peak := make(chan bool), make(chan uint64)
	go func() {
		var most uint64
		var stats runtime.MemStats
		for {
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapAlloc)
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	return <-peak
}
