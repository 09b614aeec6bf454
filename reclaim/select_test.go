package reclaim

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// policy is that of the defaults, with two classes and an excluded namespace.
func policy(t testing.TB, changes ...func(*Policy)) Policy {
	t.Helper()
	p := Policy{
		Config: Config{
			ExcludeNamespaces: List{"kube-system"},
			OwnerKinds:        List{"Job.batch", "ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicationController", "None"},
			ArchiveAfter:      30 * time.Second,
			DeleteAfter:       time.Hour,
		},
		Classes: classes(t, "7d,30d"),
		Self:    "reclaimer",
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func classes(t testing.TB, text string) archive.Classes {
	t.Helper()
	var cs archive.Classes
	if err := cs.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return cs
}

func kinds(list ...string) func(*Policy) {
	return func(p *Policy) { p.Config.OwnerKinds = list }
}

var readable = Namespace{Readable: true}

func TestDecideSkip(t *testing.T) {
	ours := labelled("app.kubernetes.io/name", "pod-reclaimer")
	for _, tt := range []struct {
		name   string
		policy Policy
		pod    *corev1.Pod
		node   NodeState
		want   Reason
	}{
		{"in scope", policy(t), pod(), NodeReady, ""},
		{"failed ones too", policy(t), pod(failed("Evicted")), NodeReady, ""},

		{"excluded namespace", policy(t), pod(in("kube-system")), NodeReady, SkipNamespace},
		{"a namespace that only begins like it", policy(t), pod(in("kube-system-2")), NodeReady, ""},

		{"a static pod", policy(t), pod(annotated(corev1.MirrorPodAnnotationKey, "x"), ownedByNobody), NodeReady, SkipMirror},
		{"a static pod, owned by its node", policy(t), pod(annotated(corev1.MirrorPodAnnotationKey, "x"), ownedBy("v1", "Node")), NodeReady, SkipMirror},
		{"with an empty mirror annotation", policy(t), pod(annotated(corev1.MirrorPodAnnotationKey, ""), ownedByNobody), NodeReady, SkipMirror},
		{"another annotation", policy(t), pod(annotated("kubernetes.io/config.source", "api")), NodeReady, ""},

		{"our own pod", policy(t), pod(ours, in("reclaimer")), NodeReady, SkipSelf},
		{"our name in another namespace", policy(t), pod(ours), NodeReady, ""},
		{"another name in our namespace", policy(t), pod(in("reclaimer")), NodeReady, ""},
		{"our own namespace is not known", policy(t, func(p *Policy) { p.Self = "" }), pod(ours, in("")), NodeReady, ""},

		{"a controller that is not listed", policy(t), pod(ownedBy("argoproj.io/v1alpha1", "Workflow")), NodeReady, SkipOwnerKind},
		{"a controller that is", policy(t), pod(ownedBy("apps/v1", "ReplicaSet")), NodeReady, ""},
		{"any version of the group", policy(t), pod(ownedBy("batch/v2alpha1", "Job")), NodeReady, ""},
		{"the same kind of another group", policy(t), pod(ownedBy("batch.volcano.sh/v1alpha1", "Job")), NodeReady, SkipOwnerKind},
		{"the core group has no name", policy(t), pod(ownedBy("v1", "ReplicationController")), NodeReady, ""},
		{"the core group's kind in another group", policy(t), pod(ownedBy("apps/v1", "ReplicationController")), NodeReady, SkipOwnerKind},
		{"a kind without its group", policy(t, kinds("Job")), pod(), NodeReady, SkipOwnerKind},
		{"another case", policy(t, kinds("job.batch")), pod(), NodeReady, SkipOwnerKind},
		{"no controller, None listed", policy(t), pod(ownedByNobody), NodeReady, ""},
		{"no controller, None not listed", policy(t, kinds("Job.batch")), pod(ownedByNobody), NodeReady, SkipOwnerKind},
		{"an owner that is no controller counts as none", policy(t, kinds("None")), pod(ownedLoosely("batch/v1", "Job")), NodeReady, ""},
		{"a kind named None is not none", policy(t, kinds("Job.batch", "None.example.com")), pod(ownedByNobody), NodeReady, SkipOwnerKind},
		{"any controller", policy(t, kinds("*")), pod(ownedBy("argoproj.io/v1alpha1", "Workflow")), NodeReady, ""},
		{"any controller, and none", policy(t, kinds("*")), pod(ownedByNobody), NodeReady, ""},
		{"nothing listed", policy(t, kinds()), pod(), NodeReady, SkipOwnerKind},

		{"a container runs", policy(t), pod(containers(running("main"))), NodeReady, SkipContainerRunning},
		{"an init container runs", policy(t), pod(initContainers(running("proxy"))), NodeReady, SkipContainerRunning},
		{"an ephemeral container runs", policy(t), pod(ephemeralContainers(running("debug"))), NodeReady, SkipContainerRunning},
		{"one of two runs", policy(t), pod(containers(ended("main", 2*time.Hour), running("side"))), NodeReady, SkipContainerRunning},
		{"a container runs on a node that is not ready", policy(t), pod(containers(running("main"))), NodeNotReady, SkipContainerRunning},
		{"a container runs on a node that may not be read", policy(t), pod(containers(running("main"))), NodeUnknown, SkipContainerRunning},
		{"a container ran on a node that is gone", policy(t), pod(containers(running("main"))), NodeGone, ""},
		{"a container waits", policy(t), pod(containers(waiting("main"))), NodeReady, ""},
		{"no container has a status", policy(t), pod(containers()), NodeReady, ""},

		{"finished just now", policy(t), pod(finished(0)), NodeReady, SkipFresh},
		{"finished 29 seconds ago", policy(t), pod(finished(29 * time.Second)), NodeReady, SkipFresh},
		{"finished 30 seconds ago", policy(t), pod(finished(30 * time.Second)), NodeReady, ""},
		{"finished in the future", policy(t), pod(finished(-time.Hour)), NodeReady, SkipFresh},
		{"fresh, and no wait is asked for", policy(t, func(p *Policy) { p.Config.ArchiveAfter = 0 }), pod(finished(0)), NodeReady, ""},
		{"age counts from the finish, not from the creation", policy(t), pod(created(1000*time.Hour), finished(time.Second)), NodeReady, SkipFresh},
	} {
		d := tt.policy.Decide(tt.pod, readable, tt.node, now)
		if d.Skip != tt.want {
			t.Errorf("%s: skip %q, want %q", tt.name, d.Skip, tt.want)
		}
		if d.Skip != "" && d.Keep != "" {
			t.Errorf("%s: both skipped and kept", tt.name)
		}
	}
}

func TestDecideKeep(t *testing.T) {
	held := Namespace{Readable: true, Annotations: map[string]string{HoldAnnotation: "true"}}
	noWait := func(p *Policy) { p.Config.DeleteAfter = 0 }
	for _, tt := range []struct {
		name   string
		policy Policy
		pod    *corev1.Pod
		ns     Namespace
		want   Reason
	}{
		{"may go", policy(t), pod(), readable, ""},

		{"59 minutes old", policy(t), pod(finished(59 * time.Minute)), readable, KeepYoung},
		{"an hour old", policy(t), pod(finished(time.Hour)), readable, ""},
		{"young, and to be deleted at once", policy(t, noWait), pod(finished(31 * time.Second)), readable, ""},

		{"held", policy(t), pod(annotated(HoldAnnotation, "true")), readable, KeepHold},
		{"not held", policy(t), pod(annotated(HoldAnnotation, "false")), readable, ""},
		{"its namespace is held", policy(t), pod(), held, KeepHold},
		{"its namespace is held, it is not", policy(t), pod(annotated(HoldAnnotation, "false")), held, ""},

		{"a Job has not counted it", policy(t), pod(finalized("batch.kubernetes.io/job-tracking")), readable, KeepFinalizer},
		{"somebody else waits", policy(t), pod(finalized("example.com/mine")), readable, KeepFinalizer},

		{"being deleted", policy(t), pod(beingDeleted), readable, KeepTerminating},

		{"an override that does not parse", policy(t), pod(annotated(RetentionAnnotation, "1y")), readable, KeepBadAnnotation},
		{"a namespace that cannot be read", policy(t), pod(), Namespace{}, KeepBadAnnotation},
	} {
		d := tt.policy.Decide(tt.pod, tt.ns, NodeReady, now)
		if d.Skip != "" || d.Keep != tt.want {
			t.Errorf("%s: skip %q, keep %q, want %q", tt.name, d.Skip, d.Keep, tt.want)
		}
		if (d.Note != "") != (tt.want == KeepBadAnnotation) {
			t.Errorf("%s: note %q", tt.name, d.Note)
		}
		if d.Class.String() != "7d" {
			t.Errorf("%s: class %s, want the default", tt.name, d.Class)
		}
	}
}

// A pod may have several reasons; the first of these is the one that is told.
func TestDecideOrder(t *testing.T) {
	steps := []struct {
		reason Reason
		change func(*corev1.Pod)
	}{
		{SkipNamespace, in("kube-system")},
		{SkipMirror, annotated(corev1.MirrorPodAnnotationKey, "x")},
		{SkipOwnerKind, ownedBy("argoproj.io/v1alpha1", "Workflow")},
		{SkipContainerRunning, initContainers(running("proxy"))},
		{SkipFresh, finished(time.Second)},
		{KeepBadAnnotation, annotated(RetentionAnnotation, "1y")},
		{KeepHold, annotated(HoldAnnotation, "true")},
		{KeepFinalizer, finalized("example.com/mine")},
		{KeepTerminating, beingDeleted},
		{KeepYoung, finished(time.Minute)},
	}
	for i, first := range steps {
		var changes []func(*corev1.Pod)
		for _, later := range steps[i:] {
			if later.reason == KeepYoung && first.reason == SkipFresh {
				continue // a pod has one age
			}
			changes = append(changes, later.change)
		}
		d := policy(t).Decide(pod(changes...), readable, NodeReady, now)
		if got := d.Skip + d.Keep; got != first.reason {
			t.Errorf("got %q, want %q before all behind it", got, first.reason)
		}
	}
}

func TestDecideClass(t *testing.T) {
	for _, tt := range []struct {
		name, retention, class string
		keep                   Reason
	}{
		{"longer", "30d", "30d", ""},
		{"rounded up", "8d", "30d", ""},
		{"shorter is the default", "1d", "7d", ""},
		{"too long", "31d", "7d", KeepBadAnnotation},
		{"not parsed", "soon", "7d", KeepBadAnnotation},
	} {
		d := policy(t).Decide(pod(annotated(RetentionAnnotation, tt.retention)), readable, NodeReady, now)
		if d.Class.String() != tt.class || d.Keep != tt.keep {
			t.Errorf("%s: class %s, keep %q, want %s, %q", tt.name, d.Class, d.Keep, tt.class, tt.keep)
		}
		if tt.keep != "" && !strings.Contains(d.Note, RetentionAnnotation) {
			t.Errorf("%s: note %q does not name the annotation", tt.name, d.Note)
		}
	}
}

func TestDecideChangesNothing(t *testing.T) {
	p := pod(annotated(HoldAnnotation, "true"), finalized("example.com/mine"), beingDeleted, ephemeralContainers(ended("debug", time.Hour)))
	before := p.DeepCopy()
	policy(t).Decide(p, readable, NodeReady, now)
	if !reflect.DeepEqual(p, before) {
		t.Error("the pod was changed")
	}
}
