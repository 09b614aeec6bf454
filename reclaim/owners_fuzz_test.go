package reclaim

import (
	"context"
	"path"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Whatever an owner reference names: only known kinds are asked for, in the
// pod's namespace; what is found has the right UID, and its entry is a file in
// owners/; and a pod is in scope only by the very Kind.group of its controller.
func FuzzOwners(f *testing.F) {
	f.Add("batch/v1", "Job", "report-1", "uid", true, "uid")
	f.Add("apps/v1", "ReplicaSet", strings.Repeat("n", 253), "uid", true, "uid")
	f.Add("argoproj.io/v1alpha1", "Workflow", "w", "uid", true, "uid")
	f.Add("batch/v1", "Job", "../../secrets/x", "uid", true, "uid")
	f.Add("v1", "ReplicationController", "rc", "uid", false, "uid")
	f.Add("batch/v1", "CronJob", "..", "uid", true, "uid")
	f.Add("apps/v1", "DaemonSet", "%2e%2e", "uid", true, "uid")
	f.Add("a/b/c", "", "", "", true, "another")
	f.Fuzz(func(t *testing.T, apiVersion, kind, name, uid string, isController bool, found string) {
		var asked []string
		r := &run{ownerCache: newOwnerCache(func(_ context.Context, path string) ([]byte, error) {
			asked = append(asked, path)
			return []byte(objectOf(found, nil)), nil
		}, clock)}
		refs := []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: &isController}}
		owners, notes, err := r.owners(t.Context(), "shop", refs)
		if err != nil {
			t.Skip("the UID is not one that JSON can hold")
		}
		known := ownerResources[apiVersion+" "+kind] != "" && isController
		legal := name != "." && name != ".." && !strings.ContainsAny(name, "/%")
		if len(asked) == 1 != (known && legal) || len(owners)+len(notes) == 1 != known {
			t.Errorf("asked %v, owners %d, notes %q", asked, len(owners), notes)
		}
		for _, url := range asked {
			if url != "/apis/"+apiVersion+"/namespaces/shop/"+ownerResources[apiVersion+" "+kind]+"/"+name || path.Clean(url) != strings.TrimSuffix(url, "/") {
				t.Errorf("asked for %q", url)
			}
		}
		for _, o := range owners {
			if found != uid {
				t.Errorf("UID %q was taken for %q", found, uid)
			}
			file := strings.TrimPrefix(o.path, "owners/")
			if file == o.path || strings.Contains(file, "/") || len(file) > maxFileName && len(uid) <= 36 {
				t.Errorf("entry %q", o.path)
			}
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: refs}}
		group, version, _ := strings.Cut(apiVersion, "/")
		if ownerKind(pod) == "Job.batch" && (kind != "Job" || group != "batch" || strings.Contains(version, "/")) && kind != "Job.batch" {
			t.Errorf("%s %s passes for a Job", apiVersion, kind)
		}
	})
}
