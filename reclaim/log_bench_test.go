package reclaim

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// logBody is a log of so many bytes as the log endpoint gives it.
func logBody(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2024-02-29T09:59:30.%09dZ level=info msg=\"request done\" path=/api/v2/orders/%d\n", i*7919%1e9, i)
	}
	return b.Bytes()
}

// passLog lets a log pass as stream and attempt do, and returns its end.
func passLog(log, buffer []byte) *logEnd {
	end := newLogEnd()
	g := &guard{w: end}
	io.CopyBuffer(g, struct{ io.Reader }{bytes.NewReader(log)}, buffer)
	return end
}

// What a log costs on its way beside the bundle: the look at its head, and what is
// remembered of its end.
func BenchmarkLog(b *testing.B) {
	for _, size := range []int{13 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			log, buffer := logBody(size), make([]byte, 32<<10)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				if passLog(log, buffer).size != int64(len(log)) {
					b.Fatal("not all of the log has passed")
				}
			}
		})
	}
}

// However long a log is, its way takes no more memory: 1,000 lines are as dear as
// 100,000.
func TestLogAllocations(t *testing.T) {
	buffer := make([]byte, 32<<10)
	allocations := func(size int) float64 {
		log := logBody(size)
		return testing.AllocsPerRun(5, func() { passLog(log, buffer) })
	}
	if short, long := allocations(80<<10), allocations(8<<20); long > short {
		t.Errorf("8 MiB take %.0f allocations, 80 KiB %.0f", long, short)
	}
}
