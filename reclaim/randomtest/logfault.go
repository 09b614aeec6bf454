package randomtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// logFault is what goes wrong with one request for a log.
type logFault struct {
	kind   string
	status int
	text   string
	at     float64 // where in the log
}

const (
	cleanEnd   = "clean end inside"
	glued      = "error text inside, then a clean end"
	gluedWhole = "error text behind the end"
	errorText  = "error text instead"
	cutInside  = "connection cut inside"
	silent     = "silent inside"
	slow       = "slow"
	noLogYet   = "404 pods/log"
)

// logFault is one that a request for this log may meet. An answer and the one
// that confirms it are not both altered: two answers of a kubelet that lie in
// the same way cannot be told from the truth.
func (c *Case) logFault(d dice.Dice, log string, tail bool) logFault {
	f := logFault{at: d.Float64(), status: dice.Pick(d, 429, 500, 502, 503, 504), text: dice.Pick(d,
		"failed to read log file \"/var/log/pods/x/main/0.log\": input/output error",
		"unable to retrieve container logs for containerd://"+strings.Repeat("0", 64),
		"rpc error: code = Unavailable desc = connection error")}
	f.kind = dice.Pick(d, refused, refused, refused, cut, cutInside, cutInside, cleanEnd, cleanEnd, glued, gluedWhole, errorText, silent, slow, noLogYet)
	if f.kind == refused && d.Chance(0.15) {
		f.status = dice.Pick(d, 401, 403, 400)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if tail && c.altered[log] && f.alters() {
		f.kind = refused
	}
	return f
}

// alters tells whether the answer passes for a log that is another.
func (f logFault) alters() bool {
	return f.kind == cleanEnd || f.kind == glued || f.kind == gluedWhole
}

// counts is how the program may take the answer: the kubelet has none.
func (f logFault) counts() string {
	if f.kind == errorText || f.kind == noLogYet {
		return "answer"
	}
	return ""
}

// refuse answers without a log, if that is the fault.
func (f logFault) refuse(rw http.ResponseWriter) bool {
	switch f.kind {
	case refused:
		message, kind := "Get \"https://10.0.0.1:10250/\": dial tcp: connection refused", ""
		if f.status == http.StatusForbidden {
			message, kind = "not for you", "pods/log"
		}
		if f.status == http.StatusServiceUnavailable {
			rw.Header().Set("Retry-After", "1")
		}
		reclaimtest.Refuse(rw, f.status, kind, message)
	case cut:
		panic(http.ErrAbortHandler)
	case errorText:
		fmt.Fprint(rw, f.text)
	case noLogYet:
		reclaimtest.Refuse(rw, http.StatusNotFound, "pods/log", "the kubelet does not know this pod yet")
	default:
		return false
	}
	return true
}
