package archive

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// aged makes all objects of a store older, as its lists say: a store cannot be
// told when an object was put, and its clock is that of the signatures.
type aged struct{ by time.Duration }

var lastModified = regexp.MustCompile(`<LastModified>([^<]+)</LastModified>`)

func (a *aged) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil || a.by == 0 || !req.URL.Query().Has("prefix") {
			return answer, err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		text = lastModified.ReplaceAllFunc(text, func(element []byte) []byte {
			at, _ := time.Parse(time.RFC3339, string(lastModified.FindSubmatch(element)[1]))
			return fmt.Appendf(nil, "<LastModified>%s</LastModified>", at.Add(-a.by).UTC().Format(time.RFC3339Nano))
		})
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return answer, err
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// secondStores are buckets of the testbed's second store, made for a test.
func secondStores(t *testing.T) []testStore {
	t.Helper()
	if os.Getenv("TESTBED_STORE2_URL") == "" {
		return nil
	}
	var all []testStore
	for _, bucket := range []string{"expire-plain", "expire-versioned"} {
		s := testStore{name: "SeaweedFS, " + bucket, bucket: bucket, env: map[string]string{
			"AWS_ENDPOINT_URL_S3": os.Getenv("TESTBED_STORE2_URL"),
			"AWS_ACCESS_KEY_ID":   os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY": os.Getenv("AWS_SECRET_ACCESS_KEY"),
		}}
		t.Run("make "+bucket, func(t *testing.T) {
			client := s.open(t).s3.(*s3.Client)
			if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil && !hasCode(err, "BucketAlreadyExists") && !hasCode(err, "BucketAlreadyOwnedByYou") {
				t.Fatal(err)
			}
			if !strings.HasSuffix(bucket, "versioned") {
				return
			}
			_, err := client.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{Bucket: &bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
			if err != nil {
				t.Fatal(err)
			}
		})
		all = append(all, s)
	}
	return all
}
