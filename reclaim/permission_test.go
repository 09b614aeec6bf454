package reclaim

import (
	"slices"
	"testing"
)

// What is needed follows what is in scope: a Role need not grant more.
func TestNeeded(t *testing.T) {
	pods := []string{"list pods", "get pods", "get pods/log", "list events", "get namespaces"}
	for _, tt := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"all namespaces, no owners", Config{OwnerKinds: List{"None"}}, []string{"get nodes"}},
		{"a dry run", Config{DryRun: true, OwnerKinds: List{"None"}}, []string{"get nodes"}},
		{"one namespace, no owners", Config{Namespaces: List{"a"}, OwnerKinds: List{"None"}}, nil},
		{"Jobs and who made them", Config{Namespaces: List{"a"}, OwnerKinds: List{"Job.batch"}}, []string{"get cronjobs.batch", "get jobs.batch"}},
		{"ReplicaSets and who made them", Config{Namespaces: List{"a"}, OwnerKinds: List{"ReplicaSet.apps"}},
			[]string{"get deployments.apps", "get replicasets.apps"}},
		{"a kind of the same name in another group", Config{Namespaces: List{"a"}, OwnerKinds: List{"Job.example.com"}}, nil},
		{"any owner", Config{Namespaces: List{"a"}, OwnerKinds: List{"*"}}, []string{
			"get cronjobs.batch", "get daemonsets.apps", "get deployments.apps", "get jobs.batch", "get replicasets.apps", "get statefulsets.apps"}},
	} {
		if !tt.cfg.DryRun {
			tt.want = append([]string{"delete pods"}, tt.want...)
		}
		var got []string
		for _, a := range tt.cfg.needed() {
			got = append(got, permission(a))
		}
		if want := slices.Concat(pods, tt.want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
	}
}
