package chaostest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// truth is what a container's log really is; nil if it has none, which the
// observer knows only if sure.
func (s *Series) truth(pod *corev1.Pod, container string, previous bool) (log []byte, sure bool, err error) {
	if pod.Namespace != s.nodeNamespace {
		return s.fakeTruth(pod, previous), true, nil
	}
	s.node.mu.Lock()
	files := s.node.copies[string(pod.UID)]
	s.node.mu.Unlock()
	if files == nil {
		return nil, false, nil
	}
	restarts := int32(0)
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if status.Name == container {
			restarts = status.RestartCount
		}
	}
	if previous {
		restarts--
	}
	file, has := files[filepath.Join(container, fmt.Sprintf("%d.log", restarts))]
	if !has {
		return nil, true, nil
	}
	log, err = served(file)
	if log == nil {
		log = []byte{}
	}
	return log, true, err
}

// fakeTruth is what the fake node has for every container.
func (s *Series) fakeTruth(pod *corev1.Pod, previous bool) []byte {
	switch {
	case pod.Spec.NodeName == "":
		return nil
	case pod.Namespace == emptyNamespace:
		return []byte{}
	case previous:
		return s.logs["previous"]
	case pod.Namespace == bigNamespace:
		return s.logs["big"]
	}
	return s.logs["ordinary"]
}

// falseLog says what is untrue of what a bundle says of a log.
func (s *Series) falseLog(b *bundle, l archivetest.Log) string {
	stored, has := b.opened.Files[l.Path]
	if l.Path == "" {
		has = false
	}
	truth, sure, err := s.truth(&b.manifest, l.Container, l.Previous)
	if err != nil {
		return "the observer's copy cannot be read: " + err.Error()
	}
	switch l.Outcome {
	case "complete", "empty", "possibly-rotated":
		switch {
		case !has:
			return "it has no file"
		case !sure:
			return "" // archived before it could be copied, and never deleted by the program
		case truth == nil:
			return "there never was one"
		case !bytes.Equal(stored, truth):
			return fmt.Sprintf("it has %d bytes, the node's file gives %d, or others", len(stored), len(truth))
		case (l.Outcome == "empty") != (len(stored) == 0):
			return fmt.Sprintf("it has %d bytes", len(stored))
		}
	case "never-started", "unavailable":
		if has {
			return "it has a file"
		}
		if l.Outcome == "never-started" && truth != nil {
			return "it ran"
		}
	case "unconfirmed", "truncated":
		if !has {
			return "it has no file"
		}
	default:
		return "no such outcome"
	}
	return ""
}

// missing says why a pod should not have been deleted with this log: no pod of a
// series is old enough to be deleted without logs that exist.
func (s *Series) missing(b *bundle, l archivetest.Log) string {
	truth, sure, _ := s.truth(&b.manifest, l.Container, l.Previous)
	if !sure {
		return "the observer had not copied it, so there was a hold"
	}
	switch l.Outcome {
	case "unconfirmed", "truncated":
		return "not whole"
	case "unavailable":
		if truth != nil && !l.Previous && b.manifest.Status.Reason != "Evicted" {
			return fmt.Sprintf("there is one, of %d bytes", len(truth))
		}
	}
	return ""
}
