package archive

import (
	"context"
	"fmt"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const acceptEncoding = "Accept-Encoding"

// unsignedAcceptEncoding leaves Accept-Encoding out of the signature: GCS
// rewrites the header on the way, which would break it.
func unsignedAcceptEncoding(stack *middleware.Stack) error {
	if _, ok := stack.Finalize.Get("Signing"); !ok {
		return nil
	}
	var held string
	take := middleware.FinalizeMiddlewareFunc("TakeAcceptEncoding", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		req, ok := in.Request.(*smithyhttp.Request)
		if !ok {
			return middleware.FinalizeOutput{}, middleware.Metadata{}, fmt.Errorf("unknown request type %T", in.Request)
		}
		held = req.Header.Get(acceptEncoding)
		req.Header.Del(acceptEncoding)
		return next.HandleFinalize(ctx, in)
	})
	give := middleware.FinalizeMiddlewareFunc("GiveAcceptEncoding", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		if req, ok := in.Request.(*smithyhttp.Request); ok && held != "" {
			req.Header.Set(acceptEncoding, held)
		}
		return next.HandleFinalize(ctx, in)
	})
	if err := stack.Finalize.Insert(take, "Signing", middleware.Before); err != nil {
		return err
	}
	return stack.Finalize.Insert(give, "Signing", middleware.After)
}
