package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// clockTolerance is how far clocks may be apart: retention dates come from ours.
const clockTolerance = 2 * time.Minute

// needed are the permissions without which no pod's way can be gone to its end.
var needed = []authorizationv1.ResourceAttributes{
	{Verb: "list", Resource: "pods"},
	{Verb: "get", Resource: "pods"},
	{Verb: "get", Resource: "pods", Subresource: "log"},
	{Verb: "delete", Resource: "pods"},
}

// preflight finds out, before the first pod is touched, what would fail for
// every one: permissions, clocks, the bucket.
func (r *Reclaimer) preflight(ctx context.Context) error {
	namespaces := r.Config.Namespaces
	if len(namespaces) == 0 {
		namespaces = List{metav1.NamespaceAll}
	}
	for _, ns := range namespaces {
		for _, attributes := range needed {
			attributes.Namespace = ns
			if err := r.Cluster.allowed(ctx, attributes); err != nil {
				return err
			}
		}
	}
	if err := r.clock("API server", r.Cluster.clock.last()); err != nil {
		return err
	}
	store, err := r.Bucket.Preflight(ctx)
	if err != nil {
		return err
	}
	return r.clock("store", store)
}

// allowed asks the API server whether we may do this.
func (c *Cluster) allowed(ctx context.Context, attributes authorizationv1.ResourceAttributes) error {
	review := authorizationv1.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
		Spec:     authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &attributes},
	}
	body, err := json.Marshal(review)
	if err != nil {
		return fmt.Errorf("encode access review: %w", err)
	}
	answer, err := c.rest.Post().AbsPath(accessReview).Body(body).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("ask the API server for our permissions: %w", err)
	}
	if err := json.Unmarshal(answer, &review); err != nil {
		return fmt.Errorf("decode access review: %w", err)
	}
	if review.Status.Allowed {
		return nil
	}
	resource := attributes.Resource
	if attributes.Subresource != "" {
		resource += "/" + attributes.Subresource
	}
	return fmt.Errorf("permission missing: %s %s%s; allow it in the Role or ClusterRole of this ServiceAccount",
		attributes.Verb, resource, inNamespace(attributes.Namespace))
}

// clock compares a server's Date with our clock. A server that tells none is
// not held against.
func (r *Reclaimer) clock(whose string, date time.Time) error {
	if date.IsZero() {
		return nil
	}
	if apart := r.Now().Sub(date).Abs(); apart > clockTolerance {
		return fmt.Errorf("the clocks of this machine and of the %s are %s apart, at most %s is tolerated: retention dates would be wrong; set the clocks",
			whose, apart.Truncate(time.Second), clockTolerance)
	}
	return nil
}
