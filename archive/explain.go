package archive

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// hasCode tells whether the store answered with this error code.
func hasCode(err error, code string) bool {
	var answer smithy.APIError
	return errors.As(err, &answer) && answer.ErrorCode() == code
}

// advice is what to change, by the store's error code.
var advice = map[string]string{
	"NoSuchBucket":                    "ARCHIVE_BUCKET names no bucket of this store",
	"InvalidBucketName":               "ARCHIVE_BUCKET is no name of a bucket",
	"InvalidAccessKeyId":              "the store does not know AWS_ACCESS_KEY_ID",
	"SignatureDoesNotMatch":           "AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID",
	"ExpiredToken":                    "the credentials (AWS_*) have expired",
	"InvalidToken":                    "AWS_SESSION_TOKEN does not belong to the credentials (AWS_*)",
	"PermanentRedirect":               "the bucket is in another region, set AWS_REGION",
	"AuthorizationHeaderMalformed":    "the bucket is in another region, set AWS_REGION",
	"RequestTimeTooSkewed":            "the clocks of this machine and of the store differ, set them",
	"KeyTooLongError":                 "the store takes no keys of this length, shorten ARCHIVE_PREFIX",
	"InvalidStorageClass":             "the store does not know ARCHIVE_STORAGE_CLASS",
	"InvalidEncryptionAlgorithmError": "the store does not know ARCHIVE_SSE",
	"KMS.NotFoundException":           "there is no such key as ARCHIVE_KMS_KEY_ID",
	"KMS.DisabledException":           "the key ARCHIVE_KMS_KEY_ID is disabled",
}

// explain wraps the error of one request in a line that says what to change,
// where that is known. A 403 names the permission that the request needs.
func (b *Bucket) explain(verb, permission, name string, err error) error {
	what := verb + " bucket " + b.cfg.Bucket
	if name != "" {
		what = verb + " " + name + " in bucket " + b.cfg.Bucket
	}
	if hint := b.hint(permission, err); hint != "" {
		return fmt.Errorf("%s: %s: %w", what, hint, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (b *Bucket) hint(permission string, err error) string {
	if region := bucketRegion(err); region != "" {
		return "the bucket is in another region, set AWS_REGION=" + region
	}
	for code, hint := range advice {
		if hasCode(err, code) {
			return hint
		}
	}
	switch status(err) {
	case http.StatusForbidden:
		return "not allowed, needs " + permission
	case http.StatusMovedPermanently:
		return advice["PermanentRedirect"]
	case http.StatusNotImplemented:
		return strings.Join(append([]string{"the store cannot do this"}, b.cfg.optional()...), "; it may lack ")
	case 0:
		return "no answer from the store (AWS_ENDPOINT_URL_S3)"
	}
	return ""
}

// optional are the settings that ask for what not every store has.
func (c Config) optional() []string {
	var options []string
	if c.Tagging {
		options = append(options, "object tags (ARCHIVE_TAGGING=off)")
	}
	if c.ObjectLock != LockOff {
		options = append(options, "Object Lock (ARCHIVE_OBJECT_LOCK=off)")
	}
	if c.SSE != "" {
		options = append(options, "encryption (unset ARCHIVE_SSE)")
	}
	if c.StorageClass != "" {
		options = append(options, "storage classes (unset ARCHIVE_STORAGE_CLASS)")
	}
	return options
}

// bucketRegion is where the bucket is, if the store says that it is elsewhere.
func bucketRegion(err error) string {
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) || response.Response == nil {
		return ""
	}
	elsewhere := response.HTTPStatusCode() == http.StatusMovedPermanently || hasCode(err, "AuthorizationHeaderMalformed")
	if !elsewhere {
		return ""
	}
	return response.Response.Header.Get("X-Amz-Bucket-Region")
}
