package facts

import (
	"context"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// allowDeletes lets the account read and delete pods, as far as RBAC goes.
func (c *cluster) allowDeletes(t *testing.T, user string) {
	t.Helper()
	_, err := c.RbacV1().Roles(c.namespace).Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "deletes"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "delete"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.RbacV1().RoleBindings(c.namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "deletes"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "deletes"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// bindPolicy makes the policy under the namespace's name and removes it when
// the test ends.
func (c *cluster) bindPolicy(t *testing.T, user string) {
	t.Helper()
	api := c.AdmissionregistrationV1()
	t.Cleanup(func() {
		api.ValidatingAdmissionPolicyBindings().Delete(context.Background(), c.namespace, metav1.DeleteOptions{})
		api.ValidatingAdmissionPolicies().Delete(context.Background(), c.namespace, metav1.DeleteOptions{})
	})
	if _, err := api.ValidatingAdmissionPolicies().Create(t.Context(), exactDeletes(c.namespace, user), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := api.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: c.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: c.namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func exactDeletes(name, user string) *admissionv1.ValidatingAdmissionPolicy {
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{Name: "user", Expression: `request.userInfo.username == "` + user + `"`}},
			Validations: []admissionv1.Validation{
				{Expression: `oldObject.status.phase in ["Succeeded", "Failed"]`, Message: "only pods that have ended"},
				{
					Expression: `has(request.options.preconditions) && has(request.options.preconditions.uid) && has(request.options.preconditions.resourceVersion)`,
					Message:    "only by UID and resourceVersion",
				},
			},
		},
	}
}
