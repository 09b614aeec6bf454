package reclaim

import (
	"context"

	"go.uber.org/zap"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// preflight finds out, before the first pod is touched, what would fail for
// every one: permissions, clocks, the bucket.
func (r *Reclaimer) preflight(ctx context.Context) error {
	if err := r.permitted(ctx); err != nil {
		return err
	}
	if err := archive.SameClock("API server", r.Cluster.clock.last(), r.Now()); err != nil {
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
	return archive.SameClock("store", store, r.Now())
}
