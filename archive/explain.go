package archive

import (
	"errors"
	"fmt"

	"github.com/aws/smithy-go"
)

// hasCode tells whether the store answered with this error code.
func hasCode(err error, code string) bool {
	var answer smithy.APIError
	return errors.As(err, &answer) && answer.ErrorCode() == code
}

// advice is what to change, by the store's error code.
var advice = map[string]string{
	"NoSuchBucket":                 "ARCHIVE_BUCKET names no bucket of this store",
	"InvalidAccessKeyId":           "the store does not know AWS_ACCESS_KEY_ID",
	"SignatureDoesNotMatch":        "AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID",
	"ExpiredToken":                 "the credentials (AWS_*) have expired",
	"PermanentRedirect":            "the bucket is in another region, set AWS_REGION",
	"AuthorizationHeaderMalformed": "the bucket is in another region, set AWS_REGION",
	"RequestTimeTooSkewed":         "the clocks of this machine and of the store differ",
	"NotImplemented":               "the store cannot do this; without object tags set ARCHIVE_TAGGING=off",
}

// explain wraps the error of one request, with what to change where that is
// known. A 403 names the permission that the request needs.
func (b *Bucket) explain(verb, permission, name string, err error) error {
	for code, hint := range advice {
		if hasCode(err, code) {
			return fmt.Errorf("%s %s in bucket %s: %s: %w", verb, name, b.cfg.Bucket, hint, err)
		}
	}
	switch status(err) {
	case 403:
		return fmt.Errorf("%s %s in bucket %s: not allowed, needs %s: %w", verb, name, b.cfg.Bucket, permission, err)
	case 301:
		return fmt.Errorf("%s %s in bucket %s: %s: %w", verb, name, b.cfg.Bucket, advice["PermanentRedirect"], err)
	case 0:
		return fmt.Errorf("%s %s in bucket %s: no answer from the store (AWS_ENDPOINT_URL_S3): %w", verb, name, b.cfg.Bucket, err)
	}
	return fmt.Errorf("%s %s in bucket %s: %w", verb, name, b.cfg.Bucket, err)
}
