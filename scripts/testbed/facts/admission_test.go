package facts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RBAC cannot say which pods may be deleted, or how. An admission policy can: it
// binds one account to deletes of ended pods that name UID and resourceVersion.
func TestAdmissionPolicyBindsOneAccountToExactDeletes(t *testing.T) {
	t.Parallel()
	admin := connect(t)
	user := "system:serviceaccount:" + admin.namespace + ":default"
	admin.allowDeletes(t, user)
	c := admin.as(t, user)
	admin.create(t, admin.fakePod("running"))
	running := admin.setPhase(t, "running", corev1.PodRunning)
	ended := admin.ended(t, "ended")
	admin.bindPolicy(t, user)

	eventually(t, "the policy is in force", func() error {
		err := c.CoreV1().Pods(c.namespace).Delete(t.Context(), "running", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		return refused(err, "only pods that have ended")
	})
	_, _, err := c.deleteExactly(t, "running", running.UID, running.ResourceVersion)
	if err := refused(err, "only pods that have ended"); err != nil {
		t.Errorf("delete a running pod with preconditions: %v", err)
	}
	for name, p := range map[string]*metav1.Preconditions{
		"none": nil, "UID": {UID: &ended.UID}, "resourceVersion": {ResourceVersion: &ended.ResourceVersion},
	} {
		err := c.CoreV1().Pods(c.namespace).Delete(t.Context(), "ended", metav1.DeleteOptions{Preconditions: p})
		if err := refused(err, "only by UID and resourceVersion"); err != nil {
			t.Errorf("delete an ended pod with preconditions: %s: %v", name, err)
		}
	}
	out, err := kubectl(t, "delete", "pods", "--all", "--namespace", c.namespace, "--as", user)
	if strings.Count(out, "denied request") != 2 || !strings.Contains(out, "only by UID and resourceVersion") {
		t.Errorf("kubectl delete pods --all is not refused for both pods: %v\n%s", err, out)
	}

	if _, _, err = c.deleteExactly(t, "ended", ended.UID, ended.ResourceVersion); err != nil {
		t.Errorf("delete an ended pod with both preconditions: %v", err)
	}
	admin.gone(t, "ended")
	admin.delete(t, "running") // others are not bound
}

// refused is nil for a refusal with this text.
func refused(err error, text string) error {
	if apierrors.IsInvalid(err) && strings.Contains(err.Error(), text) {
		return nil
	}
	if err == nil {
		return errors.New("accepted")
	}
	return err
}

// kubectl runs the testbed's own, as administrator.
func kubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("TESTBED_BIN"), "kubectl"), args...).CombinedOutput()
	return string(out), err
}
