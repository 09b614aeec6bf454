package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// What was applied is deleted again with the same manifests, and then nothing is left
// of it: of all components at once, and of a team's. The namespace stays here, for it
// is the test's.
func TestUninstallOnRealCluster(t *testing.T) {
	b := newBed(t)
	all := "components: [MANIFESTS/components/static-credentials, MANIFESTS/components/object-lock, MANIFESTS/components/monitoring, MANIFESTS/components/expire, MANIFESTS/components/audit]"
	withoutNamespace := "patches: [{target: {kind: Namespace}, patch: \"{$patch: delete, apiVersion: v1, kind: Namespace, metadata: {name: ignored}}\"}]"
	for _, overlay := range []string{
		b.overlay("base", all, withoutNamespace),
		b.overlay("overlays/namespaced"),
	} {
		text, objects := b.render(overlay)
		before := b.objects()
		// other tests are at work in the same cluster
		ours := func() []string {
			made := b.objects()
			maps.DeleteFunc(made, func(name string, _ bool) bool {
				return before[name] || !strings.Contains(name, b.namespace+"-") && !strings.Contains(name, "/"+b.home+"/")
			})
			return slices.Sorted(maps.Keys(made))
		}
		b.kubectlIn(string(text), "apply", "--namespace", b.home, "-f", "-")
		if made := ours(); len(made) < len(objects)/2 {
			t.Errorf("only %v were made", made)
		}
		b.kubectlIn(string(text), "delete", "--namespace", b.home, "-f", "-")
		eventually(t, "nothing is left", func() bool {
			left := ours()
			if len(left) > 0 {
				t.Logf("left: %v", left)
			}
			return len(left) == 0
		})
	}
}
