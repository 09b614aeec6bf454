package archive

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// s3 is the rule in the SDK's form.
func (r Rule) s3() types.LifecycleRule {
	rule := types.LifecycleRule{
		ID: &r.ID, Status: types.ExpirationStatus(r.Status), Filter: &types.LifecycleRuleFilter{Prefix: &r.Filter.Prefix},
		Expiration: &types.LifecycleExpiration{},
	}
	if r.Expiration.Days > 0 {
		rule.Expiration.Days = &r.Expiration.Days
	}
	if r.Expiration.Markers {
		rule.Expiration.ExpiredObjectDeleteMarker = aws.Bool(true)
	}
	if r.Noncurrent != nil {
		rule.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: &r.Noncurrent.Days}
	}
	return rule
}

// ruleOf is the inverse of s3, for rules of ours.
func ruleOf(r types.LifecycleRule) Rule {
	rule := Rule{ID: aws.ToString(r.ID), Status: string(r.Status)}
	if r.Filter != nil {
		rule.Filter.Prefix = aws.ToString(r.Filter.Prefix)
	}
	if r.Expiration != nil {
		rule.Expiration = RuleExpiration{Days: aws.ToInt32(r.Expiration.Days), Markers: aws.ToBool(r.Expiration.ExpiredObjectDeleteMarker)}
	}
	if r.NoncurrentVersionExpiration != nil {
		rule.Noncurrent = &RuleNoncurrent{Days: aws.ToInt32(r.NoncurrentVersionExpiration.NoncurrentDays)}
	}
	return rule
}
