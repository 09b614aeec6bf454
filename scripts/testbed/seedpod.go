package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const seedImage = "registry.example.com/team/import:2.14.0"

// pod is the object as its controller would have made it, already on its node.
func (p podPlan) pod(owner metav1.OwnerReference) *corev1.Pod {
	restart := corev1.RestartPolicyNever
	switch {
	case p.shape.restarts:
		restart = corev1.RestartPolicyOnFailure
	case p.ownerKind == "ReplicaSet":
		restart = corev1.RestartPolicyAlways
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.namespace, Name: p.name, Labels: p.labels(owner), Annotations: p.annotations(),
		},
		Spec: corev1.PodSpec{
			NodeName:      kwokNode,
			RestartPolicy: restart,
			Tolerations:   []corev1.Toleration{{Key: "kwok", Operator: corev1.TolerationOpExists}},
			Volumes:       []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
	if p.ownerKind != "" && !p.ownedLate() {
		pod.OwnerReferences = []metav1.OwnerReference{owner}
	}
	for i := range p.shape.containers {
		pod.Spec.Containers = append(pod.Spec.Containers, p.container([]string{"main", "exporter", "uploader"}[i]))
	}
	if p.shape.helpers {
		always := corev1.ContainerRestartPolicyAlways
		sidecar := p.container("proxy")
		sidecar.RestartPolicy = &always
		pod.Spec.InitContainers = []corev1.Container{p.container("prepare"), sidecar}
	}
	return pod
}

// labels are those that the owner's selector asks for, and a few more.
func (p podPlan) labels(owner metav1.OwnerReference) map[string]string {
	labels := map[string]string{"app.kubernetes.io/name": "import", "shape": p.shape.name}
	if p.ownerKind == "Job" {
		for _, prefix := range []string{"", "batch.kubernetes.io/"} {
			labels[prefix+"controller-uid"] = string(owner.UID)
			labels[prefix+"job-name"] = owner.Name
		}
	}
	for i := range p.random.IntN(8) {
		labels[fmt.Sprintf("team.example.com/label-%d", i)] = p.hex(1 + p.random.IntN(40))
	}
	return labels
}

// ownedLate says that the pod gets its owner after its end: a ReplicaSet deletes
// a pod too many while it is not terminated, and looks away afterwards.
func (p podPlan) ownedLate() bool { return p.ownerKind == "ReplicaSet" }

// annotations are few and short in most pods and some 16 KiB in a few.
func (p podPlan) annotations() map[string]string {
	annotations := map[string]string{"example.com/revision": p.hex(12)}
	for i := range p.random.IntN(4) {
		annotations[fmt.Sprintf("example.com/note-%d", i)] = strings.Repeat("annotation text ", 1+p.random.IntN(20))
	}
	if p.random.IntN(50) == 0 {
		annotations["example.com/last-applied-configuration"] = strings.Repeat(`{"key":"value"},`, 1024)
	}
	return annotations
}

func (p podPlan) container(name string) corev1.Container {
	c := corev1.Container{
		Name:         name,
		Image:        seedImage,
		Command:      []string{"/usr/local/bin/" + name, "--config=/etc/import/config.yaml"},
		VolumeMounts: []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{"memory": resource.MustParse("512Mi")},
		},
	}
	for i := range 2 + p.random.IntN(6) {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("IMPORT_SETTING_%d", i), Value: p.hex(8 + p.random.IntN(24))})
	}
	return c
}
