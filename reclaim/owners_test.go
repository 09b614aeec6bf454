package reclaim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func TestOwnerKind(t *testing.T) {
	two := func(p *corev1.Pod) {
		ownedLoosely("example.com/v1", "Thing")(p)
		p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "DaemonSet", Controller: ptr(true)})
	}
	for _, tt := range []struct {
		name string
		pod  *corev1.Pod
		want string
	}{
		{"none", pod(ownedByNobody), "None"},
		{"an owner that is no controller", pod(ownedLoosely("batch/v1", "Job")), "None"},
		{"a group", pod(ownedBy("batch/v1", "Job")), "Job.batch"},
		{"a group with dots", pod(ownedBy("argoproj.io/v1alpha1", "Workflow")), "Workflow.argoproj.io"},
		{"the core group", pod(ownedBy("v1", "ReplicationController")), "ReplicationController"},
		{"the controller among others", pod(two), "DaemonSet.apps"},
	} {
		if got := ownerKind(tt.pod); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func reference(apiVersion, kind, name, uid string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: ptr(true)}}
}

// objectOf is an owner as the API server would send it.
func objectOf(uid string, owners []metav1.OwnerReference) string {
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid, "ownerReferences": owners}, "fieldFromTheFuture": 7})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestOwners(t *testing.T) {
	objects := map[string]string{
		"/apis/batch/v1/namespaces/shop/jobs/report-1":      objectOf("job", reference("batch/v1", "CronJob", "report", "cron")),
		"/apis/batch/v1/namespaces/shop/cronjobs/report":    objectOf("cron", reference("example.com/v1", "App", "report", "app")),
		"/apis/apps/v1/namespaces/shop/replicasets/web-1":   objectOf("rs", reference("apps/v1", "Deployment", "web", "deploy")),
		"/apis/apps/v1/namespaces/shop/deployments/web":     objectOf("deploy", nil),
		"/apis/apps/v1/namespaces/shop/statefulsets/db":     objectOf("sts", nil),
		"/apis/apps/v1/namespaces/shop/daemonsets/agent":    objectOf("ds", nil),
		"/apis/apps/v1/namespaces/shop/replicasets/orphan":  objectOf("rs-2", reference("apps/v1", "Deployment", "missing", "x")),
		"/apis/apps/v1/namespaces/shop/replicasets/secret":  "",
		"/apis/batch/v1/namespaces/shop/jobs/self":          objectOf("self", reference("batch/v1", "Job", "self", "self")),
		"/apis/apps/v1/namespaces/shop/daemonsets/unsteady": "error",
		"/apis/apps/v1/namespaces/shop/daemonsets/broken":   "{",
	}
	resource := schema.GroupResource{Resource: "things"}
	r := &run{ownerCache: newOwnerCache(func(_ context.Context, path string) ([]byte, error) {
		switch body, ok := objects[path]; {
		case !ok:
			return nil, apierrors.NewNotFound(resource, path)
		case body == "":
			return nil, apierrors.NewForbidden(resource, path, errors.New("no"))
		case body == "error":
			return nil, apierrors.NewInternalError(errBroken)
		default:
			return []byte(body), nil
		}
	}, clock)}
	for _, tt := range []struct {
		name  string
		refs  []metav1.OwnerReference
		want  []string
		notes int
		fails bool
	}{
		{"none", nil, nil, 0, false},
		{"a Job and its CronJob", reference("batch/v1", "Job", "report-1", "job"), []string{"owners/Job.report-1.json", "owners/CronJob.report.json"}, 0, false},
		{"a ReplicaSet and its Deployment", reference("apps/v1", "ReplicaSet", "web-1", "rs"), []string{"owners/ReplicaSet.web-1.json", "owners/Deployment.web.json"}, 0, false},
		{"a StatefulSet", reference("apps/v1", "StatefulSet", "db", "sts"), []string{"owners/StatefulSet.db.json"}, 0, false},
		{"a DaemonSet", reference("apps/v1", "DaemonSet", "agent", "ds"), []string{"owners/DaemonSet.agent.json"}, 0, false},
		{"others are not read", reference("argoproj.io/v1alpha1", "Workflow", "w", "x"), nil, 0, false},
		{"nor the same kind of another group", reference("batch.volcano.sh/v1alpha1", "Job", "report-1", "job"), nil, 0, false},
		{"an owner that is no controller", []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "report-1", UID: "job"}}, nil, 0, false},
		{"gone", reference("batch/v1", "Job", "missing", "job"), nil, 1, false},
		{"replaced by another of its name", reference("batch/v1", "Job", "report-1", "job-before"), nil, 1, false},
		{"may not be read", reference("apps/v1", "ReplicaSet", "secret", "x"), nil, 1, false},
		{"its owner is gone", reference("apps/v1", "ReplicaSet", "orphan", "rs-2"), []string{"owners/ReplicaSet.orphan.json"}, 1, false},
		{"an owner of itself", reference("batch/v1", "Job", "self", "self"), []string{"owners/Job.self.json"}, 0, false},
		{"another error", reference("apps/v1", "DaemonSet", "unsteady", "x"), nil, 0, true},
		{"what is no object", reference("apps/v1", "DaemonSet", "broken", "x"), nil, 0, true},
		{"a Job and its CronJob, known by now", reference("batch/v1", "Job", "report-1", "job"), []string{"owners/Job.report-1.json", "owners/CronJob.report.json"}, 0, false},
	} {
		found, notes, err := r.owners(t.Context(), "shop", tt.refs)
		var paths []string
		for _, o := range found {
			paths = append(paths, o.path)
			if !strings.Contains(string(o.raw), "fieldFromTheFuture") {
				t.Errorf("%s: %s is not as it was sent: %s", tt.name, o.path, o.raw)
			}
		}
		if !slices.Equal(paths, tt.want) || len(notes) != tt.notes || (err != nil) != tt.fails {
			t.Errorf("%s: %q, notes %q, error %v", tt.name, paths, notes, err)
		}
	}
}

// The name in an owner reference is any text that the maker of a pod likes. One
// that would lead elsewhere is not asked for, and is no entry of a bundle.
func TestOwnerNameThatLeadsElsewhere(t *testing.T) {
	r := &run{ownerCache: newOwnerCache(func(_ context.Context, url string) ([]byte, error) {
		t.Errorf("asked for %s", url)
		return []byte(objectOf("uid", nil)), nil
	}, clock)}
	for _, name := range []string{"..", ".", "../x", "../../../../../../api/v1/namespaces/shop/secrets/key", "a/b", "%2e%2e", "/"} {
		found, notes, err := r.owners(t.Context(), "shop", reference("batch/v1", "Job", name, "uid"))
		if err != nil || len(found) != 0 || len(notes) != 1 {
			t.Errorf("%q: owners %v, notes %q, %v", name, found, notes, err)
		}
	}
}

// File systems take names of at most 255 bytes, so longer ones cannot be
// unpacked.
func TestOwnersCanBeUnpacked(t *testing.T) {
	name := strings.Repeat("n", 253)
	r := &run{ownerCache: newOwnerCache(func(context.Context, string) ([]byte, error) { return []byte(objectOf("uid", nil)), nil }, clock)}
	for key := range ownerResources {
		var apiVersion, kind string
		if _, err := fmt.Sscan(key, &apiVersion, &kind); err != nil {
			t.Fatal(err)
		}
		found, _, err := r.owners(t.Context(), "shop", reference(apiVersion, kind, name, "uid"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %d owners, %v", key, len(found), err)
		}
		for segment := range strings.SplitSeq(found[0].path, "/") {
			if len(segment) > 255 {
				t.Errorf("%s: a name of %d bytes in the bundle", key, len(segment))
			}
		}
	}
}
