package reclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

const (
	pageSize = 500
	// maxRelists is how often a list whose token expired starts again.
	maxRelists = 3
	// maxFruitless is how many pages in a row may have no pod that is new to us.
	// It is far above what the largest cluster has of other pods (150,000, by
	// Kubernetes' "Considerations for large clusters"), where a server ignores
	// the selector.
	maxFruitless = 1000
)

// list calls each once for every terminated pod in the configured namespaces,
// page by page. An error means that not all pods were seen.
func (c *Cluster) list(ctx context.Context, cfg Config, each func(*corev1.Pod)) error {
	seen := map[types.UID]bool{}
	once := func(pod *corev1.Pod) bool {
		if !terminated(pod) || seen[pod.UID] {
			return false
		}
		seen[pod.UID] = true
		each(pod)
		return true
	}
	namespaces := cfg.Namespaces
	if len(namespaces) == 0 {
		namespaces = List{metav1.NamespaceAll}
	}
	for _, ns := range namespaces {
		if err := c.listNamespace(ctx, ns, cfg, once); err != nil {
			return fmt.Errorf("list pods%s: %w", inNamespace(ns), err)
		}
	}
	return nil
}

func inNamespace(ns string) string {
	if ns == "" {
		return " of all namespaces"
	}
	return " of namespace " + ns
}

// listNamespace goes on until a page comes without a token: an empty page with
// one is not the end. A token that expired (410) is replaced by the one in the
// answer; without one the list starts again. A token that comes twice would lead
// around for ever, new ones without an end lead nowhere. once tells whether a
// pod is new.
func (c *Cluster) listNamespace(ctx context.Context, ns string, cfg Config, once func(*corev1.Pod) bool) error {
	token, relists, used, fruitless := "", 0, map[string]bool{}, 0
	for {
		page, err := c.page(ctx, ns, cfg, token)
		if expired(err) && relists < maxRelists {
			relists++
			token, used = inconsistentToken(err), map[string]bool{}
			continue
		}
		if err != nil {
			return err
		}
		fruitless++
		for i := range page.Items {
			if once(&page.Items[i]) {
				fruitless = 0
			}
		}
		if token = page.Continue; token == "" {
			return nil
		}
		if fruitless == maxFruitless {
			return fmt.Errorf("the API server has given %d pages in a row without a new pod", fruitless)
		}
		if used[token] {
			return errors.New("the API server gives the same continue token twice")
		}
		used[token] = true
	}
}

// listForms are those in which a page may come. Protobuf is a third of the work of
// JSON, and drops what this program does not know; what is archived is got by itself.
const listForms = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON

func (c *Cluster) page(ctx context.Context, ns string, cfg Config, token string) (*corev1.PodList, error) {
	var page corev1.PodList
	err := c.rest.Get().SetHeader("Accept", listForms).NamespaceIfScoped(ns, ns != "").Resource("pods").
		Param("limit", fmt.Sprint(pageSize)).
		Param("fieldSelector", phaseSelector(cfg.Phases)).
		Param("labelSelector", string(cfg.LabelSelector)).
		Param("continue", token).
		Do(ctx).Into(&page)
	if err == nil && len(page.Items) == 0 && page.ResourceVersion == "" {
		// protobuf that ends before the list reads as an empty one
		err = errors.New("the answer was cut short: it has neither pods nor a resourceVersion")
	}
	return &page, err
}

// expired tells whether an answer is 410, whatever reason it gives.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// phaseSelector names the phases that are not wanted: field selectors can only
// be joined by "and".
func phaseSelector(want Phases) string {
	var terms []string
	for _, phase := range []string{"Pending", "Running", "Unknown", "Succeeded", "Failed"} {
		if !List(want).has(phase) {
			terms = append(terms, "status.phase!="+phase)
		}
	}
	return strings.Join(terms, ",")
}

// inconsistentToken is the token in a 410's answer, with which the list goes on
// at a newer resourceVersion; empty if there is none.
func inconsistentToken(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Continue
	}
	return ""
}
