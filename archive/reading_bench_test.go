package archive

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// BenchmarkReading reads an archive of 100,000 pods in 100 namespaces, of which
// all but one are only a key: in memory, and in the stores of the testbed, if
// there is one, which takes minutes to fill. It reports the peak of the heap above
// what the store in memory has.
//
//	go test -run - -bench Reading -benchtime 5x -timeout 60m ./archive
func BenchmarkReading(b *testing.B) {
	store := archivetest.NewStore(b, &archivetest.Journal{})
	server := httptest.NewServer(store) // past the journal, which would keep all
	b.Cleanup(server.Close)
	stores := []testStore{{name: "in memory", bucket: store.Bucket, memory: store, env: map[string]string{
		"AWS_ENDPOINT_URL_S3": server.URL, "AWS_ACCESS_KEY_ID": "testbed", "AWS_SECRET_ACCESS_KEY": "testbed-secret-key",
	}}}
	if os.Getenv("TESTBED_NAME") != "" {
		stores = append(stores,
			realStore("VersityGW", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET", ""),
			realStore("SeaweedFS", "TESTBED_STORE2_URL", "TESTBED_BUCKET", ""),
		)
	}
	for _, store := range stores {
		b.Run(store.name, func(b *testing.B) { benchmarkReading(b, store) })
	}
}

func benchmarkReading(b *testing.B, store testStore) {
	bucket := store.open(b)
	one := fillReading(b, bucket, store.memory)
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
func fillReading(b *testing.B, bucket *Bucket, memory *archivetest.Store) Key {
	b.Helper()
	work, ctx := errgroup.WithContext(b.Context())
	work.SetLimit(64)
	for i := range 100_000 {
		key := Key{Class: Class{7}, Namespace: fmt.Sprintf("ns-%d", i%100), Pod: fmt.Sprintf("job-%d", i), UID: uid, ResourceVersion: fmt.Sprint(i + 1), Number: 1}
		name := bucket.layout.object(key)
		if memory != nil {
			memory.Set(name, &archivetest.Stored{Body: []byte("x"), Stored: time.Now().Add(-20 * day)})
			continue
		}
		work.Go(func() error {
			_, err := bucket.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket.cfg.Bucket, Key: &name, Body: strings.NewReader("x")})
			return err
		})
	}
	if err := work.Wait(); err != nil {
		b.Fatal(err)
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
