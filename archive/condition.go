package archive

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// guards is what keeps one kind of writes from replacing what is there, beside
// the condition. Puts and copies have their own: stores treat them differently.
type guards struct {
	// head asks right before each write: the store ignores the condition.
	head atomic.Bool
	// unconditional leaves the condition out as well: the store refuses it.
	unconditional atomic.Bool
}

// ifAbsent writes name by send, with the condition that nothing is there;
// ErrExists if something is. A store that has no conditional writes answers
// NotImplemented; then, for the rest of the run, a HEAD before the write is the
// guard. Two runs at once could both pass that one, with the same pod's bundle.
func (b *Bucket) ifAbsent(ctx context.Context, g *guards, name string, send func(ifNoneMatch *string) error) error {
	if g.head.Load() {
		if err := b.absent(ctx, name); err != nil {
			return err
		}
	}
	if !g.unconditional.Load() {
		err := send(aws.String("*"))
		if status(err) == http.StatusPreconditionFailed {
			return ErrExists
		}
		// a store may refuse a large body and close before all of it is sent
		if err != nil && status(err) == 0 && errors.Is(b.absent(ctx, name), ErrExists) {
			return ErrExists
		}
		if !hasCode(err, "NotImplemented") {
			return err
		}
		if err := b.absent(ctx, name); err != nil {
			return err
		}
	}
	if err := send(nil); err != nil {
		return err // whatever is not implemented, it is not the condition
	}
	g.head.Store(true)
	g.unconditional.Store(true)
	return nil
}

// absent is ErrExists if there is an object of this name.
func (b *Bucket) absent(ctx context.Context, name string) error {
	switch _, err := b.head(ctx, name, Class{}); {
	case err == nil:
		return ErrExists
	case !errors.Is(err, ErrNotFound):
		return err
	}
	return nil
}

// probe puts an object of ours once more, with the same bytes. A store that takes
// it ignores the condition, as Google's does on writes:
// cloud.google.com/storage/docs/request-preconditions.
func (b *Bucket) probe(ctx context.Context, u upload) error {
	if b.puts.head.Load() {
		return nil
	}
	_, err := b.put(ctx, u)
	if err == nil {
		b.puts.head.Store(true)
	}
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// retryConflicts sends a write again that another one to the same key was in
// the way of, as S3 asks for:
// docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html.
func retryConflicts(r aws.Retryer) aws.Retryer {
	return retry.AddWithErrorCodes(r, "ConditionalRequestConflict")
}
