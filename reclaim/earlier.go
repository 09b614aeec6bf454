package reclaim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

const (
	// maxEarlier is how many earlier bundles of a pod are read for a missing
	// log: a pod that somebody changes all the time has a lot.
	maxEarlier = 10
	// maxManifest is more than an object of the API server can have, in bytes.
	maxManifest = 16 << 20
)

// errNotHeld says that an earlier bundle does not hold the log.
var errNotHeld = errors.New("the log is not in this bundle")

// earlier is a bundle of the same UID that was put before.
type earlier struct {
	object archive.Object
	bad    error // it failed a check, and is not used
	known  bool  // pod and index are read and proven
	pod    corev1.Pod
	index  archive.Index
}

// earlierBundles finds bundles of this pod, those first that may hold most. The
// class is not always the same: an annotation may have changed it.
func (r *run) earlierBundles(ctx context.Context, pod *corev1.Pod) ([]*earlier, error) {
	var found []*earlier
	for _, class := range r.Classes {
		objects, err := r.Bucket.Find(ctx, class, pod.Namespace, pod.Name, string(pod.UID))
		if err != nil {
			return nil, fmt.Errorf("find earlier bundles: %w", err)
		}
		for _, o := range objects {
			found = append(found, &earlier{object: o})
		}
	}
	slices.SortStableFunc(found, func(a, b *earlier) int { return archive.Newer(a.object.Key, b.object.Key) })
	return found[:min(len(found), maxEarlier)], nil
}

// copyLog copies the log of one container instance out of an earlier bundle and
// tells what that bundle's index says of it. The instance is named by its ID:
// the name alone may be that of a later one. Only a nil error proves what was
// written; errNotHeld and a bundle that fails a check (bad) leave others to ask.
func (r *run) copyLog(ctx context.Context, e *earlier, container, id string, w io.Writer) (archive.Log, error) {
	if e.bad != nil || e.known && e.holds(container, id) == nil {
		return archive.Log{}, errNotHeld
	}
	spool := &failing{w: w}
	e.pod = corev1.Pod{}
	index, err := r.Bucket.Read(ctx, e.object, func(f archive.File, content io.Reader) error {
		switch f.Path {
		case "pod.json":
			return e.readPod(content)
		case e.pathOf(container, id):
			_, err := io.Copy(spool, content)
			return err
		}
		return nil
	})
	switch {
	case spool.err != nil:
		return archive.Log{}, spool.err
	case errors.Is(err, archive.ErrMismatch), errors.Is(err, archive.ErrNotFound), errors.Is(err, archive.ErrRefused):
		e.bad = err
		return archive.Log{}, errNotHeld
	case err != nil:
		return archive.Log{}, err
	}
	e.index, e.known = index, true
	l := e.holds(container, id)
	if l == nil {
		return archive.Log{}, errNotHeld
	}
	return *l, nil
}

// readPod reads the manifest, which stands before the logs. One that is none is
// found out by its UID, which then is not that of the index.
func (e *earlier) readPod(content io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(content, maxManifest))
	if err != nil {
		return err
	}
	if pod, err := decodePod(text); err == nil {
		e.pod = *pod
	}
	return nil
}

// pathOf is the entry of the instance with this ID, empty if there is none.
func (e *earlier) pathOf(container, id string) string {
	for _, previous := range []bool{false, true} {
		if id != "" && instanceID(&e.pod, container, previous) == id {
			return logPath(target{container: container, previous: previous})
		}
	}
	return ""
}

// holds is what the index says of the log of this instance, nil unless the
// bundle holds it as whole as it can be had.
func (e *earlier) holds(container, id string) *archive.Log {
	path := e.pathOf(container, id)
	if path == "" || string(e.pod.UID) != e.index.UID || e.pod.ResourceVersion != e.index.ResourceVersion {
		return nil
	}
	for _, l := range e.index.Logs {
		if l.Path != path {
			continue
		}
		switch l.Outcome {
		case archive.Complete, archive.Empty, archive.PossiblyRotated:
			return &l
		}
	}
	return nil
}

// instanceID is the runtime's ID of the container behind a log, empty if the
// status does not tell.
func instanceID(pod *corev1.Pod, container string, previous bool) string {
	for _, s := range statuses(pod) {
		state, id := s.State, s.ContainerID
		if previous {
			state, id = s.LastTerminationState, ""
		}
		switch {
		case s.Name != container:
		case state.Terminated != nil && state.Terminated.ContainerID != "":
			return state.Terminated.ContainerID
		case state.Terminated != nil || state.Running != nil:
			return id
		}
	}
	return ""
}

// failing remembers the error of the writer below: it is told from one of what
// is read.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}
