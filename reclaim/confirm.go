package reclaim

import (
	"context"
	"errors"
	"fmt"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// maxNumber is the last number of one resourceVersion's bundles; keys have room
// for it.
const maxNumber = 999

// store stores under key by put and proves what is then there. If what it has put
// does not match, it is left there and the next number is tried, once. What was
// there before and does not match is passed over, however much there is: else a
// store that was broken for a few runs would keep the pod for ever.
func (r *run) store(ctx context.Context, key archive.Key, put func(archive.Key) (archive.Object, error)) (archive.Object, Step, error) {
	for puts := 0; ; key = key.Next() {
		want, err := put(key)
		if !errors.Is(err, archive.ErrExists) {
			puts++
		}
		object, step, err := r.confirm(ctx, key, want, err)
		if err == nil || !errors.Is(err, archive.ErrMismatch) || puts == 2 || key.Number == maxNumber {
			return object, step, err
		}
	}
}

// confirm verifies what a put or a copy to key has stored. If the key was taken,
// by another run or by a try whose answer was lost, what is there is verified
// instead.
func (r *run) confirm(ctx context.Context, key archive.Key, want archive.Object, err error) (archive.Object, Step, error) {
	if errors.Is(err, archive.ErrExists) {
		object, err := r.Bucket.Head(ctx, key)
		switch {
		case errors.Is(err, archive.ErrNotFound): // the store contradicts itself
			err = fmt.Errorf("%w: the key is taken, and nothing is there", archive.ErrMismatch)
		case err == nil:
			err = r.Bucket.Verify(ctx, object)
		}
		if err == nil && object.Stale(r.Now()) {
			err = fmt.Errorf("%w: %s: it was archived over a day ago", archive.ErrUnprotected, object.Name())
		}
		return object, StepVerify, err
	}
	if err != nil {
		return archive.Object{}, StepPut, err
	}
	object, err := r.Bucket.VerifyPut(ctx, want)
	return object, StepVerify, err
}
