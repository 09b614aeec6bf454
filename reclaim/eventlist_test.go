package reclaim

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// One LIST of a namespace's events serves 500 of its pods, and no more: later
// pods may have later events.
func TestEventsAreListedAgain(t *testing.T) {
	j := &archivetest.Journal{}
	api := reclaimtest.NewServer(t, j)
	e := newEvents(connectedTo(t, api.URL))
	for _, tt := range []struct {
		namespace   string
		pods, lists int
	}{{"a", 500, 1}, {"a", 1, 2}, {"b", 500, 1}, {"a", 499, 2}, {"a", 1, 3}} {
		for n := range tt.pods {
			p := ref{namespace: tt.namespace, uid: types.UID(fmt.Sprint(n))}
			if _, _, err := e.of(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		if n := j.Count("api", "GET", "/namespaces/"+tt.namespace+"/events"); n != tt.lists {
			t.Errorf("namespace %s: %d lists, want %d", tt.namespace, n, tt.lists)
		}
	}
}
