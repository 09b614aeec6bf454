package main

import (
	"fmt"
	"slices"
	"strings"
)

// module is a go.mod and the programs that are built from it. Each has a cache
// folder of its own, so that a change of one leaves the other's programs alone.
type module struct {
	dir string
	// programs maps a file in the folder of built programs to its main package.
	programs map[string]string
	// flags are the product's own, so that shared packages compile once.
	flags []string
	// sources are the files of our own that are compiled into them.
	sources []string
}

var clusterModule = module{
	dir: ".",
	programs: map[string]string{
		"etcd":                    "go.etcd.io/etcd/server/v3",
		"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
		"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
		"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
		"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
		"kubelet":                 "k8s.io/kubernetes/cmd/kubelet",
		"kwok":                    "sigs.k8s.io/kwok/cmd/kwok",
		"versitygw":               "github.com/versity/versitygw/cmd/versitygw",
		"containerd":              "github.com/containerd/containerd/v2/cmd/containerd",
		"containerd-shim-runc-v2": "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
		"ctr":                     "github.com/containerd/containerd/v2/cmd/ctr",
		"pause":                   "github.com/pod-reclaimer/pod-reclaimer/scripts/testbed/pause",
	},
	// The version is what nodes and the API server report.
	flags: []string{
		"-trimpath", "-ldflags",
		"-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2" +
			" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=37",
	},
	sources: []string{"pause/main.go"},
}

// seaweedModule is apart because it needs other versions of what the cluster's
// programs share with it.
var seaweedModule = module{
	dir:      "seaweedfs",
	programs: map[string]string{"weed": "github.com/seaweedfs/seaweedfs/weed"},
	flags:    []string{"-trimpath", "-ldflags", "-s -w"},
}

var (
	controlPlanePrograms = []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok", "versitygw", "weed",
	}
	nodePrograms = []string{"kubelet", "containerd", "containerd-shim-runc-v2", "ctr", "pause"}
)

func programNames() []string { return append(slices.Clone(controlPlanePrograms), nodePrograms...) }

// split gives each module the names of its own programs.
func split(names []string) (cluster, seaweed []string, err error) {
	for _, name := range names {
		switch {
		case clusterModule.programs[name] != "":
			cluster = append(cluster, name)
		case seaweedModule.programs[name] != "":
			seaweed = append(seaweed, name)
		default:
			return nil, nil, fmt.Errorf("no part %q, there are %s", name, strings.Join(programNames(), ", "))
		}
	}
	return cluster, seaweed, nil
}
