package facts

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const toZero = `{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"0","memory":"0"}}}]}}`

// The resize subresource does not look at the phase. Where the pod has limits
// above its requests it takes the patch: the spec says zero and its generation
// counts on, so an archive of the pod afterwards is not what ran; nothing else
// comes of it.
func TestResizeOfAFailedPodIsAcceptedAndFreesNothing(t *testing.T) {
	t.Parallel()
	c := connect(t)
	before := c.ended(t, "ended", resources("1", "1Gi", "2", "2Gi"))
	after, err := c.resize(t, "ended", toZero)
	if err != nil {
		t.Fatal(err)
	}
	if r := after.Spec.Containers[0].Resources.Requests; !r.Cpu().IsZero() || !r.Memory().IsZero() {
		t.Errorf("requests are %v, want zero", r)
	}
	if after.Generation != before.Generation+1 {
		t.Errorf("generation is %d after %d, want one more", after.Generation, before.Generation)
	}
	if !reflect.DeepEqual(after.Status, before.Status) {
		t.Errorf("status has changed from %v to %v", before.Status, after.Status)
	}
}

// Most pods cannot be resized to zero even so: it would change their quality of
// service class. A GPU can never be resized.
func TestResizeOfAFailedPodIsMostlyRefused(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.ended(t, "guaranteed", resources("1", "1Gi", "1", "1Gi"))
	c.ended(t, "no-limits", resources("1", "1Gi", "", ""))
	c.ended(t, "gpu", resources("1", "1Gi", "2", "2Gi"), func(pod *corev1.Pod) {
		r, one := pod.Spec.Containers[0].Resources, resource.MustParse("1")
		r.Requests["nvidia.com/gpu"], r.Limits["nvidia.com/gpu"] = one, one
	})

	const class = "Pod QOS Class may not change as a result of resizing"
	_, err := c.resize(t, "guaranteed", toZero)
	invalid(t, "guaranteed", err, class)
	_, err = c.resize(t, "no-limits", toZero)
	invalid(t, "burstable without limits", err, class)
	_, err = c.resize(t, "gpu", `{"spec":{"containers":[{"name":"main","resources":{"requests":{"nvidia.com/gpu":"0"},"limits":{"nvidia.com/gpu":"0"}}}]}}`)
	invalid(t, "GPU", err, "only cpu and memory resources are mutable")
}

func (c *cluster) resize(t *testing.T, name, patch string) (*corev1.Pod, error) {
	return c.CoreV1().Pods(c.namespace).Patch(t.Context(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "resize")
}

// resources sets requests, and limits unless they are empty.
func resources(cpu, memory, cpuLimit, memoryLimit string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		r := &pod.Spec.Containers[0].Resources
		r.Requests = corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
		if cpuLimit != "" {
			r.Limits = corev1.ResourceList{"cpu": resource.MustParse(cpuLimit), "memory": resource.MustParse(memoryLimit)}
		}
	}
}
