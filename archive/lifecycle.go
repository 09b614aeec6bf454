package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Rule is one lifecycle rule of a bucket; its JSON form is the one that
// "aws s3api put-bucket-lifecycle-configuration" takes:
// docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRule.html.
type Rule struct {
	ID         string
	Status     string
	Filter     RuleFilter
	Expiration RuleExpiration
	Noncurrent *RuleNoncurrent `json:"NoncurrentVersionExpiration,omitempty"`
}

// RuleFilter says which objects a rule is for.
type RuleFilter struct{ Prefix string }

// RuleExpiration says when an object goes; in a bucket with versions it is hidden
// then.
type RuleExpiration struct {
	Days    int32 `json:",omitempty"`
	Markers bool  `json:"ExpiredObjectDeleteMarker,omitempty"`
}

// RuleNoncurrent says when what was hidden goes.
type RuleNoncurrent struct {
	Days int32 `json:"NoncurrentDays"`
}

// Lifecycle are the rules by which the store itself deletes what is past its
// date: for each class but forever its bundles and its run records, and what is
// left of them in a bucket with versions. Days of a rule are counted as
// Class.RetainUntil counts them.
func (c Config) Lifecycle() []Rule {
	l := c.layout()
	var rules []Rule
	for _, class := range c.Retention {
		if class.Forever() {
			continue
		}
		for kind, prefix := range orderedPrefixes(l, class) {
			rules = append(rules, Rule{
				ID: l.ruleID() + kind + "-" + class.String(), Status: "Enabled", Filter: RuleFilter{prefix},
				Expiration: RuleExpiration{Days: int32(class.days)}, Noncurrent: &RuleNoncurrent{Days: 1},
			})
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return append(rules, Rule{
		ID: l.ruleID() + "delete-markers", Status: "Enabled", Filter: RuleFilter{l.root() + "/"}, Expiration: RuleExpiration{Markers: true},
	})
}

func orderedPrefixes(l layout, class Class) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		_ = yield("pods", l.class(class)) && yield("runs", l.runs(class))
	}
}

// ruleID begins the names of all rules of this archive, and of no other's.
func (l layout) ruleID() string {
	sum := sha256.Sum256([]byte(l.root()))
	return "pod-reclaimer-" + hex.EncodeToString(sum[:4]) + "-"
}

// ApplyLifecycle makes the rules those of the bucket; rules that are not this
// archive's stay as they are. It returns how many those are.
func (b *Bucket) ApplyLifecycle(ctx context.Context) (others int, err error) {
	rules, err := b.otherRules(ctx)
	if err != nil {
		return 0, err
	}
	others = len(rules)
	for _, r := range b.cfg.Lifecycle() {
		rules = append(rules, r.s3())
	}
	if len(rules) == 0 {
		return 0, nil
	}
	_, err = b.s3.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &b.cfg.Bucket, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules},
	}, withContentMD5)
	if err != nil {
		return others, b.explain("write the lifecycle rules of", "s3:PutLifecycleConfiguration", "", err)
	}
	return others, b.verifyLifecycle(ctx)
}

// rules are those that the bucket has.
func (b *Bucket) rules(ctx context.Context) ([]types.LifecycleRule, error) {
	out, err := b.s3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &b.cfg.Bucket})
	if hasCode(err, "NoSuchLifecycleConfiguration") {
		return nil, nil
	}
	if err != nil {
		return nil, b.explain("read the lifecycle rules of", "s3:GetLifecycleConfiguration", "", err)
	}
	return out.Rules, nil
}

// otherRules are the bucket's rules that are not this archive's.
func (b *Bucket) otherRules(ctx context.Context) (others []types.LifecycleRule, err error) {
	all, err := b.rules(ctx)
	for _, r := range all {
		if !strings.HasPrefix(aws.ToString(r.ID), b.layout.ruleID()) {
			others = append(others, r)
		}
	}
	return others, err
}

// verifyLifecycle reads the rules back.
func (b *Bucket) verifyLifecycle(ctx context.Context) error {
	stored, err := b.rules(ctx)
	if err != nil {
		return err
	}
	byID := map[string]types.LifecycleRule{}
	for _, r := range stored {
		byID[aws.ToString(r.ID)] = r
	}
	for _, want := range b.cfg.Lifecycle() {
		if got := ruleOf(byID[want.ID]); !reflect.DeepEqual(got, want) {
			text, _ := json.Marshal(got)
			return fmt.Errorf("the store keeps the lifecycle rule %s as %s", want.ID, text)
		}
	}
	return nil
}

// Lifecycle: see Config.Lifecycle. It sends no request.
func (b *Bucket) Lifecycle() []Rule { return b.cfg.Lifecycle() }
