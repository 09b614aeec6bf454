package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// An overlay's namespace, prefix and suffix are followed by everything that
// names something else: above all by the guard, which would be off unnoticed.
func TestNamesFollow(t *testing.T) {
	b := newBed(t)
	for name, overlay := range map[string]string{
		"namespace": "namespace: ops\nresources: [MANIFESTS/base]",
		"prefix":    "namespace: ops\nnamePrefix: eu-\nresources: [MANIFESTS/base]",
		"suffix":    "nameSuffix: -eu\nresources: [MANIFESTS/base]",
		"nothing":   "resources: [MANIFESTS/base]",
	} {
		_, all := b.render(overlay)
		account, namespace := all["ServiceAccount"].at("metadata", "name"), all["ServiceAccount"].at("metadata", "namespace")
		for what, pair := range map[string][2]any{
			"the binding's role":           {all["ClusterRoleBinding"].at("roleRef", "name"), all["ClusterRole"].at("metadata", "name")},
			"the binding's account":        {all["ClusterRoleBinding"].at("subjects", 0, "name"), account},
			"its namespace":                {all["ClusterRoleBinding"].at("subjects", 0, "namespace"), namespace},
			"the guard's policy":           {all["ValidatingAdmissionPolicyBinding"].at("spec", "policyName"), all["ValidatingAdmissionPolicy"].at("metadata", "name")},
			"the CronJob's namespace":      {all["CronJob"].at("metadata", "namespace"), namespace},
			"the CronJob's account":        {all["CronJob"].at("spec", "jobTemplate", "spec", "template", "spec", "serviceAccountName"), account},
			"the CronJob's ConfigMap":      {b.container(all).at("envFrom", 0, "configMapRef", "name"), all["ConfigMap"].at("metadata", "name")},
			"the namespace that is made":   {all["Namespace"].at("metadata", "name"), namespace},
			"the NetworkPolicy's selector": {all["NetworkPolicy"].at("spec", "podSelector", "matchLabels"), b.template(all).at("metadata", "labels")},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%s: %s is %v, want %v", name, what, pair[0], pair[1])
			}
		}
		if user := "system:serviceaccount:" + namespace.(string) + ":" + account.(string); !b.guards(all).MatchString(user) {
			t.Errorf("%s: the guard does not know %s", name, user)
		}
	}
	_, all := b.render("resources: [MANIFESTS/guard]")
	for _, user := range []string{
		"system:serviceaccount:kube-system:pod-garbage-collector", "system:serviceaccount:a:my-pod-reclaimers", "system:serviceaccount:pod-reclaimer:default",
		"pod-reclaimer", "system:node:pod-reclaimer", "kubernetes-admin",
	} {
		if b.guards(all).MatchString(user) {
			t.Errorf("the guard restricts %s", user)
		}
	}
}

// guards is the pattern by which the guard knows the account. CEL's matches
// is RE2, like Go's.
func (b *bed) guards(all map[string]object) *regexp.Regexp {
	b.t.Helper()
	condition := all["ValidatingAdmissionPolicy"].at("spec", "matchConditions", 0, "expression").(string)
	_, rest, _ := strings.Cut(condition, "request.userInfo.username.matches('")
	pattern, ok := strings.CutSuffix(rest, "')")
	if !ok {
		b.t.Fatalf("the guard's condition is another: %s", condition)
	}
	return regexp.MustCompile(pattern)
}

// template is the CronJob's pod template, container its one container.
func (b *bed) template(all map[string]object) object {
	return all["CronJob"].at("spec", "jobTemplate", "spec", "template").(map[string]any)
}

func (b *bed) container(all map[string]object) object {
	return b.template(all).at("spec", "containers", 0).(map[string]any)
}

// The number of shards stands once: who changes completions has changed the
// parallelism and RECLAIM_SHARDS.
func TestShardsStandOnce(t *testing.T) {
	b := newBed(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("manifests")); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlays/sharded/kustomization.yaml")
	text, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "completions: 3\n", "completions: 17\n", 1)
	if err := os.WriteFile(overlay, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	rendered := b.kubectl("kustomize", filepath.Dir(overlay))
	for _, line := range []string{"  RECLAIM_SHARDS: \"17\"\n", " completions: 17\n", " parallelism: 17\n", " completionMode: Indexed\n"} {
		if strings.Count(string(rendered), line) != 1 {
			t.Errorf("%q is not there once:\n%s", line, rendered)
		}
	}
}
