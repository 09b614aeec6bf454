package reclaim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
)

// answerOf is an API server's error as the client gives it.
func answerOf(code int32, kind, message string) error {
	status := metav1.Status{Status: metav1.StatusFailure, Code: code, Message: message}
	if kind != "" {
		status.Details = &metav1.StatusDetails{Kind: kind, Name: "report-x7k2p"}
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// namedAnswer is a 404 about an object of this kind and name.
func namedAnswer(kind, name string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 404, Message: fmt.Sprintf("%s %q not found", kind, name), Details: &metav1.StatusDetails{Kind: kind, Name: name},
	}}
}

var (
	ranOnce  = target{container: "main", kind: "regular", ran: true}
	neverRan = target{container: "main", kind: "regular"}
	before   = target{container: "main", kind: "regular", previous: true, ran: true}
	noStatus = target{container: "main", kind: "regular", unknown: true}
)

func TestJudge(t *testing.T) {
	const un, wait, fin, gone, no = unreachable, waits, final, podGone, refused
	const lost, never = archive.Unavailable, archive.NeverStarted
	for _, tt := range []struct {
		name    string
		err     error
		target  target
		verdict verdict
		outcome archive.Outcome // empty: of no interest
	}{
		{"the pod is missing", answerOf(404, "pods", `pods "x" not found`), ranOnce, gone, ""},
		{"the node is gone", answerOf(404, "nodes", `nodes "n" not found`), ranOnce, fin, lost},
		{"the node is gone, by its name", namedAnswer("pods", "node-1"), ranOnce, fin, lost},
		{"the node is gone, by its name, the container never ran", namedAnswer("pods", "node-1"), neverRan, fin, never},
		{"another node's name", namedAnswer("pods", "node-2"), ranOnce, gone, ""},
		{"no name", namedAnswer("pods", ""), ranOnce, gone, ""},
		{"the node is gone, the container never ran", answerOf(404, "nodes", `nodes "n" not found`), neverRan, fin, never},
		{"the node is gone, nobody knows whether the container ran", answerOf(404, "nodes", `nodes "n" not found`), noStatus, fin, lost},
		{"the kubelet does not know the pod", answerOf(404, "pods/log", `the server could not find the requested resource ( pods/log x)`), ranOnce, wait, lost},
		{"something else is not found", answerOf(404, "namespaces", ``), ranOnce, un, lost},
		{"not found, by nobody known", answerOf(404, "", `404 page not found`), ranOnce, un, lost},
		{"not found, by a proxy in between", apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{Resource: "pods"}, "x", "<html>", 0, true), ranOnce, un, lost},

		{"initialising", answerOf(400, "", `container "c" in pod "x" is waiting to start: PodInitializing`), neverRan, fin, never},
		{"no image", answerOf(400, "", `container "c" in pod "x" is waiting to start: trying and failing to pull image`), neverRan, fin, never},
		{"rejected at admission", answerOf(400, "", `container "c" in pod "x" is not available`), neverRan, fin, never},
		{"ended without ever starting", answerOf(400, "", `container "c" in pod "x" is terminated`), neverRan, fin, never},
		{"ended, the pod's status says nothing", answerOf(400, "", `container "c" in pod "x" is terminated`), noStatus, fin, lost},
		{"rejected at admission, without a status", answerOf(400, "", `container "c" in pod "x" is not available`), noStatus, fin, never},
		{"ended, its status was lost", answerOf(400, "", `container "c" in pod "x" is terminated`), ranOnce, fin, lost},
		{"no previous instance", answerOf(400, "", `previous terminated container "c" in pod "x" not found`), before, fin, lost},
		{"no previous instance, and only the restart count tells of it", answerOf(400, "", `previous terminated container "c" in pod "x" not found`),
			target{container: "main", previous: true}, fin, lost},
		{"no such container", answerOf(400, "", `container c is not valid for pod x`), ranOnce, no, ""},
		{"no container named", answerOf(400, "", `a container name must be specified for pod x, choose one of: [a b]`), ranOnce, no, ""},
		{"any other 400", answerOf(400, "", `the request is bad`), ranOnce, no, ""},
		{"a 400 without a text", answerOf(400, "", ``), ranOnce, no, ""},

		{"we are not known", answerOf(401, "", `Unauthorized`), ranOnce, no, ""},
		{"we may not read logs", answerOf(403, "pods", `pods "x" is forbidden: User "u" cannot get resource "pods/log"`), ranOnce, no, ""},
		{"the API server may not read logs", answerOf(403, "pods/log", `Forbidden (user=kube-apiserver, verb=get, resource=nodes, subresource(s)=[proxy]) ( pods/log x)`), ranOnce, no, ""},
		{"the kubelet's handlers are off", answerOf(405, "pods/log", `the server does not allow this method on the requested resource`), ranOnce, no, ""},

		{"no address of the node", answerOf(500, "", `no preferred addresses found; known addresses: []`), ranOnce, un, lost},
		{"the kubelet is down", answerOf(500, "", `Get "https://10.0.0.1:10250/containerLogs/x": dial tcp: connect: connection refused`), ranOnce, un, lost},
		{"the kubelet's certificate is bad", answerOf(500, "", `tls: failed to verify certificate: x509: certificate has expired`), ranOnce, un, lost},
		{"the kubelet has no certificate", answerOf(500, "", `remote error: tls: internal error`), ranOnce, un, lost},
		{"unreachable, and it never ran", answerOf(500, "", `i/o timeout`), neverRan, un, ""},
		{"a text of a 400 in a 500", answerOf(500, "", `container "c" in pod "x" is terminated`), ranOnce, un, lost},
		{"invalid options", answerOf(422, "PodLogOptions", `PodLogOptions "x" is invalid`), ranOnce, un, lost},
		{"too many requests", answerOf(429, "", `too many requests`), ranOnce, un, lost},
		{"bad gateway", answerOf(502, "", `bad gateway`), ranOnce, un, lost},
		{"unavailable", answerOf(503, "", `unavailable`), ranOnce, un, lost},
		{"gateway timeout", answerOf(504, "", `timeout`), ranOnce, un, lost},

		{"wrapped", fmt.Errorf("try: %w", answerOf(404, "pods", `pods "x" not found`)), ranOnce, gone, ""},
		{"cut", io.ErrUnexpectedEOF, ranOnce, un, lost},
		{"silent", fmt.Errorf("%w: %w", errIdle, context.Canceled), ranOnce, un, lost},
		{"the API server cannot be reached", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, ranOnce, un, lost},
	} {
		verdict, outcome, status := judge(tt.err, "node-1", tt.target)
		if verdict != tt.verdict {
			t.Errorf("%s: verdict %d, want %d", tt.name, verdict, tt.verdict)
		}
		if tt.outcome != "" && outcome != tt.outcome {
			t.Errorf("%s: outcome %s, want %s", tt.name, outcome, tt.outcome)
		}
		var answer apierrors.APIStatus
		if errors.As(tt.err, &answer) && status.Code != answer.Status().Code {
			t.Errorf("%s: status %d", tt.name, status.Code)
		}
		if !strings.Contains(status.Message, lastPart(tt.err)) {
			t.Errorf("%s: message %q lost the text", tt.name, status.Message)
		}
	}
}

// lastPart is the text of the innermost error.
func lastPart(err error) string {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		return answer.Status().Message
	}
	return err.Error()
}

func TestRefusalTellsWhoRefuses(t *testing.T) {
	const own, kubelet = "needs get on pods/log", "kubelet"
	for _, tt := range []struct {
		name     string
		err      error
		has, not string
	}{
		{"our own permission", answerOf(403, "pods", "forbidden"), own, kubelet},
		{"the API server's at the kubelet", answerOf(403, "pods/log", "forbidden"), kubelet, own},
		{"the API server is not known to the kubelet", answerOf(401, "pods/log", "unauthorized"), kubelet, own},
		{"the kubelet's handlers are off", answerOf(405, "pods/log", "not allowed"), kubelet, own},
		{"we are not known to the API server", answerOf(401, "", "Unauthorized"), "Unauthorized", kubelet},
	} {
		_, _, status := judge(tt.err, "node-1", ranOnce)
		if !strings.Contains(status.Message, tt.has) || strings.Contains(status.Message, tt.not) {
			t.Errorf("%s: message %q, want %q and not %q", tt.name, status.Message, tt.has, tt.not)
		}
	}
}

func TestDescribe(t *testing.T) {
	const log = "logs/main.log"
	body := logLines("one\n", "two\n")
	first, last := strings.TrimSpace(stampAt(0)), strings.TrimSpace(stampAt(1))
	startedBefore := func(d time.Duration) target {
		t := ranOnce
		t.startedAt = now.Add(time.Nanosecond - d) // the log's first line is a nanosecond after now
		return t
	}
	same, other := [][]byte{{1}, {1}, {1}}, [][]byte{{1}, {1}, {2}}
	got := func(text string) attempt { return attempt{end: watched(text, 7), confirmed: true} }
	unconfirmed := attempt{end: watched(body, 7)}
	for _, tt := range []struct {
		name    string
		attempt attempt
		ref     ref
		target  target
		sums    [][]byte
		verdict verdict
		outcome archive.Outcome
		status  int
		path    string
	}{
		{"whole", got(body), ref{}, ranOnce, same, final, archive.Complete, 200, log},
		{"whole, of the previous instance", got(body), ref{}, before, same, final, archive.Complete, 200, "logs/main.previous.log"},
		{"nothing was written", got(""), ref{}, ranOnce, same, final, archive.Empty, 200, log},
		{"begins 10 s after the start", got(body), ref{}, startedBefore(10 * time.Second), same, final, archive.Complete, 200, log},
		{"begins later", got(body), ref{}, startedBefore(10*time.Second + 1), same, final, archive.PossiblyRotated, 200, log},
		{"begins before the start", got(body), ref{}, startedBefore(-time.Hour), same, final, archive.Complete, 200, log},
		{"empty is not rotated", got(""), ref{}, startedBefore(time.Hour), same, final, archive.Empty, 200, log},

		{"unconfirmed, always the same bytes", unconfirmed, ref{}, ranOnce, same, waits, archive.Unconfirmed, 200, log},
		{"unconfirmed, and other bytes each time", unconfirmed, ref{}, ranOnce, other, unreachable, archive.Unconfirmed, 200, log},
		{"the end could not be asked for", attempt{end: watched(body, 7), tailErr: errBroken}, ref{}, ranOnce, same[:1], unreachable, archive.Unconfirmed, 200, log},

		{"over the limit", attempt{end: watched(body, 7), over: true}, ref{}, ranOnce, same[:1], final, archive.Truncated, 200, log},
		{"over the limit, and begins late", attempt{end: watched(body, 7), over: true}, ref{}, startedBefore(time.Hour), same[:1], final, archive.Truncated, 200, log},

		{"an error text", attempt{end: newLogEnd(), text: inBand[0]}, ref{}, ranOnce, same, waits, archive.Unavailable, 200, ""},
		{"an error text for the previous instance", attempt{end: newLogEnd(), text: inBand[0]}, ref{}, before, same, final, archive.Unavailable, 200, ""},
		{"an error text for an evicted pod", attempt{end: newLogEnd(), text: inBand[0]}, ref{reason: "Evicted"}, ranOnce, same, final, archive.Unavailable, 200, ""},
		{"an error text for a preempted pod", attempt{end: newLogEnd(), text: inBand[0]}, ref{reason: "Preempting"}, ranOnce, same, final, archive.Unavailable, 200, ""},
		{"an error text for a pod that ran too long", attempt{end: newLogEnd(), text: inBand[0]}, ref{reason: "DeadlineExceeded"}, ranOnce, same, waits, archive.Unavailable, 200, ""},

		{"an answer with a status", attempt{end: newLogEnd(), err: answerOf(400, "", `container "c" in pod "x" is waiting to start`)}, ref{}, neverRan, same, final, archive.NeverStarted, 400, ""},
		{"no answer", attempt{end: watched("cut", 7), err: io.ErrUnexpectedEOF}, ref{}, ranOnce, same, unreachable, archive.Unavailable, 0, ""},
	} {
		var l captured
		tt.attempt.describe(&l, tt.ref, tt.target, tt.sums)
		if l.verdict != tt.verdict || l.Outcome != tt.outcome || l.Status != tt.status || l.Path != tt.path {
			t.Errorf("%s: verdict %d, %+v, want verdict %d, %s, status %d, path %q", tt.name, l.verdict, l.Log, tt.verdict, tt.outcome, tt.status, tt.path)
		}
		if tt.path != "" && tt.outcome != archive.Empty && (l.FirstTimestamp != first || l.LastTimestamp != last) {
			t.Errorf("%s: from %q to %q", tt.name, l.FirstTimestamp, l.LastTimestamp)
		}
		if good := tt.outcome == archive.Complete || tt.outcome == archive.Empty || tt.outcome == archive.PossiblyRotated; good != (l.Note == "") {
			t.Errorf("%s: note %q", tt.name, l.Note)
		}
	}
}

func TestAttemptIsKept(t *testing.T) {
	for _, tt := range []struct {
		name    string
		attempt attempt
		last    bool
		want    error
	}{
		{"confirmed", attempt{confirmed: true}, false, nil},
		{"unconfirmed, another try is left", attempt{}, false, errDiscard},
		{"unconfirmed, the last try", attempt{}, true, nil},
		{"the end could not be asked for", attempt{tailErr: errBroken}, false, nil},
		{"over the limit", attempt{over: true}, false, nil},
		{"cut", attempt{err: io.ErrUnexpectedEOF}, true, errDiscard},
		{"an error text", attempt{text: inBand[0]}, true, errDiscard},
		{"the spool is full", attempt{spoolErr: errBroken, err: errBroken}, true, errBroken},
	} {
		if got := tt.attempt.keep(tt.last); !errors.Is(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAnotherTry(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct {
		name    string
		attempt attempt
		want    bool
	}{
		{"confirmed", attempt{confirmed: true}, false},
		{"unconfirmed", attempt{}, true},
		{"over the limit", attempt{over: true}, false},
		{"cut", attempt{err: io.ErrUnexpectedEOF}, true},
		{"silent", attempt{err: fmt.Errorf("%w: %w", errIdle, context.Canceled)}, false},
		{"an answer with a status", attempt{err: answerOf(500, "", "dial tcp")}, false},
		{"an error text", attempt{text: inBand[0]}, false},
		{"the end could not be asked for", attempt{tailErr: errBroken}, false},
	} {
		if got := tt.attempt.again(t.Context()); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if tt.attempt.again(stopped) {
			t.Errorf("%s: another try after the end of the run", tt.name)
		}
	}
}
