package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// object is any object of the manifests.
type object map[string]any

func (o object) kind() string { return o["kind"].(string) }

// at is the value below a path of keys and list indexes; nil if there is none.
func (o object) at(path ...any) any {
	var value any = map[string]any(o)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			value = m[step]
		case int:
			l, _ := value.([]any)
			if step >= len(l) {
				return nil
			}
			value = l[step]
		}
	}
	return value
}

func (o object) name() string { return o.at("metadata", "name").(string) }

// render builds a kustomization in which MANIFESTS stands for ours, with the
// kustomize of the real kubectl. The objects are there by kind and name
// ("CronJob/pod-reclaimer", without the test's prefix), and the first of each
// kind, which is the base's, by its kind too.
func (b *bed) render(kustomization string) (text []byte, objects map[string]object) {
	b.t.Helper()
	manifests, err := filepath.Abs("manifests")
	if err != nil {
		b.t.Fatal(err)
	}
	dir := b.t.TempDir()
	// kustomize takes relative paths only
	relative, err := filepath.Rel(dir, manifests)
	if err != nil {
		b.t.Fatal(err)
	}
	kustomization = strings.ReplaceAll(kustomization, "MANIFESTS", relative)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
		b.t.Fatal(err)
	}
	text, err = b.tryKubectl("", "kustomize", dir)
	if err != nil {
		b.t.Fatalf("kustomize: %v\n%s\n%s", err, text, kustomization)
	}
	objects = map[string]object{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			b.t.Fatal(err)
		}
		objects[o.kind()+"/"+strings.TrimPrefix(o.name(), b.namespace+"-")] = o
		if objects[o.kind()] == nil {
			objects[o.kind()] = o
		}
	}
	return text, objects
}

// install applies a kustomization whose names all begin with the test's
// namespace, and removes what it made outside of namespaces.
func (b *bed) install(kustomization string) map[string]object {
	b.t.Helper()
	text, objects := b.render(kustomization)
	b.t.Cleanup(func() {
		for _, kind := range []string{"validatingadmissionpolicybinding", "validatingadmissionpolicy", "clusterrolebinding", "clusterrole"} {
			b.kubectl("delete", kind, b.namespace+"-pod-reclaimer", "--ignore-not-found")
		}
	})
	b.kubectlIn(string(text), "apply", "--namespace", b.home, "-f", "-")
	return objects
}

// overlay is a kustomization on a target of ours, in a namespace of its own.
func (b *bed) overlay(target string, more ...string) string {
	if b.home == "" {
		b.home = b.makeNamespace()
	}
	return fmt.Sprintf("namespace: %s\nnamePrefix: %s-\nresources: [MANIFESTS/%s]\n%s", b.home, b.namespace, target, strings.Join(more, "\n"))
}

// targets are all that can be rendered: the base, its overlays, and the base
// with each component.
func (b *bed) targets() map[string]string {
	b.t.Helper()
	all := map[string]string{"base": b.overlay("base"), "guard": b.overlay("guard")}
	for _, pattern := range []string{"overlays/*", "components/*"} {
		found, err := filepath.Glob("manifests/" + pattern)
		if err != nil || len(found) == 0 {
			b.t.Fatalf("no manifests/%s: %v", pattern, err)
		}
		for _, path := range found {
			target := strings.TrimPrefix(path, "manifests/")
			all[target] = b.overlay(target)
			if strings.HasPrefix(target, "components/") {
				all[target] = b.overlay("base", "components: [MANIFESTS/"+target+"]")
			}
		}
	}
	return all
}

// The real API server takes every target, and each sets only variables that
// the program has.
func TestManifestsOnRealCluster(t *testing.T) {
	b := newBed(t)
	known := variables(&config{})
	for target, overlay := range b.targets() {
		text, objects := b.render(overlay)
		if output, err := b.tryKubectl(string(text), "apply", "--namespace", b.home, "--server-side", "--dry-run=server", "-f", "-"); err != nil {
			t.Errorf("%s: %s", target, output)
		}
		data, _ := objects["ConfigMap"].at("data").(map[string]any)
		for name := range data {
			if !strings.HasPrefix(name, "AWS_") && !slices.Contains(known, name) {
				t.Errorf("%s sets %s, which is no variable of the program", target, name)
			}
		}
		if target == "guard" {
			continue
		}
		b.timesFit(target, objects)
		for name, o := range objects {
			if !strings.HasPrefix(name, "CronJob/") {
				continue
			}
			pod := object(o.at("spec", "jobTemplate", "spec", "template").(map[string]any))
			if pod.at("metadata", "labels", "app.kubernetes.io/name") != "pod-reclaimer" {
				t.Errorf("%s: the program will not know the pods of %s", target, name)
			}
			if env := pod.at("spec", "containers", 0, "env"); env != nil {
				t.Errorf("%s: variables beside the ConfigMap's for %s: %v", target, name, env)
			}
		}
	}
	b.readmeInstalls()
	example, err := os.ReadFile("manifests/components/static-credentials/credentials.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	example = []byte(strings.ReplaceAll(string(example), "namespace: pod-reclaimer", "namespace: "+b.home))
	b.kubectlIn(string(example), "apply", "--namespace", b.home, "--server-side", "--dry-run=server", "-f", "-")
}

// timesFit checks that a run ends by itself before Kubernetes ends it.
func (b *bed) timesFit(target string, objects map[string]object) {
	b.t.Helper()
	deadline, err := time.ParseDuration(objects["ConfigMap"].at("data", "RECLAIM_DEADLINE").(string))
	if err != nil || deadline == 0 {
		b.t.Errorf("%s: RECLAIM_DEADLINE: %s, %v", target, deadline, err)
	}
	job := object(objects["CronJob"].at("spec", "jobTemplate", "spec").(map[string]any))
	if most := job.at("activeDeadlineSeconds").(float64); deadline.Seconds()+600 > most {
		b.t.Errorf("%s: RECLAIM_DEADLINE %s, activeDeadlineSeconds %v", target, deadline, most)
	}
	if grace := job.at("template", "spec", "terminationGracePeriodSeconds").(float64); grace < 25 {
		b.t.Errorf("%s: terminationGracePeriodSeconds %v", target, grace)
	}
}

// readmeInstalls checks that the API server takes what the README says to make.
func (b *bed) readmeInstalls() {
	b.t.Helper()
	all := blocks(b.t, "README.md")
	i := slices.IndexFunc(all, func(b block) bool { return b.mark == "file: my-cluster/kustomization.yaml" })
	if i < 0 {
		b.t.Fatal("README.md has lost its kustomization")
	}
	kustomization := all[i].text
	kustomization = "namespace: " + b.home + "\n" + strings.ReplaceAll(kustomization, "../manifests", "MANIFESTS")
	rendered, _ := b.render(kustomization)
	for _, want := range []string{"image: registry.example.com/pod-reclaimer:v0.1.0", "ARCHIVE_CLUSTER: prod-1", "name: pod-reclaimer-credentials"} {
		if !strings.Contains(string(rendered), want) {
			b.t.Errorf("the README's kustomization does not bring %q", want)
		}
	}
	b.kubectlIn(string(rendered), "apply", "--namespace", b.home, "--server-side", "--dry-run=server", "-f", "-")
}
