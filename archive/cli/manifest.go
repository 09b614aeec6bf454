package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// manifestName is the entry of the bundle that is the pod.
const manifestName = "pod.json"

// maxDocument is more than the manifest or the events of a pod can have, in
// bytes.
const maxDocument = 16 << 20

// manifest is what the verbs look at in a pod's manifest.
type manifest struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		InitContainers      []container `json:"initContainers"`
		Containers          []container `json:"containers"`
		EphemeralContainers []container `json:"ephemeralContainers"`
	} `json:"spec"`
}

type container struct {
	Name string `json:"name"`
}

// defaultContainer names the container that kubectl takes if none is named:
// kubernetes.io/docs/reference/labels-annotations-taints/#kubectl-kubernetes-io-default-container.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// readDocument reads a manifest or events, whole.
func readDocument(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxDocument {
		return nil, fmt.Errorf("%w: %s has over %d bytes", archive.ErrMismatch, name, maxDocument)
	}
	return text, nil
}

// all are the containers in the order in which kubectl logs them.
func (m manifest) all() (names []string) {
	for _, kind := range [][]container{m.Spec.InitContainers, m.Spec.Containers, m.Spec.EphemeralContainers} {
		for _, c := range kind {
			names = append(names, c.Name)
		}
	}
	return names
}

// described are all containers, as kubectl tells them to somebody who has to
// choose one.
func (m manifest) described() string {
	var names []string
	for suffix, kind := range orderedKinds(m) {
		for _, c := range kind {
			names = append(names, c.Name+suffix)
		}
	}
	return strings.Join(names, ", ")
}

func orderedKinds(m manifest) func(yield func(string, []container) bool) {
	return func(yield func(string, []container) bool) {
		_ = yield("", m.Spec.Containers) && yield(" (ephem)", m.Spec.EphemeralContainers) && yield(" (init)", m.Spec.InitContainers)
	}
}

// kubectlForm is the manifest as kubectl prints it: without managedFields, keys
// sorted.
func kubectlForm(text []byte, asYAML bool) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var pod map[string]any
	if err := decoder.Decode(&pod); err != nil {
		return nil, fmt.Errorf("%w: decode %s: %w", archive.ErrMismatch, manifestName, err)
	}
	metadata, ok := pod["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no metadata", archive.ErrMismatch, manifestName)
	}
	delete(metadata, "managedFields")
	sorted, err := json.MarshalIndent(pod, "", "    ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", manifestName, err)
	}
	if !asYAML {
		return append(sorted, '\n'), nil
	}
	return yaml.JSONToYAML(sorted)
}
