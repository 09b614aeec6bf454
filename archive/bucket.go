package archive

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// api is what we ask of an object store.
type api interface {
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	GetObjectTagging(context.Context, *s3.GetObjectTaggingInput, ...func(*s3.Options)) (*s3.GetObjectTaggingOutput, error)
	GetObjectRetention(context.Context, *s3.GetObjectRetentionInput, ...func(*s3.Options)) (*s3.GetObjectRetentionOutput, error)
	GetObjectLockConfiguration(context.Context, *s3.GetObjectLockConfigurationInput, ...func(*s3.Options)) (*s3.GetObjectLockConfigurationOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	CopyObject(context.Context, *s3.CopyObjectInput, ...func(*s3.Options)) (*s3.CopyObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
	ListObjectVersions(context.Context, *s3.ListObjectVersionsInput, ...func(*s3.Options)) (*s3.ListObjectVersionsOutput, error)
	DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
	GetBucketLifecycleConfiguration(context.Context, *s3.GetBucketLifecycleConfigurationInput, ...func(*s3.Options)) (*s3.GetBucketLifecycleConfigurationOutput, error)
	PutBucketLifecycleConfiguration(context.Context, *s3.PutBucketLifecycleConfigurationInput, ...func(*s3.Options)) (*s3.PutBucketLifecycleConfigurationOutput, error)
}

// Bucket is the archive of one cluster in one bucket. It is safe for
// concurrent use.
type Bucket struct {
	cfg    Config
	layout layout
	s3     api
	now    func() time.Time
	// credentials sign every request.
	credentials  aws.CredentialsProvider
	puts, copies guards
	// noCopy says that the store has no CopyObject.
	noCopy atomic.Bool
	// noBatch says that the store has no DeleteObjects.
	noBatch atomic.Bool
}

// Options are what Open needs beside the configuration.
type Options struct {
	// Now is the clock from which every retention date comes.
	Now func() time.Time
	// Wrap, if set, is put around the HTTP transport.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Open makes the store's client from cfg and the AWS SDK's own configuration.
// It sends no request.
func Open(ctx context.Context, cfg Config, opts Options) (*Bucket, error) {
	loaded, err := config.LoadDefaultConfig(ctx,
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
		config.WithHTTPClient(keepConnections(storeIdle)),
		config.WithLogger(logging.Nop{}), // what it says on stderr is returned as an error, or harmless
	)
	if err != nil {
		return nil, fmt.Errorf("load AWS configuration (AWS_*): %w", err)
	}
	if err := refuseNodeIdentity(loaded.Credentials); err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(loaded, func(o *s3.Options) {
		custom := o.BaseEndpoint != nil
		if o.Region == "" && custom {
			o.Region = "us-east-1"
		}
		o.UsePathStyle = cfg.PathStyle == "true" || cfg.PathStyle == "auto" && custom
		o.EndpointResolverV2 = &endpoints{rules: o.EndpointResolverV2}
		o.APIOptions = append(o.APIOptions, signPayload, unsignedAcceptEncoding, checkLists)
		o.Retryer = retryConflicts(o.Retryer)
		o.Logger = logging.Nop{} // or it writes to stderr
		o.HTTPClient = wrap(o.HTTPClient, opts.Wrap)
	})
	b := &Bucket{cfg: cfg, layout: cfg.layout(), s3: client, now: opts.Now, credentials: loaded.Credentials}
	b.copies.head.Store(true) // some stores take the condition on a put and ignore it on a copy
	return b, nil
}

// keepConnections keeps as many idle connections to the store as pods can be
// in flight; the SDK's default of ten would reconnect for the rest.
func keepConnections(idle time.Duration) aws.HTTPClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.DialContext = dialer(idle, t.DialContext)
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 256
		t.WriteBufferSize = 32 << 10 // most bundles go out in one piece
	})
}

// wrap puts with around the transport that the SDK has configured (CA, proxy).
// The client is the one of keepConnections; were it another, a dry run could
// write, so that is no case to pass over.
func wrap(client s3.HTTPClient, with func(http.RoundTripper) http.RoundTripper) s3.HTTPClient {
	if with == nil {
		return client
	}
	return &http.Client{
		Transport:     with(client.(*awshttp.BuildableClient).GetTransport()),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// signPayload signs the payload's SHA-256 over TLS too, where the SDK would
// send UNSIGNED-PAYLOAD, which some stores refuse.
func signPayload(stack *middleware.Stack) error {
	swap := &v4.ComputePayloadSHA256{}
	if _, ok := stack.Finalize.Get(swap.ID()); !ok {
		return nil
	}
	_, err := stack.Finalize.Swap(swap.ID(), swap)
	return err
}
