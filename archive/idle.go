package archive

import (
	"context"
	"net"
	"time"
)

// storeIdle is how long a connection to the store may stand still while a
// request is under way: neither a byte of it is taken nor one of the answer
// comes. A store that hangs must not hang the run. It bounds no request as a
// whole, so a large bundle over a slow line has its time.
const storeIdle = 2 * time.Minute

// dialer makes connections that end when they stand still for so long.
func dialer(idle time.Duration, dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &idleConn{conn, idle}, nil
	}
}

// idleConn sets a new deadline before each read and write. A write also puts off
// the end of the read that waits meanwhile for the answer.
type idleConn struct {
	net.Conn
	idle time.Duration
}

func (c *idleConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *idleConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
