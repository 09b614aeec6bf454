package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// untilRotated writes lines of a kilobyte until the kubelet has rotated the
// container's log, and a moment longer: the new file is not open at once.
const untilRotated = `
until ls $LOGS/main/0.log.* >/dev/null 2>&1; do
  awk 'BEGIN { line = sprintf("%1000s", ""); for (i = 0; i < 200; i++) print line }'
  sleep 0.1
done
sleep 0.5
`

// seesItsLogs shows the container its own log files, under $LOGS.
func seesItsLogs(pod *corev1.Pod) {
	kind := corev1.HostPathDirectory
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "logs", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: os.Getenv("TESTBED_POD_LOGS_DIR"), Type: &kind},
	}})
	main := &pod.Spec.Containers[0]
	main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "logs", MountPath: "/logs", ReadOnly: true})
	for name, field := range map[string]string{"NAMESPACE": "metadata.namespace", "NAME": "metadata.name", "ID": "metadata.uid"} {
		main.Env = append(main.Env, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: field},
		}})
	}
	main.Env = append(main.Env, corev1.EnvVar{Name: "LOGS", Value: "/logs/$(NAMESPACE)_$(NAME)_$(ID)"})
}

// Rotated files stay on the node and are not served: the log begins in the
// middle, which only the time of its first line can tell.
func TestOnlyTheCurrentFileOfARotatedLogIsServed(t *testing.T) {
	t.Parallel()
	c := connectNode(t)
	pod := c.runToEnd(t, c.realPod("writes", "echo first; sleep 3;"+untilRotated+"echo last", seesItsLogs))
	files, err := filepath.Glob(logFolder(pod) + "/main/0.log*")
	if err != nil || len(files) < 2 {
		t.Fatalf("the log was not rotated: %v, %v", files, err)
	}
	a := c.log(t, "writes", "timestamps=true")
	if a.code != 200 || !strings.HasSuffix(a.body, "Z last\n") || strings.Contains(a.body, "Z first\n") {
		t.Errorf("%v, want a log that ends with the last line and has lost the first", a)
	}
	stamp, _, _ := strings.Cut(a.body, " ")
	first, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		t.Fatal(err)
	}
	// The container slept after its first line, so what comes first now is later.
	if started := pod.Status.ContainerStatuses[0].State.Terminated.StartedAt; first.Before(started.Add(3 * time.Second)) {
		t.Errorf("the first line served is from %v, the container's start %v", first, started)
	}
	if err := bytesOnDiskExceed(files, len(a.body)); err != nil {
		t.Error(err)
	}
}

// bytesOnDiskExceed checks that there is more on the node than was served.
func bytesOnDiskExceed(files []string, served int) error {
	var total int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		total += info.Size()
	}
	if total <= int64(served) {
		return fmt.Errorf("%d bytes in %v, %d served", total, files, served)
	}
	return nil
}
