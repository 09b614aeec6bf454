package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// distance is the round trip time that the servers are put away by.
const distance = 20 * time.Millisecond

// BenchmarkConcurrency runs the program with 1 to 256 pods in flight, with the
// servers beside it and at a distance. BENCH_PODS is how many pods a run has at
// most; with few in flight it has fewer.
func BenchmarkConcurrency(b *testing.B) {
	bench, most := newBench(b), benchPods(b)
	near := [2]string{bench.env["KUBECONFIG"], bench.env["AWS_ENDPOINT_URL_S3"]}
	far := bench.away(distance / 2)
	fmt.Printf("%-10s %8s %14s %9s %9s %14s %9s\n", "in flight", "pods", "pods/s beside", "CPU s", "peak MiB", "pods/s at "+distance.String(), "peak MiB")
	slice := 0
	for _, bench.concurrency = range []int{1, 2, 4, 8, 16, 32, 64, 128, 256} {
		pods := min(most, 20+30*bench.concurrency)
		var m [2]measured
		for i, servers := range [][2]string{near, far} {
			bench.env["KUBECONFIG"], bench.env["AWS_ENDPOINT_URL_S3"] = servers[0], servers[1]
			bench.seed(slice, pods, 0)
			m[i] = bench.product(build(b), []string{fmt.Sprint("seed-", slice)})
			slice++
		}
		fmt.Printf("%-10d %8d %14.1f %9.2f %9d %14.1f %9d\n", bench.concurrency, pods, m[0].rate(), m[0].cpu.Seconds(), m[0].peak, m[1].rate(), m[1].peak)
	}
}

// away is the servers with every byte delayed, both ways.
func (b *bench) away(delay time.Duration) [2]string {
	b.b.Helper()
	kubeconfig, err := clientcmd.LoadFromFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		b.b.Fatal(err)
	}
	for _, cluster := range kubeconfig.Clusters {
		cluster.Server = b.delayed(cluster.Server, delay)
	}
	path := filepath.Join(b.b.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		b.b.Fatal(err)
	}
	return [2]string{path, b.delayed(os.Getenv("AWS_ENDPOINT_URL_S3"), delay)}
}

// delayed is a server behind a proxy that lets every byte wait.
func (b *bench) delayed(server string, delay time.Duration) string {
	b.b.Helper()
	u, err := url.Parse(server)
	if err != nil {
		b.b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.b.Fatal(err)
	}
	b.b.Cleanup(func() { listener.Close() })
	host := u.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed
			}
			server, err := net.Dial("tcp", host)
			if err != nil {
				client.Close()
				continue
			}
			go relay(client, server, delay)
			go relay(server, client, delay)
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

// relay copies what from sends to to, each piece after delay, and closes to.
func relay(from, to net.Conn, delay time.Duration) {
	type piece struct {
		bytes []byte
		due   time.Time
	}
	pieces := make(chan piece, 1000)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.bytes); err != nil {
				from.Close()
			}
		}
	}()
	defer close(pieces)
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			pieces <- piece{buffer[:n], time.Now().Add(delay)}
		}
		if err != nil {
			if err != io.EOF {
				to.Close()
			}
			return
		}
	}
}
