package reclaim

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// delete deletes exactly this UID at exactly this resourceVersion, or nothing:
// the API server checks both in the same transaction. The grace period is 0
// because the containers have ended.
func (c *Cluster) delete(ctx context.Context, r ref) (Outcome, Reason, error) {
	grace := int64(0)
	options, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:           metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		GracePeriodSeconds: &grace,
		Preconditions:      &metav1.Preconditions{UID: &r.uid, ResourceVersion: &r.resourceVersion},
	})
	if err != nil {
		return Failed, "", fmt.Errorf("encode delete options: %w", err)
	}
	left, err := finalizers(c.rest.Delete().SetHeader("Accept", metadataForms).
		Namespace(r.namespace).Resource("pods").Name(r.name).Body(options).Do(ctx))
	switch {
	case notFound(err):
		return Gone, "", nil
	case apierrors.IsConflict(err):
		return c.conflict(ctx, r)
	case err != nil:
		return Failed, "", err
	case len(left) > 0:
		return Pending, "", nil
	}
	return Deleted, "", nil
}

// metadataForms asks for the metadata of an object alone, where the server can do
// that: all since Kubernetes 1.15.
const metadataForms = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// finalizers are those that the answer says the object still has.
func finalizers(result rest.Result) ([]string, error) {
	body, err := raw(result)
	if err != nil {
		return nil, err
	}
	var object struct {
		Metadata struct {
			Finalizers []string `json:"finalizers"`
		} `json:"metadata"`
	}
	if err := decodeJSON(body, &object); err != nil {
		return nil, fmt.Errorf("decode the answer: %w", err)
	}
	return object.Metadata.Finalizers, nil
}

// conflict asks what the pod is now: the same one, changed, or another of the
// same name. Either way it is the next run's.
func (c *Cluster) conflict(ctx context.Context, r ref) (Outcome, Reason, error) {
	_, pod, err := c.pod(ctx, r)
	switch {
	case notFound(err) || err == nil && pod.UID != r.uid:
		return Gone, "", nil
	case err != nil:
		return Failed, "", fmt.Errorf("get the pod after a conflict: %w", err)
	}
	return Kept, KeepChanged, nil
}

// pod gets the pod of this name: the API server's own bytes, and what is used of
// them.
func (c *Cluster) pod(ctx context.Context, r ref) ([]byte, *corev1.Pod, error) {
	body, err := raw(c.rest.Get().Namespace(r.namespace).Resource("pods").Name(r.name).Do(ctx))
	if err != nil {
		return nil, nil, err
	}
	pod, err := decodePod(body)
	return body, pod, err
}
