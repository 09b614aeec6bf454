package reclaim

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// newNamespaces reads namespaces for their annotations. One that cannot be read
// is not an error: its pods are archived and kept. One that is gone holds
// nothing.
func newNamespaces(c *Cluster, now func() time.Time) cache[Namespace] {
	return newCache(now, func(ctx context.Context, name string) (Namespace, error) {
		var ns corev1.Namespace
		err := c.rest.Get().Resource("namespaces").Name(name).Do(ctx).Into(&ns)
		switch {
		case notFound(err):
			return Namespace{Readable: true}, nil
		case err != nil:
			return Namespace{}, nil //nolint:nilerr // see above
		}
		return Namespace{Readable: true, Annotations: ns.Annotations}, nil
	})
}
