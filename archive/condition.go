package archive

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// ifAbsent writes name by send, with the condition that nothing is there;
// ErrExists if something is. A store that has no conditional writes answers
// NotImplemented; then, for the rest of the run, a HEAD before the write is the
// guard. Two runs at once could both pass that one, with the same pod's bundle.
func (b *Bucket) ifAbsent(ctx context.Context, name string, send func(ifNoneMatch *string) error) error {
	if !b.unconditional.Load() {
		err := send(aws.String("*"))
		if status(err) == http.StatusPreconditionFailed {
			return ErrExists
		}
		if !hasCode(err, "NotImplemented") {
			return err
		}
	}
	_, err := b.head(ctx, name, Class{})
	if err == nil {
		return ErrExists
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if err := send(nil); err != nil {
		return err // whatever is not implemented, it is not the condition
	}
	b.unconditional.Store(true)
	return nil
}

// retryConflicts sends a write again that another one to the same key was in
// the way of, as S3 asks for:
// docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html.
func retryConflicts(r aws.Retryer) aws.Retryer {
	return retry.AddWithErrorCodes(r, "ConditionalRequestConflict")
}
