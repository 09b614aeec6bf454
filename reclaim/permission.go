package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// needed are the permissions of a run, in every namespace that it lists. All of
// them are asked for before the first pod is touched: a run that finds one
// missing half way would archive less than the cluster knew. A dry run can do
// without the one to delete.
func (c Config) needed() []authorizationv1.ResourceAttributes {
	all := []authorizationv1.ResourceAttributes{
		{Verb: "list", Resource: "pods"},
		{Verb: "get", Resource: "pods"},
		{Verb: "get", Resource: "pods", Subresource: "log"},
		{Verb: "list", Resource: "events"},
		{Verb: "get", Resource: "namespaces"},
	}
	if !c.DryRun {
		all = append(all, authorizationv1.ResourceAttributes{Verb: "delete", Resource: "pods"})
	}
	if len(c.Namespaces) == 0 {
		// a Role cannot grant it; without it a node's state counts as unknown
		all = append(all, authorizationv1.ResourceAttributes{Verb: "get", Resource: "nodes"})
	}
	for _, owner := range c.owners() {
		all = append(all, authorizationv1.ResourceAttributes{Verb: "get", Group: owner.Group, Resource: owner.Resource})
	}
	return all
}

// owners are the resources of the owners that are archived with the pods in
// scope, sorted.
func (c Config) owners() []schema.GroupResource {
	var all []schema.GroupResource
	for owner, resource := range ownerResources {
		apiVersion, kind, _ := strings.Cut(owner, " ")
		group := schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
		inScope := c.OwnerKinds.has("*") || c.OwnerKinds.has(group.String())
		for below, above := range ownersOwner {
			inScope = inScope || above == kind && c.OwnerKinds.has(schema.GroupKind{Group: group.Group, Kind: below}.String())
		}
		if inScope {
			all = append(all, schema.GroupResource{Group: group.Group, Resource: resource})
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupResource) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// permitted asks for every permission that is needed; the error names the first
// one that is missing.
func (r *Reclaimer) permitted(ctx context.Context) error {
	namespaces := r.Config.Namespaces
	if len(namespaces) == 0 {
		namespaces = List{metav1.NamespaceAll}
	}
	for _, ns := range namespaces {
		for _, attributes := range r.Config.needed() {
			attributes.Namespace = ns
			if attributes.Resource == "namespaces" {
				attributes.Name = ns
			}
			if err := r.Cluster.allowed(ctx, attributes); err != nil {
				return err
			}
		}
	}
	return nil
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
	answer, err := raw(c.rest.Post().AbsPath(accessReview).Body(body).Do(ctx))
	if err != nil {
		return fmt.Errorf("ask the API server for our permissions: %w", err)
	}
	if err := json.Unmarshal(answer, &review); err != nil {
		return fmt.Errorf("decode access review: %w", err)
	}
	if review.Status.Allowed {
		return nil
	}
	where := inNamespace(attributes.Namespace)
	if attributes.Resource == "nodes" {
		where = ""
	}
	return fmt.Errorf("permission missing: %s%s; allow it in the Role or ClusterRole of this ServiceAccount", permission(attributes), where)
}

// permission is how a person would name it, such as get jobs.batch or
// get pods/log.
func permission(a authorizationv1.ResourceAttributes) string {
	resource := schema.GroupResource{Group: a.Group, Resource: a.Resource}.String()
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	return a.Verb + " " + resource
}
