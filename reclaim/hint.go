package reclaim

import (
	"context"
	"time"

	"go.uber.org/zap"

	"k8s.io/apimachinery/pkg/types"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

const (
	// hintAge is for how long a run believes the record of another that a bundle
	// is there. It is well below the day that a bundle has left when it is renewed.
	hintAge = 6 * time.Hour
	// podsPerRequest is for how many pods that stay one request for records is
	// spent; each of them would cost one.
	podsPerRequest = 20
)

// state is one state of one pod.
type state struct {
	uid             types.UID
	resourceVersion string
}

// hint marks the pods that stay and whose bundle was seen by a run of the last
// hours, as its record says, so that it is not asked for again. It is no more
// than a hint: before a delete every bundle is verified.
func (r *run) hint(ctx context.Context, refs []*ref) {
	staying := map[state]*ref{}
	for _, p := range refs {
		if p.keep != "" {
			staying[state{p.uid, p.resourceVersion}] = p
		}
	}
	parts := len(staying)/podsPerRequest - 1 // and one to list them
	if parts < 1 {
		return
	}
	since := r.Now().Add(-hintAge)
	err := r.Bucket.Recent(ctx, since, parts, func(key archive.Key, seen time.Time) {
		p := staying[state{types.UID(key.UID), key.ResourceVersion}]
		if p == nil || seen.Before(since) || seen.After(r.Now()) {
			return
		}
		want := p.key()
		want.Number = key.Number
		p.hinted = p.hinted || key == want
	})
	if err != nil {
		r.Log.Warn("read the records of earlier runs; the bundle of each pod is asked for", zap.Error(err))
	}
}
