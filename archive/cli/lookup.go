package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// lookup finds the pod of the flags. Of several pods of one name it is the one
// whose manifest is the newest; the others are named on stderr.
func (p Program) lookup(ctx context.Context, bucket *archive.Bucket, f podFlags) (archive.Pod, error) {
	var pods []archive.Pod
	err := bucket.List(ctx, archive.Selection{Namespace: f.namespace, Pod: f.pod}, func(pod archive.Pod) error {
		pods = append(pods, pod)
		return nil
	})
	switch {
	case err != nil:
		return archive.Pod{}, err
	case len(pods) == 0:
		return archive.Pod{}, p.notFound(ctx, bucket, f)
	}
	slices.SortStableFunc(pods, archive.NewerPod)
	n := slices.IndexFunc(pods, func(pod archive.Pod) bool { return strings.HasPrefix(pod.UID, f.uid) })
	if n < 0 {
		return archive.Pod{}, fmt.Errorf("pod %q with UID %s in namespace %q is %w; there is: --uid %s", f.pod, f.uid, f.namespace, errNoPod, pods[0].UID)
	}
	if f.uid == "" {
		for _, other := range pods[1:] {
			p.note("another pod was named %s: --uid %s", f.pod, other.UID)
		}
	}
	return pods[n], nil
}

// errNoPod says that the archive has no such pod.
var errNoPod = errors.New("not in the archive")

// maxHints is how much is looked at to help somebody who mistyped a name.
const maxHints = 100

// notFound says where a pod of about this name is.
func (p Program) notFound(ctx context.Context, bucket *archive.Bucket, f podFlags) error {
	err := fmt.Errorf("pod %q in namespace %q is %w", f.pod, f.namespace, errNoPod)
	names, listErr := bucket.Names(ctx, f.namespace, f.pod, maxHints)
	if listErr != nil {
		return listErr
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == f.pod })
	if len(names) > 0 {
		slices.Sort(names)
		more := ""
		if len(names) > 5 {
			names, more = names[:5], ", ..."
		}
		return fmt.Errorf("%w; there are: %s%s", err, strings.Join(names, ", "), more)
	}
	namespaces, listErr := bucket.Namespaces(ctx, maxHints)
	if listErr != nil {
		return listErr
	}
	for _, namespace := range namespaces {
		there, listErr := bucket.Names(ctx, namespace, f.pod, maxHints)
		if listErr != nil {
			return listErr
		}
		if slices.Contains(there, f.pod) {
			return fmt.Errorf("%w; one of this name was in namespace %q: -n %s", err, namespace, namespace)
		}
	}
	return err
}
