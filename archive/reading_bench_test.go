package archive

import (
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// BenchmarkReading reads an archive of 100,000 pods in 100 namespaces from a store
// in memory, and reports the peak of the heap above what the store has. Of all
// pods but one there is only the key:
//
//	go test -run - -bench Reading -benchtime 5x ./archive
func BenchmarkReading(b *testing.B) {
	store := archivetest.NewStore(b, &archivetest.Journal{})
	server := httptest.NewServer(store) // past the journal, which would keep all
	b.Cleanup(server.Close)
	b.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	b.Setenv("AWS_ACCESS_KEY_ID", "testbed")
	b.Setenv("AWS_SECRET_ACCESS_KEY", "testbed-secret-key")
	cfg := Config{Bucket: store.Bucket, Cluster: "prod-1", Retention: Classes{{7}}, Tagging: true, Compression: Zstd, Verify: VerifyETag, PathStyle: "true"}
	bucket, err := Open(b.Context(), cfg, Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	one := fillReading(b, bucket, store)
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

// fillReading sets the keys of 100,000 pods, and puts one pod that is real.
func fillReading(b *testing.B, bucket *Bucket, store *archivetest.Store) Key {
	b.Helper()
	for i := range 100_000 {
		key := Key{Class: Class{7}, Namespace: fmt.Sprintf("ns-%d", i%100), Pod: fmt.Sprintf("job-%d", i), UID: uid, ResourceVersion: fmt.Sprint(i + 1), Number: 1}
		store.Set(bucket.layout.object(key), &archivetest.Stored{Body: []byte("x"), Stored: time.Now().Add(-20 * day)})
	}
	one := exampleKey(func(k *Key) { k.Pod = "real" })
	index := exampleIndex()
	index.Namespace, index.Pod, index.UID, index.ResourceVersion = one.Namespace, one.Pod, one.UID, one.ResourceVersion
	if _, err := bucket.Put(b.Context(), one, seal(b, exampleBundle(b, b.TempDir(), Zstd), index)); err != nil {
		b.Fatal(err)
	}
	return one
}

// peakHeap is the most that the heap held more while do ran, as far as samples
// show.
func peakHeap(do func()) uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	before := stats.HeapAlloc
	done, peak := make(chan bool), make(chan uint64)
	go func() {
		var most uint64
		for {
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapAlloc)
			select {
			case <-done:
				peak <- most - before
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	return <-peak
}
