package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ownerResources are the owners that are archived, by apiVersion and kind, with
// the path segment of their resource. Others may be of any size and secrecy.
var ownerResources = map[string]string{
	"batch/v1 Job":        "jobs",
	"batch/v1 CronJob":    "cronjobs",
	"apps/v1 ReplicaSet":  "replicasets",
	"apps/v1 Deployment":  "deployments",
	"apps/v1 StatefulSet": "statefulsets",
	"apps/v1 DaemonSet":   "daemonsets",
}

// ownerDepth ends a chain of owners: Job and CronJob, ReplicaSet and Deployment.
const ownerDepth = 2

// owner is an object that owns a pod, as the API server sent it.
type owner struct {
	path string // its entry in the bundle
	raw  []byte
}

// owners gets the pod's owners, nearest first. One that is gone, is another of
// the same name, or may not be read is a note.
func (r *run) owners(ctx context.Context, namespace string, refs []metav1.OwnerReference) ([]owner, []string, error) {
	var found []owner
	var notes []string
	for range ownerDepth {
		ref := controller(refs)
		if ref == nil || ownerResources[ref.APIVersion+" "+ref.Kind] == "" {
			break
		}
		refs = nil
		what := fmt.Sprintf("owner %s %s", ref.Kind, ref.Name)
		raw, err := r.ownerCache.get(ctx, ownerURL(namespace, ref))
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
			notes = append(notes, what+": "+err.Error())
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("get %s: %w", what, err)
		}
		var object struct{ Metadata metav1.ObjectMeta }
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, nil, fmt.Errorf("decode %s: %w", what, err)
		}
		if object.Metadata.UID != ref.UID {
			notes = append(notes, what+": replaced by another of the same name")
			break
		}
		found = append(found, owner{path: "owners/" + ref.Kind + "." + ref.Name + ".json", raw: raw})
		refs = object.Metadata.OwnerReferences
	}
	return found, notes, nil
}

func controller(refs []metav1.OwnerReference) *metav1.OwnerReference {
	return metav1.GetControllerOf(&metav1.ObjectMeta{OwnerReferences: refs})
}

func ownerURL(namespace string, ref *metav1.OwnerReference) string {
	resource := ownerResources[ref.APIVersion+" "+ref.Kind]
	return strings.Join([]string{"/apis", ref.APIVersion, "namespaces", namespace, resource, ref.Name}, "/")
}

// get is the raw body of one object by its path.
func (c *Cluster) get(ctx context.Context, path string) ([]byte, error) {
	return c.rest.Get().AbsPath(path).Do(ctx).Raw()
}
