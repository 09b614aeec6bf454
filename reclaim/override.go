package reclaim

import (
	"fmt"
	"strconv"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Annotations that override the configuration, on a pod or else on its
// namespace.
const (
	HoldAnnotation      = "pod-reclaimer/hold"
	RetentionAnnotation = "pod-reclaimer/retention"
)

// Namespace is what is known of a pod's namespace. The zero value is an
// unreadable one, under which nothing is deleted.
type Namespace struct {
	Readable    bool
	Annotations map[string]string
}

// override is what the annotations of a pod and its namespace ask for.
type override struct {
	hold  bool
	class archive.Class
}

// overrides reads the annotations; the pod's own stand before its namespace's.
// The error says which one does not parse or cannot be honoured; then the pod
// is kept, and class is the default.
func overrides(annotations map[string]string, ns Namespace, classes archive.Classes) (override, error) {
	o := override{class: classes.Default()}
	if !ns.Readable {
		return o, fmt.Errorf("the namespace cannot be read, so a hold on it would be missed")
	}
	lookup := func(name string) (string, bool) {
		if value, ok := annotations[name]; ok {
			return value, true
		}
		value, ok := ns.Annotations[name]
		return value, ok
	}
	if value, ok := lookup(HoldAnnotation); ok {
		hold, err := strconv.ParseBool(value)
		if err != nil {
			return o, fmt.Errorf("annotation %s: %q: want true or false", HoldAnnotation, value)
		}
		o.hold = hold
	}
	value, ok := lookup(RetentionAnnotation)
	if !ok {
		return o, nil
	}
	want, err := archive.ParseClass(value)
	if err != nil {
		return o, fmt.Errorf("annotation %s: %w", RetentionAnnotation, err)
	}
	class, ok := classes.RoundUp(want)
	if !ok {
		return o, fmt.Errorf("annotation %s: %q is longer than every class of ARCHIVE_RETENTION", RetentionAnnotation, value)
	}
	o.class = class
	return o, nil
}
