package reclaim

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// eventsReuse is how many pods one LIST of a namespace's events serves. Events
// have no index by pod: each LIST reads all of the namespace.
const eventsReuse = 500

// events finds the events of pods, by namespace.
type events struct {
	cluster *Cluster
	mu      sync.Mutex
	lists   map[string]*eventList
}

// eventList is one LIST of a namespace's pod events, by the pod's UID.
type eventList struct {
	mu     sync.Mutex
	left   int
	byPod  map[string][]event
	denied error
}

// event is one event as the API server sent it.
type event struct {
	at  time.Time
	raw json.RawMessage
}

func newEvents(c *Cluster) *events { return &events{cluster: c, lists: map[string]*eventList{}} }

// of returns the v1 List of a pod's events, oldest first, nil if there are
// none. Not being allowed to list them is a note; other errors are errors.
func (e *events) of(ctx context.Context, p ref) (list []byte, note string, err error) {
	e.mu.Lock()
	l := e.lists[p.namespace]
	if l == nil {
		l = &eventList{}
		e.lists[p.namespace] = l
	}
	e.mu.Unlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 {
		byPod, err := e.cluster.podEvents(ctx, p.namespace)
		if err != nil && !apierrors.IsForbidden(err) {
			return nil, "", fmt.Errorf("list events: %w", err)
		}
		l.byPod, l.denied, l.left = byPod, err, eventsReuse
	}
	l.left--
	if l.denied != nil {
		return nil, "events: " + l.denied.Error(), nil
	}
	own := l.byPod[string(p.uid)]
	if len(own) == 0 {
		return nil, "", nil
	}
	slices.SortStableFunc(own, func(a, b event) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	items := make([]json.RawMessage, len(own))
	for i, ev := range own {
		items[i] = ev.raw
	}
	list, err = json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	return list, "", err
}

// podEvents lists a namespace's events about pods, all pages.
func (c *Cluster) podEvents(ctx context.Context, namespace string) (map[string][]event, error) {
	byPod := map[string][]event{}
	token := ""
	for {
		body, err := raw(c.rest.Get().Namespace(namespace).Resource("events").
			Param("fieldSelector", "involvedObject.kind=Pod").Param("limit", fmt.Sprint(pageSize)).Param("continue", token).
			Do(ctx))
		if apierrors.IsResourceExpired(err) && inconsistentToken(err) != "" {
			token = inconsistentToken(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		var page struct {
			Metadata struct{ Continue string }
			Items    []json.RawMessage
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("decode events: %w", err)
		}
		for _, raw := range page.Items {
			uid, ev, err := readEvent(raw)
			if err != nil {
				return nil, fmt.Errorf("decode event: %w", err)
			}
			byPod[uid] = append(byPod[uid], ev)
		}
		if token = page.Metadata.Continue; token == "" {
			return byPod, nil
		}
	}
}

// readEvent finds the pod and the time of an event, and names its kind, which
// items of a list do not have.
func readEvent(raw json.RawMessage) (string, event, error) {
	var known struct {
		InvolvedObject struct{ UID string }
		EventTime      time.Time
		FirstTimestamp time.Time
		Metadata       struct{ CreationTimestamp time.Time }
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", event{}, err
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		return "", event{}, err
	}
	fields["apiVersion"], fields["kind"] = json.RawMessage(`"v1"`), json.RawMessage(`"Event"`)
	whole, err := json.Marshal(fields)
	if err != nil {
		return "", event{}, err
	}
	at := known.FirstTimestamp
	if at.IsZero() {
		at = known.EventTime
	}
	if at.IsZero() {
		at = known.Metadata.CreationTimestamp
	}
	return known.InvolvedObject.UID, event{at, whole}, nil
}
