package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// ownersOwner is the kind of an owner's own owner, where that is archived too.
var ownersOwner = map[string]string{"Job": "CronJob", "ReplicaSet": "Deployment"}

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
		// the API server takes any text for the name of an owner
		if bad := content.IsPathSegmentName(ref.Name); len(bad) > 0 {
			notes = append(notes, fmt.Sprintf("owner %s %q: the name is none: it %s", ref.Kind, ref.Name, bad[0]))
			break
		}
		answer, err := r.ownerCache.get(ctx, ownerURL(namespace, ref))
		if err != nil {
			return nil, nil, fmt.Errorf("get %s: %w", what, err)
		}
		if answer.missing != nil {
			notes = append(notes, what+": "+answer.missing.Error())
			break
		}
		if answer.uid != ref.UID {
			notes = append(notes, what+": replaced by another of the same name")
			break
		}
		found = append(found, owner{path: ownerPath(ref), raw: answer.raw})
		if next := ownersOwner[ref.Kind]; next != "" {
			refs = ofKind(answer.owners, next)
		}
	}
	return found, notes, nil
}

func controller(refs []metav1.OwnerReference) *metav1.OwnerReference {
	return metav1.GetControllerOf(&metav1.ObjectMeta{OwnerReferences: refs})
}

// ofKind leaves refs, which many pods share, as they are.
func ofKind(refs []metav1.OwnerReference, kind string) []metav1.OwnerReference {
	return slices.DeleteFunc(slices.Clone(refs), func(ref metav1.OwnerReference) bool { return ref.Kind != kind })
}

// maxFileName is the longest name of a file that file systems take, in bytes;
// a legal name of 253 bytes with its kind is longer.
const maxFileName = 255

// ownerPath is the owner's entry in the bundle. A name that is too long for a
// file is cut and told apart by the UID; the whole name is in the document.
func ownerPath(ref *metav1.OwnerReference) string {
	name := ref.Kind + "." + ref.Name
	if tail := ".json"; len(name)+len(tail) > maxFileName {
		tail = "." + string(ref.UID)
		name = name[:maxFileName-len(tail)-len(".json")] + tail
	}
	return "owners/" + name + ".json"
}

func ownerURL(namespace string, ref *metav1.OwnerReference) string {
	resource := ownerResources[ref.APIVersion+" "+ref.Kind]
	return strings.Join([]string{"/apis", ref.APIVersion, "namespaces", namespace, resource, ref.Name}, "/")
}

// ownerAnswer is what the API server says of an owner: its bytes and what is used of
// them, or that it is not there or not for us.
type ownerAnswer struct {
	raw     []byte
	uid     types.UID
	owners  []metav1.OwnerReference
	missing error
}

func newOwnerCache(get func(context.Context, string) ([]byte, error), now func() time.Time) cache[ownerAnswer] {
	return newCache(now, func(ctx context.Context, url string) (ownerAnswer, error) {
		raw, err := get(ctx, url)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
			return ownerAnswer{missing: err}, nil
		}
		if err != nil {
			return ownerAnswer{}, err
		}
		var object struct{ Metadata metav1.ObjectMeta }
		if err := json.Unmarshal(raw, &object); err != nil {
			return ownerAnswer{}, fmt.Errorf("decode: %w", err)
		}
		return ownerAnswer{raw: raw, uid: object.Metadata.UID, owners: object.Metadata.OwnerReferences}, nil
	})
}

// get is the raw body of one object by its path.
func (c *Cluster) get(ctx context.Context, path string) ([]byte, error) {
	return raw(c.rest.Get().AbsPath(path).Do(ctx))
}
