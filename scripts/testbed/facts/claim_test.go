package facts

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A claim that a pod mounts cannot go while the pod object is there, though the
// pod has long succeeded. A claim that nobody mounts goes at once, also one
// deleted later: the controller has then looked at the first.
func TestClaimOfASucceededPodStaysUntilThePodIsDeleted(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.claim(t, "mounted")
	c.claim(t, "not-mounted")
	c.create(t, c.fakePod("user", mount(corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "mounted"},
	})))
	c.setPhase(t, "user", corev1.PodRunning)
	c.setPhase(t, "user", corev1.PodSucceeded)

	for _, name := range []string{"mounted", "not-mounted"} {
		if err := c.CoreV1().PersistentVolumeClaims(c.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.claimGone(t, "not-mounted")
	claim, err := c.CoreV1().PersistentVolumeClaims(c.namespace).Get(t.Context(), "mounted", metav1.GetOptions{})
	if err != nil || claim.DeletionTimestamp == nil {
		t.Fatalf("the mounted claim is not being deleted: %v, %v", claim, err)
	}
	c.delete(t, "user")
	c.claimGone(t, "mounted")
}

// A generic ephemeral volume is a claim that its pod owns: the data outlives
// the containers, not the pod object.
func TestGenericEphemeralVolumeLivesAsLongAsItsPod(t *testing.T) {
	t.Parallel()
	c := connect(t)
	for _, name := range []string{"kept", "deleted"} {
		c.create(t, c.fakePod(name, mount(corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claimSpec()},
		}})))
		eventually(t, "the claim of pod "+name+" is made", func() error {
			_, err := c.CoreV1().PersistentVolumeClaims(c.namespace).Get(t.Context(), name+"-data", metav1.GetOptions{})
			return err
		})
		c.setPhase(t, name, corev1.PodRunning)
		c.setPhase(t, name, corev1.PodSucceeded)
	}
	c.delete(t, "deleted")
	c.claimGone(t, "deleted-data")
	claim, err := c.CoreV1().PersistentVolumeClaims(c.namespace).Get(t.Context(), "kept-data", metav1.GetOptions{})
	if err != nil || claim.DeletionTimestamp != nil {
		t.Fatalf("the claim of a succeeded pod that is there: %v, %v", claim, err)
	}
	if owner := metav1.GetControllerOf(claim); owner == nil || owner.UID != c.pod(t, "kept").UID {
		t.Errorf("the claim's owner is %v, want its pod", owner)
	}
	c.delete(t, "kept")
	c.claimGone(t, "kept-data")
}

func mount(source corev1.VolumeSource) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: source}}
		pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	}
}

func claimSpec() corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
	}
}

func (c *cluster) claim(t *testing.T, name string) {
	t.Helper()
	_, err := c.CoreV1().PersistentVolumeClaims(c.namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: claimSpec(),
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) claimGone(t *testing.T, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("claim %s is gone", name), func() error {
		_, err := c.CoreV1().PersistentVolumeClaims(c.namespace).Get(t.Context(), name, metav1.GetOptions{})
		return missing(err)
	})
}
