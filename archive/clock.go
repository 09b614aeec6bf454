package archive

import (
	"context"
	"fmt"
	"time"
)

// clockTolerance is how far clocks may be apart: retention dates come from ours.
const clockTolerance = 2 * time.Minute

// SameClock compares the clock of a server, as its Date tells, with ours. With a
// wrong one, bundles would be kept too short, or deleted too early. A server that
// tells none is not held against.
func SameClock(whose string, server, ours time.Time) error {
	if server.IsZero() {
		return nil
	}
	if apart := ours.Sub(server).Abs(); apart > clockTolerance {
		return fmt.Errorf("the clocks of this machine and of the %s are %s apart, at most %s is tolerated: retention dates would be wrong; set the clocks",
			whose, apart.Truncate(time.Second), clockTolerance)
	}
	return nil
}

// sameClock compares the store's clock with ours.
func (b *Bucket) sameClock(ctx context.Context, now time.Time) error {
	store, err := b.Preflight(ctx)
	if err != nil {
		return err
	}
	return SameClock("store", store, now)
}
