package reclaim

import (
	"context"
	"time"
)

// An interrupted run, with metrics and summary, ends within 20 s: pods in flight
// have until finishTime, the record of what was done until recordedTime.
const (
	finishTime   = 13 * time.Second
	recordedTime = 17 * time.Second
)

// graceful gives a context that ends so long after ctx.
func graceful(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	inFlight, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(after, cancel) })
	return inFlight, func() {
		stop()
		cancel()
	}
}
