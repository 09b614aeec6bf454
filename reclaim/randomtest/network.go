package randomtest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// network serves a handler over connections in memory. In a bubble of
// testing/synctest its clients wait without time passing, which real sockets
// cannot do.
type network struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	client *http.Transport
	server *http.Server
}

// serve starts a server; stop ends it.
func serve(handler http.Handler) *network {
	n := &network{conns: make(chan net.Conn), closed: make(chan struct{}), server: &http.Server{Handler: handler}}
	n.client = &http.Transport{DialContext: n.dial, MaxIdleConnsPerHost: 256}
	go n.server.Serve(n)
	return n
}

func (n *network) stop() {
	n.client.CloseIdleConnections()
	n.server.Close()
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept, Close and Addr make it a net.Listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }
