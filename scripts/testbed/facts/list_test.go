package facts

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// notRunning is the field selector of every pod that has ended; there is no
// "or", so it names what the phase is not.
const notRunning = "status.phase!=Pending,status.phase!=Running,status.phase!=Unknown"

// Pages of a list with a phase selector hold each ended pod once and nothing
// else. Their end is an empty token, and no page says how many are left.
func TestTerminatedPodsAreListedInPages(t *testing.T) {
	t.Parallel()
	c := connect(t)
	var want []string
	for i := range 4 {
		for j, phase := range []corev1.PodPhase{
			corev1.PodPending, corev1.PodFailed, corev1.PodRunning, corev1.PodSucceeded, corev1.PodUnknown,
		} {
			name := fmt.Sprintf("pod-%d%d", i, j) // the list is in this order
			c.create(t, c.fakePod(name))
			c.setPhase(t, name, phase)
			if phase == corev1.PodFailed || phase == corev1.PodSucceeded {
				want = append(want, name)
			}
		}
	}

	var got []string
	var pages []int
	for token := ""; ; {
		page, err := c.CoreV1().Pods(c.namespace).List(t.Context(), metav1.ListOptions{FieldSelector: notRunning, Limit: 3, Continue: token})
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range page.Items {
			got = append(got, pod.Name)
		}
		pages = append(pages, len(page.Items))
		if page.RemainingItemCount != nil {
			t.Errorf("page %d says how many are left", len(pages))
		}
		if token = page.Continue; token == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if !slices.Equal(pages, []int{3, 3, 2}) {
		t.Errorf("pages hold %v pods, want 3, 3 and 2", pages)
	}
}
