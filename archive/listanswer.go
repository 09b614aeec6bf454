package archive

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
)

// checkLists makes the answers of lists what they seem to be. Keys come in URL
// form, as the S3 API's EncodingType has it: XML cannot hold the control
// characters that a key may have, so that one foreign key would end every list.
// An answer that is short and does not say where to go on, or says what was asked
// for, is an error; the SDK's paginators would take it for the end, or go round
// for ever.
func checkLists(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("CheckLists", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		var check func(any) error
		switch asked := in.Parameters.(type) {
		case *s3.ListObjectsV2Input:
			encoded := *asked
			encoded.EncodingType = types.EncodingTypeUrl
			in.Parameters = &encoded
			check = func(out any) error { return checkObjects(asked, out.(*s3.ListObjectsV2Output)) }
		case *s3.ListObjectVersionsInput:
			encoded := *asked
			encoded.EncodingType = types.EncodingTypeUrl
			in.Parameters = &encoded
			check = func(out any) error { return checkVersions(asked, out.(*s3.ListObjectVersionsOutput)) }
		default:
			return next.HandleInitialize(ctx, in)
		}
		out, metadata, err := next.HandleInitialize(ctx, in)
		if err == nil {
			err = check(out.Result)
		}
		return out, metadata, err
	}), middleware.After)
}

func checkObjects(asked *s3.ListObjectsV2Input, out *s3.ListObjectsV2Output) error {
	keys := keysOf(asked.Prefix, out.EncodingType)
	for i := range out.Contents {
		keys.decode(&out.Contents[i].Key)
	}
	for i := range out.CommonPrefixes {
		keys.decode(&out.CommonPrefixes[i].Prefix)
	}
	if aws.ToBool(out.IsTruncated) {
		keys.goOn(aws.ToString(asked.ContinuationToken), aws.ToString(out.NextContinuationToken))
	}
	return keys.err
}

func checkVersions(asked *s3.ListObjectVersionsInput, out *s3.ListObjectVersionsOutput) error {
	keys := keysOf(asked.Prefix, out.EncodingType)
	for i := range out.Versions {
		keys.decode(&out.Versions[i].Key)
	}
	for i := range out.DeleteMarkers {
		keys.decode(&out.DeleteMarkers[i].Key)
	}
	if aws.ToBool(out.IsTruncated) {
		keys.decode(&out.NextKeyMarker)
		keys.goOn(aws.ToString(asked.KeyMarker)+" "+aws.ToString(asked.VersionIdMarker), aws.ToString(out.NextKeyMarker)+" "+aws.ToString(out.NextVersionIdMarker))
	}
	return keys.err
}

// listKeys decodes the keys of one answer; err is the first that went wrong.
type listKeys struct {
	prefix  string
	encoded bool
	err     error
}

func keysOf(prefix *string, encoding types.EncodingType) *listKeys {
	return &listKeys{prefix: aws.ToString(prefix), encoded: encoding == types.EncodingTypeUrl}
}

// decode replaces a key by what it stands for. Where stores encode differently
// (a space as + or as %20), the prefix that all keys have shows it.
func (k *listKeys) decode(key **string) {
	name := aws.ToString(*key)
	if k.encoded {
		decoded, err := url.QueryUnescape(name)
		if err != nil {
			k.fail(fmt.Errorf("the store encodes a key wrongly: %w", err))
			return
		}
		name = decoded
	}
	if !strings.HasPrefix(name, k.prefix) {
		k.fail(fmt.Errorf("the store lists %q, which does not begin with %q", aws.ToString(*key), k.prefix))
	}
	*key = &name
}

func (k *listKeys) goOn(from, to string) {
	switch strings.TrimSpace(to) {
	case "":
		k.fail(errors.New("there is more, and the store does not say where to go on"))
	case strings.TrimSpace(from):
		k.fail(errors.New("the store says to go on where the list began"))
	}
}

func (k *listKeys) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}
