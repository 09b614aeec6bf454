package reclaim

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
)

// clockTolerance is how far clocks may be apart: retention dates come from ours.
const clockTolerance = 2 * time.Minute

// preflight finds out, before the first pod is touched, what would fail for
// every one: permissions, clocks, the bucket.
func (r *Reclaimer) preflight(ctx context.Context) error {
	if err := r.permitted(ctx); err != nil {
		return err
	}
	if err := r.clock("API server", r.Cluster.clock.last()); err != nil {
		return err
	}
	store, err := r.Bucket.Preflight(ctx)
	if err != nil {
		return err
	}
	source, err := r.Bucket.CredentialSource(ctx)
	if err != nil {
		return err
	}
	r.Log.Info("store", zap.String("credentialsFrom", source))
	return r.clock("store", store)
}

// clock compares a server's Date with our clock. A server that tells none is
// not held against.
func (r *Reclaimer) clock(whose string, date time.Time) error {
	if date.IsZero() {
		return nil
	}
	if apart := r.Now().Sub(date).Abs(); apart > clockTolerance {
		return fmt.Errorf("the clocks of this machine and of the %s are %s apart, at most %s is tolerated: retention dates would be wrong; set the clocks",
			whose, apart.Truncate(time.Second), clockTolerance)
	}
	return nil
}
