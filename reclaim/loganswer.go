package reclaim

import (
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// verdict is what an answer of the log endpoint means for one log.
type verdict int

const (
	unreachable verdict = iota // nobody answered for the kubelet: the log may still exist
	waits                      // the kubelet answered that it has no such log, perhaps not yet
	final                      // there is no such log and never will be
	podGone                    // the pod does not exist
	refused                    // a permission is missing, or the request is wrong: the pod fails
)

// judge tells what an error of the log endpoint means: by the structured status
// first, by text only where the kubelet gives nothing else. The outcome is what
// is claimed of the log if it stays away. That the Node is gone is told by its
// name: the API server's answer has the kind of what was asked for, the pod.
func judge(err error, node string, t target) (verdict, archive.Outcome, metav1.Status) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return unreachable, archive.Unavailable, metav1.Status{Message: err.Error()}
	}
	status := answer.Status()
	kind, name := "", ""
	if status.Details != nil {
		kind, name = status.Details.Kind, status.Details.Name
	}
	switch status.Code {
	case http.StatusNotFound:
		switch kind {
		case "pods":
			if apierrors.IsUnexpectedServerError(err) {
				break // no Status: something between us and the API server answered
			}
			if name != "" && name == node {
				return final, lost(t), status // if the pod has this name too, its GET will tell
			}
			return podGone, archive.Unavailable, status
		case "nodes":
			return final, lastSeen(t), status
		case "pods/log":
			return waits, archive.Unavailable, status
		}
	case http.StatusBadRequest:
		return judgeBadRequest(t, status)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed:
		status.Message = whoseRefusal(kind) + ": " + status.Message
		return refused, archive.Unavailable, status
	}
	return unreachable, archive.Unavailable, status
}

// judgeBadRequest reads the kubelet's texts for containers that have no log
// (pkg/kubelet/kubelet_pods.go, validateContainerLogStatus).
func judgeBadRequest(t target, status metav1.Status) (verdict, archive.Outcome, metav1.Status) {
	has := func(text string) bool { return strings.Contains(status.Message, text) }
	switch {
	case has("waiting to start"), has("is not available"):
		return final, lost(t), status
	case has("is terminated"):
		return final, lastSeen(t), status
	case has("previous terminated container") && has("not found"):
		return final, lost(t), status
	}
	return refused, archive.Unavailable, status
}

// lost is the outcome of a log that is not there: the container ran, or it
// never did.
func lost(t target) archive.Outcome {
	if t.ran || t.previous {
		return archive.Unavailable
	}
	return archive.NeverStarted
}

// lastSeen is the outcome where nobody is left to ask whether the container ran:
// a pod's status that says nothing of it does not show that it never did.
func lastSeen(t target) archive.Outcome {
	if t.unknown {
		return archive.Unavailable
	}
	return lost(t)
}

// whoseRefusal tells our own missing permission from the API server's at the
// kubelet; both answer 403 for the same request. A refusal without a kind, such
// as that of an expired token, is ours too.
func whoseRefusal(kind string) string {
	switch kind {
	case "pods":
		return "not allowed, needs get on pods/log"
	case "pods/log":
		return "the kubelet refuses the API server, see its authorization and enableDebuggingHandlers"
	}
	return "refused, see the credentials of this program"
}
