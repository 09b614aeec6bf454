package archive

import (
	"cmp"
	"slices"
	"strings"
)

func (p *Pod) sort() {
	slices.SortStableFunc(p.Bundles, func(x, y Object) int { return Newer(x.Key, y.Key) })
}

// Newest is the bundle with the pod's newest manifest, whatever logs are in it;
// of several copies the last.
func (p Pod) Newest() Object {
	return slices.MinFunc(p.Bundles, newerManifest)
}

func newerManifest(x, y Object) int {
	return cmp.Or(newerVersion(x.Key, y.Key), Newer(x.Key, y.Key))
}

// newerVersion puts the higher resourceVersion first.
func newerVersion(x, y Key) int {
	return cmp.Or(cmp.Compare(len(y.ResourceVersion), len(x.ResourceVersion)), strings.Compare(y.ResourceVersion, x.ResourceVersion))
}

// NewerPod orders pods of one name, the one with the newest manifest first:
// resourceVersions grow over the whole cluster.
func NewerPod(x, y Pod) int {
	return newerVersion(x.Newest().Key, y.Newest().Key)
}

// ByManifest are the pod's bundles, those with the newest manifest first.
func (p Pod) ByManifest() []Object {
	all := slices.Clone(p.Bundles)
	slices.SortStableFunc(all, newerManifest)
	return all
}
