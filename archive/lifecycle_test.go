package archive

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// On every store that has lifecycle rules, ours are set and set again, and
// those of others stay.
func TestApplyLifecycle(t *testing.T) {
	for _, store := range testStores(t) {
		t.Run(store.name, func(t *testing.T) {
			b := store.open(t, func(c *Config) { c.Retention = Classes{{7}, {30}, {}} })
			if _, err := b.rules(t.Context()); withoutVersions(err) {
				t.Skip("this store has no lifecycle rules")
			}
			other := types.LifecycleRule{
				ID: aws.String("other"), Status: types.ExpirationStatusEnabled, Filter: &types.LifecycleRuleFilter{Prefix: aws.String("tmp/")},
				Expiration: &types.LifecycleExpiration{Days: aws.Int32(1)},
			}
			_, err := b.s3.PutBucketLifecycleConfiguration(t.Context(), &s3.PutBucketLifecycleConfigurationInput{
				Bucket: &b.cfg.Bucket, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: []types.LifecycleRule{other}},
			}, withContentMD5)
			if err != nil {
				t.Fatal(err)
			}
			for _, classes := range []Classes{{{7}, {30}}, {{7}, {30}, {}}, {{90}}} {
				b.cfg.Retention = classes
				if others, err := b.ApplyLifecycle(t.Context()); err != nil || others != 1 {
					t.Errorf("%v: %d others, %v", classes, others, err)
				}
			}
			rules, err := b.rules(t.Context())
			if err != nil || len(rules) != 4 || aws.ToString(rules[0].Filter.Prefix) != "tmp/" {
				t.Errorf("%d rules, %v", len(rules), err)
			}
		})
	}
}
