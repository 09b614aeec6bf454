package archive

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithy "github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
)

// endpoints remembers where requests go. The SDK works through its rules for this
// twice for each request, which costs as much as signing it, and a bucket has only
// a few answers. It is safe for concurrent use.
type endpoints struct {
	rules s3.EndpointResolverV2
	known sync.Map // of smithyendpoints.Endpoint by question
}

// question is all that the rules look at, which is not the names of objects.
type question struct {
	bucket, region, endpoint maybe[string]
	flags                    [11]maybe[bool]
}

// maybe is what a pointer leads to, if it is set.
type maybe[T comparable] struct {
	set   bool
	value T
}

func of[T comparable](p *T) maybe[T] {
	if p == nil {
		return maybe[T]{}
	}
	return maybe[T]{true, *p}
}

func asked(p s3.EndpointParameters) question {
	return question{of(p.Bucket), of(p.Region), of(p.Endpoint), [...]maybe[bool]{
		of(p.UseFIPS), of(p.UseDualStack), of(p.ForcePathStyle), of(p.Accelerate), of(p.UseGlobalEndpoint),
		of(p.UseObjectLambdaEndpoint), of(p.DisableAccessPoints), of(p.DisableMultiRegionAccessPoints),
		of(p.UseArnRegion), of(p.UseS3ExpressControlEndpoint), of(p.DisableS3ExpressSessionAuth),
	}}
}

// ResolveEndpoint gives what the rules say.
func (e *endpoints) ResolveEndpoint(ctx context.Context, p s3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	q := asked(p)
	if known, ok := e.known.Load(q); ok {
		return ownEndpoint(known.(smithyendpoints.Endpoint)), nil
	}
	p.Key, p.Prefix, p.CopySource = nil, nil, nil
	found, err := e.rules.ResolveEndpoint(ctx, p)
	if err != nil {
		return found, err
	}
	e.known.Store(q, ownEndpoint(found))
	return found, nil
}

// ownEndpoint is a copy that the SDK may change, as it does with the ways to sign.
func ownEndpoint(from smithyendpoints.Endpoint) smithyendpoints.Endpoint {
	to := smithyendpoints.Endpoint{URI: from.URI, Headers: from.Headers.Clone()}
	to.Properties.SetAll(&from.Properties)
	if options, ok := auth.GetAuthOptions(&from.Properties); ok {
		own := make([]*auth.Option, len(options))
		for i, o := range options {
			own[i] = &auth.Option{SchemeID: o.SchemeID, IdentityProperties: ownProperties(&o.IdentityProperties), SignerProperties: ownProperties(&o.SignerProperties)}
		}
		auth.SetAuthOptions(&to.Properties, own)
	}
	return to
}

func ownProperties(from *smithy.Properties) (to smithy.Properties) {
	to.SetAll(from)
	return to
}
