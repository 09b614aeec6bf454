package reclaim

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// Reason says why a pod was skipped or kept.
type Reason string

// Reasons to skip a pod: it is out of scope, and not archived either.
const (
	SkipOtherShard       Reason = "other-shard"       // another run's, by RECLAIM_SHARDS
	SkipNamespace        Reason = "namespace"         // RECLAIM_EXCLUDE_NAMESPACES
	SkipOwnerKind        Reason = "owner-kind"        // its controller is not in RECLAIM_OWNER_KINDS
	SkipMirror           Reason = "mirror"            // a static pod
	SkipSelf             Reason = "self"              // a pod of this program
	SkipContainerRunning Reason = "container-running" // the phase is terminal, a container is not
	SkipFresh            Reason = "fresh"             // finished less than RECLAIM_ARCHIVE_AFTER ago
)

// Reasons to keep a pod in the cluster, archived.
const (
	KeepYoung         Reason = "young"          // finished less than RECLAIM_DELETE_AFTER ago
	KeepHold          Reason = "hold"           // HoldAnnotation
	KeepFinalizer     Reason = "finalizer"      // somebody has not done with it: a Job that has not counted it
	KeepTerminating   Reason = "terminating"    // somebody else deleted it
	KeepBadAnnotation Reason = "bad-annotation" // an override that cannot be understood
	KeepLogWait       Reason = "log-wait"       // a log is missing and may still come
	KeepChanged       Reason = "changed"        // it changed after it was archived
	KeepLimit         Reason = "limit"          // RECLAIM_MAX_PODS is reached
)

// Policy decides about pods. It knows no cluster and asks nobody.
type Policy struct {
	Config  Config
	Classes archive.Classes
	// Self is the namespace this program runs in, if it runs in a cluster.
	Self string
}

// Decision is what may be done with a pod: it is skipped if Skip is set; else
// archived under Class, and deleted unless Keep is set.
type Decision struct {
	Skip   Reason
	Keep   Reason
	Class  archive.Class
	Finish Finish
	// Note says what is wrong with a bad annotation.
	Note string
}

// Decide answers two questions about a terminated pod: is it in scope, and may
// it go?
func (p Policy) Decide(pod *corev1.Pod, ns Namespace, node NodeState, now time.Time) Decision {
	d := Decision{Finish: finish(pod, now), Class: p.Classes.Default()}
	d.Skip = p.skip(pod, node, now.Sub(d.Finish.At))
	if d.Skip != "" {
		return d
	}
	o, err := overrides(pod.Annotations, ns, p.Classes)
	d.Class = o.class
	switch {
	case err != nil:
		d.Keep, d.Note = KeepBadAnnotation, err.Error()
	case o.hold:
		d.Keep = KeepHold
	case len(pod.Finalizers) > 0:
		d.Keep = KeepFinalizer
	case terminating(pod):
		d.Keep = KeepTerminating
	case now.Sub(d.Finish.At) < p.Config.DeleteAfter:
		d.Keep = KeepYoung
	}
	return d
}

func (p Policy) skip(pod *corev1.Pod, node NodeState, age time.Duration) Reason {
	switch {
	case p.Config.Shards > 1 && shard(pod.UID, p.Config.Shards) != p.Config.ShardIndex:
		return SkipOtherShard
	case p.Config.ExcludeNamespaces.has(pod.Namespace):
		return SkipNamespace
	case mirror(pod):
		return SkipMirror
	case p.Self != "" && pod.Namespace == p.Self && pod.Labels["app.kubernetes.io/name"] == "pod-reclaimer":
		return SkipSelf
	case !p.Config.OwnerKinds.has("*") && !p.Config.OwnerKinds.has(ownerKind(pod)):
		return SkipOwnerKind
	case !containersEnded(pod) && node != NodeGone:
		return SkipContainerRunning
	case age < p.Config.ArchiveAfter:
		return SkipFresh
	}
	return ""
}
