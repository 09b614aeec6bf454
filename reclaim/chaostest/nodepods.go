package chaostest

import (
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// scripts are what containers on the real node do.
var scripts = []string{
	"echo $HOSTNAME begins; seq 1 2000; echo $HOSTNAME ends",
	"seq 1 60000; exit 3",
	`i=0; while [ $i -lt 256 ]; do printf "\\$(printf %o $i)"; i=$((i+1)); done; echo $HOSTNAME; printf 'a\r\nb'`,
	"true",
	"echo $HOSTNAME; head -c 200000 /dev/zero | tr '\\0' x",
	"for i in 1 2 3 4 5 6 7 8; do echo $HOSTNAME $i; sleep 1; done",
	"yes fills the file, which is rotated | head -n 40000; sleep 13; seq 1 500",
}

// makeJob makes a Job on the real node; its pod has a finalizer until it is
// counted.
func (s *Series) makeJob(d dice.Dice, name string) error {
	s.mu.Lock()
	s.figures.pods++
	s.mu.Unlock()
	never, none := corev1.RestartPolicyNever, int32(0)
	job := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"backoffLimit": none, "template": map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{hold: "true"}},
			"spec": corev1.PodSpec{
				NodeName: os.Getenv("TESTBED_NODE"), RestartPolicy: never,
				Containers: []corev1.Container{nodeContainer("main", dice.Pick(d, scripts...))},
			},
		}},
	}
	return s.cluster.insist(http.MethodPost, "/apis/batch/v1/namespaces/"+s.nodeNamespace+"/jobs", job)
}

func nodeContainer(name, script string) corev1.Container {
	return corev1.Container{
		Name: name, Image: os.Getenv("TESTBED_IMAGE"), ImagePullPolicy: corev1.PullNever, Command: []string{"sh", "-c", script},
	}
}

// makeNodePod makes a pod on the real node, on hold until the observer has
// copied its logs.
func (s *Series) makeNodePod(d dice.Dice, name string, send sender) error {
	s.mu.Lock()
	s.made[s.nodeNamespace+"/"+name] = true
	s.figures.pods++
	s.mu.Unlock()
	container := func(name string) corev1.Container {
		return nodeContainer(name, dice.Pick(d, scripts...))
	}
	grace := int64(1)
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.nodeNamespace, Name: name, Annotations: map[string]string{hold: "true"}},
		Spec: corev1.PodSpec{
			NodeName: os.Getenv("TESTBED_NODE"), RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{container("main")},
		},
	}
	switch d.IntN(5) {
	case 0:
		pod.Spec.InitContainers = []corev1.Container{container("prepare")}
		pod.Spec.InitContainers[0].Command[2] = "echo $HOSTNAME prepares"
	case 1:
		pod.Spec.Containers = append(pod.Spec.Containers, container("exporter"))
	case 2:
		pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		pod.Spec.Volumes = []corev1.Volume{{Name: "state", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		main := &pod.Spec.Containers[0]
		main.VolumeMounts = []corev1.VolumeMount{{Name: "state", MountPath: "/state"}}
		main.Command[2] = "echo $HOSTNAME attempts; test -e /state/ran || { touch /state/ran; exit 1; }"
	}
	return send(http.MethodPost, "/api/v1/namespaces/"+s.nodeNamespace+"/pods", pod)
}
