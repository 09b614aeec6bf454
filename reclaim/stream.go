package reclaim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// errIdle says that a log request sent nothing for RECLAIM_LOG_IDLE_TIMEOUT.
var errIdle = errors.New("the log request went silent")

// gatherers are for stream: a log comes in many small parts, at worst a line each.
var gatherers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

// stream copies one answer of the log endpoint to w: the whole log, or its last
// lines if tailLines is not 0. It never follows. Reading
// ends with errIdle when nothing comes for idle; as long as bytes come it may
// take any time.
func (c *Cluster) stream(ctx context.Context, r ref, t target, tailLines int, idle time.Duration, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(idle, func() { cancel(errIdle) })
	defer watch.Stop()

	req := c.rest.Get().Namespace(r.namespace).Resource("pods").Name(r.name).SubResource("log").
		Param("container", t.container).Param("timestamps", "true")
	if t.previous {
		req = req.Param("previous", "true")
	}
	if tailLines > 0 {
		req = req.Param("tailLines", fmt.Sprint(tailLines))
	}
	body, err := req.Stream(ctx)
	if err != nil {
		return idleOr(ctx, err)
	}
	defer body.Close()
	gather := gatherers.Get().(*bufio.Writer)
	defer gatherers.Put(gather)
	defer gather.Reset(nil)
	gather.Reset(w)
	_, err = gather.ReadFrom(&active{body, func() { watch.Reset(idle) }})
	if left := gather.Flush(); err == nil {
		err = left
	}
	return idleOr(ctx, err)
}

// idleOr gives the reason for which ctx was cancelled, else err.
func idleOr(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errIdle) {
		return fmt.Errorf("%w: %w", errIdle, err)
	}
	return err
}

// active reports each read that brought something.
type active struct {
	io.Reader
	alive func()
}

func (a *active) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.alive()
	}
	return n, err
}
