package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestBuiltName(t *testing.T) {
	for pkg, want := range map[string]string{
		"go.etcd.io/etcd/server/v3":                  "server",
		"k8s.io/kubernetes/cmd/kubelet":              "kubelet",
		"github.com/versity/versitygw/cmd/versitygw": "versitygw",
	} {
		if got := builtName(pkg); got != want {
			t.Errorf("builtName(%s) = %s, want %s", pkg, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	cluster, seaweed, err := split(programNames())
	if err != nil || len(cluster) != len(clusterModule.programs) || len(seaweed) != len(seaweedModule.programs) {
		t.Errorf("%v, %v, %v", cluster, seaweed, err)
	}
	if _, _, err := split([]string{"etcd", "nothing"}); err == nil {
		t.Error("a part that is not there is taken")
	}
}

func TestModuleVersionsIgnoreComments(t *testing.T) {
	write := func(text string) []string {
		file := filepath.Join(t.TempDir(), "go.mod")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		lines, err := moduleVersions(file)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	one := write("module m\nrequire (\n\tb v1 // indirect\n\ta v1 // indirect\n)\n")
	two := write("module m\nrequire (\n\ta v1\n)\nrequire (\n\tb v1 // indirect\n)\n")
	three := write("module m\nrequire (\n\ta v1\n\tb v2\n)\n")
	if !slices.Equal(one, two) || slices.Equal(one, three) {
		t.Errorf("%v, %v, %v", one, two, three)
	}
}
