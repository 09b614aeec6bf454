package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// as lets the program's requests be those of the ServiceAccount that was
// installed: the API server checks its rights and its guard.
func (b *bed) as(account string) {
	b.journal.Before(func(server string, _ http.ResponseWriter, req *http.Request) bool {
		if server == "api" {
			req.Header.Set("Impersonate-User", account)
		}
		return false
	})
}

// account is the user name of the ServiceAccount that install made.
func (b *bed) account() string {
	return "system:serviceaccount:" + b.home + ":" + b.namespace + "-pod-reclaimer"
}

// may waits until the account has a right, or no longer has it: the API server
// learns of changed roles after a moment.
func (b *bed) may(verb, resource, want string) {
	b.t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	eventually(b.t, b.account()+" may "+verb+" "+resource+": "+want, func() bool {
		output, err := b.tryKubectl("", "auth", "can-i", verb, resource, "--subresource="+subresource, "--all-namespaces", "--as="+b.account())
		return (err == nil) == (want == "yes") && !strings.Contains(string(output), "rror")
	})
}

// rule is one of a role's; flat has one verb and one resource.
type rule struct {
	APIGroups []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
}

func flatten(rules []rule) []rule {
	var flat []rule
	for _, r := range rules {
		for _, resource := range r.Resources {
			for _, verb := range r.Verbs {
				flat = append(flat, rule{r.APIGroups, []string{resource}, []string{verb}})
			}
		}
	}
	return flat
}

func (b *bed) rules(o object) []rule {
	b.t.Helper()
	text, err := json.Marshal(o.at("rules"))
	if err != nil {
		b.t.Fatal(err)
	}
	var rules []rule
	if err := json.Unmarshal(text, &rules); err != nil {
		b.t.Fatal(err)
	}
	return flatten(rules)
}

// The ClusterRole has exactly the verbs that a run needs: with all of them it
// works, without any one of them it says which is missing and touches nothing.
func TestClusterRoleOnRealCluster(t *testing.T) {
	b := newBed(t)
	rules := b.rules(b.install(b.overlay("base"))["ClusterRole"])
	b.as(b.account())
	b.endedPod("a")
	b.kubectl("label", "pod", "a", "test="+b.namespace)
	// over all namespaces, as the ClusterRole is for
	delete(b.env, "RECLAIM_NAMESPACES")
	b.env["RECLAIM_LABEL_SELECTOR"] = "test=" + b.namespace

	for i, missing := range rules {
		left := append(append([]rule{}, rules[:i]...), rules[i+1:]...)
		b.setRules(left)
		resource := strings.TrimSuffix(missing.Resources[0]+"."+missing.APIGroups[0], ".")
		b.may(missing.Verbs[0], resource, "no")
		name := missing.Verbs[0] + " " + resource
		e := b.run()
		e.expect(t, 1, "a line that names "+name, strings.Contains(e.output, "permission missing: "+name))
		if b.field("pod/a", ".metadata.name") == "" {
			t.Fatalf("without %s the pod was deleted", name)
		}
	}
	if n := b.journal.Count("store", "PUT", ""); n != 0 {
		t.Errorf("%d objects were put", n)
	}
	b.setRules(rules)
	last := rules[len(rules)-1]
	b.may(last.Verbs[0], strings.TrimSuffix(last.Resources[0]+"."+last.APIGroups[0], "."), "yes")
	e := b.run()
	e.expect(t, 0, "the pod deleted with exactly these permissions", e.summary.Deleted == 1)
}

// setRules replaces the rules of the ClusterRole that was installed.
func (b *bed) setRules(rules []rule) {
	b.t.Helper()
	text, err := json.Marshal(map[string]any{"rules": rules})
	if err != nil {
		b.t.Fatal(err)
	}
	b.kubectl("patch", "clusterrole", b.namespace+"-pod-reclaimer", "--type=merge", "-p", string(text))
}

// With the Role of the namespaced overlay a run works; it has the rules of the
// ClusterRole but for nodes.
func TestRoleOnRealCluster(t *testing.T) {
	b := newBed(t)
	b.home = b.namespace
	installed := b.install(b.overlay("overlays/namespaced"))
	_, base := b.render(b.overlay("base"))
	want, got := b.rules(base["ClusterRole"]), b.rules(installed["Role"])
	if len(got) != len(want)-1 || !strings.Contains(asText(want), "nodes") || strings.Contains(asText(got), "nodes") {
		t.Errorf("the Role has %s, the ClusterRole %s", asText(got), asText(want))
	}
	b.as(b.account())
	b.endedPod("a")
	e := b.run()
	e.expect(t, 0, "the pod deleted", e.summary.Deleted == 1)
	b.env["RECLAIM_NAMESPACES"] += ",default"
	e = b.run()
	e.expect(t, 1, "a line that names the namespace", strings.Contains(e.output, "permission missing: list pods of namespace default"))
}

// The identity of the dry-run overlay cannot delete, and says what would
// happen.
func TestDryRunRightsOnRealCluster(t *testing.T) {
	b := newBed(t)
	rules := b.rules(b.install(b.overlay("overlays/dry-run"))["ClusterRole"])
	if strings.Contains(asText(rules), "delete") {
		t.Errorf("the rules allow to delete: %s", asText(rules))
	}
	b.as(b.account())
	b.endedPod("a")
	e := b.run("RECLAIM_DRY_RUN=true")
	e.expect(t, 0, "the pod would be deleted", e.summary.Deleted == 1)
	e = b.run()
	e.expect(t, 1, "not without the dry run", strings.Contains(e.output, "permission missing: delete pods"))
}

func asText(rules []rule) string {
	text, _ := json.Marshal(rules)
	return string(text)
}
