package reclaim

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podJSON is what a pod is decided by, the smaller part of its manifest. The whole
// is kept as it came, and to decode all of it took a tenth of a run's CPU.
type podJSON struct {
	Metadata struct {
		metav1.ObjectMeta
		ManagedFields passed `json:"managedFields"`
	} `json:"metadata"`
	Spec struct {
		NodeName            string          `json:"nodeName"`
		InitContainers      []containerJSON `json:"initContainers"`
		Containers          []containerJSON `json:"containers"`
		EphemeralContainers []containerJSON `json:"ephemeralContainers"`
	} `json:"spec"`
	Status corev1.PodStatus `json:"status"`
}

type containerJSON struct {
	Name          string                         `json:"name"`
	RestartPolicy *corev1.ContainerRestartPolicy `json:"restartPolicy"`
}

// passed is a value that is read over.
type passed struct{}

// UnmarshalJSON is called with a value that is JSON; it keeps nothing.
func (*passed) UnmarshalJSON([]byte) error { return nil }

// decodeJSON decodes what the API server wrote, by the implementation that the
// standard library has from Go 1.27. As the API server does, it takes names as they
// are written; as encoding/json does, it takes names that stand twice and bytes that
// are not UTF-8.
func decodeJSON(text []byte, into any) error {
	return json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// decodePod decodes what is used of a pod; all else is zero in it.
func decodePod(manifest []byte) (*corev1.Pod, error) {
	var p podJSON
	if err := decodeJSON(manifest, &p); err != nil {
		return nil, fmt.Errorf("decode pod: %w", err)
	}
	pod := &corev1.Pod{ObjectMeta: p.Metadata.ObjectMeta, Status: p.Status}
	pod.Spec.NodeName = p.Spec.NodeName
	for _, c := range p.Spec.InitContainers {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c.container())
	}
	for _, c := range p.Spec.Containers {
		pod.Spec.Containers = append(pod.Spec.Containers, c.container())
	}
	for _, c := range p.Spec.EphemeralContainers {
		pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon(c.container()),
		})
	}
	return pod, nil
}

func (c containerJSON) container() corev1.Container {
	return corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy}
}
