package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// logText is a log as a container writes it, each line with the timestamp that
// the log endpoint adds: about so many bytes, the same for the same number.
func logText(size int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(size)))
	verbs := []string{"GET", "PUT", "POST", "DELETE"}
	var b bytes.Buffer
	at := finishedAt
	for b.Len() < size {
		at = at.Add(time.Duration(r.IntN(int(time.Second))))
		fmt.Fprintf(&b, "%s level=info msg=\"request done\" method=%s path=/api/v2/orders/%d status=%d duration=%dus trace=%016x\n",
			at.Format(time.RFC3339Nano), verbs[r.IntN(len(verbs))], r.IntN(100_000), 200+r.IntN(4), r.IntN(1_000_000), r.Uint64())
	}
	return b.Bytes()
}

// A bundle of one pod, from its manifest and its log to what is put.
func BenchmarkBundle(b *testing.B) {
	manifest := bytes.Repeat([]byte(`{"metadata":{"name":"nightly-report-28391"}},`), 200)
	for _, c := range []Compression{Zstd, Gzip} {
		for _, size := range []int{13 << 10, 1 << 20, 16 << 20} {
			b.Run(fmt.Sprintf("%s/log=%dKiB", c, size>>10), func(b *testing.B) {
				log, dir := logText(size), b.TempDir()
				b.SetBytes(int64(len(log) + len(manifest)))
				b.ReportAllocs()
				var stored int64
				for b.Loop() {
					bundle := NewBundle(dir, c)
					err := bundle.AddLog("logs/main.log", func(w io.Writer) error {
						// as a response comes
						_, err := io.Copy(w, struct{ io.Reader }{bytes.NewReader(log)})
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
					bundle.Add("pod.json", manifest)
					sealed, err := bundle.Seal(Index{}, finishedAt)
					if err != nil {
						b.Fatal(err)
					}
					stored = sealed.Size
					bundle.Remove()
				}
				b.ReportMetric(float64(stored), "stored-B/op")
			})
		}
	}
}
