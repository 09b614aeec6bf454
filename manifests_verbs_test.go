package main

import (
	"reflect"
	"slices"
	"testing"
)

// What deletes from the archive, and what audits it, has an account without rights
// or token, credentials of its own, and is otherwise as the run is: the same
// ConfigMap, the same confinement, the same NetworkPolicy; and it can write nowhere.
func TestVerbManifests(t *testing.T) {
	b := newBed(t)
	text, all := b.render(b.overlay("base", "components: [MANIFESTS/components/static-credentials, MANIFESTS/components/expire, MANIFESTS/components/audit]"))
	for _, verb := range []string{"expire", "audit"} {
		t.Run(verb, func(t *testing.T) {
			run, job, account := all["CronJob/pod-reclaimer"], all["CronJob/pod-reclaimer-"+verb], all["ServiceAccount/pod-reclaimer-"+verb]
			if run == nil || job == nil || account == nil {
				t.Fatalf("not all is there:\n%s", text)
			}
			likeTheRun(t, all, run, job, account)
		})
	}
}

func likeTheRun(t *testing.T, all map[string]object, run, job, account object) {
	template := []any{"spec", "jobTemplate", "spec", "template"}
	pod := slices.Concat(template, []any{"spec"})
	container := slices.Concat(pod, []any{"containers", 0})
	for _, path := range [][]any{
		{"metadata", "namespace"}, {"spec", "concurrencyPolicy"}, {"spec", "jobTemplate", "spec", "backoffLimit"},
		slices.Concat(template, []any{"metadata", "labels"}), slices.Concat(pod, []any{"securityContext", "runAsNonRoot"}), slices.Concat(pod, []any{"securityContext", "runAsUser"}), slices.Concat(pod, []any{"securityContext", "runAsGroup"}),
		slices.Concat(pod, []any{"securityContext", "seccompProfile"}), slices.Concat(pod, []any{"restartPolicy"}),
		slices.Concat(pod, []any{"enableServiceLinks"}), slices.Concat(pod, []any{"terminationGracePeriodSeconds"}),
		slices.Concat(container, []any{"securityContext"}), slices.Concat(container, []any{"image"}),
		slices.Concat(container, []any{"envFrom", 0, "configMapRef", "name"}),
	} {
		if got, want := job.at(path...), run.at(path...); want == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v is %v, that of the run %v", path, got, want)
		}
	}
	if got := job.at(slices.Concat(pod, []any{"serviceAccountName"})...); got != account.name() {
		t.Errorf("its account is %v", got)
	}
	if account.at("automountServiceAccountToken") != false || job.at(slices.Concat(pod, []any{"automountServiceAccountToken"})...) != false {
		t.Error("it gets a token of the cluster")
	}
	if got := all["ClusterRoleBinding"].at("subjects").([]any); len(got) != 1 || all["ClusterRoleBinding"].at("subjects", 0, "name") == account.name() {
		t.Errorf("rights in the cluster are for %v", got)
	}
	if volumes := job.at(slices.Concat(pod, []any{"volumes"})...); volumes != nil {
		t.Errorf("it has volumes: %v", volumes)
	}
	secret := func(o object) any { return o.at(slices.Concat(container, []any{"envFrom", 1, "secretRef", "name"})...) }
	if secret(run) == nil || secret(run) == secret(job) {
		t.Errorf("credentials: %v for the run, %v here", secret(run), secret(job))
	}
	if !reflect.DeepEqual(all["NetworkPolicy"].at("spec", "podSelector", "matchLabels"), job.at(slices.Concat(template, []any{"metadata", "labels"})...)) {
		t.Error("the NetworkPolicy does not select it")
	}
}
