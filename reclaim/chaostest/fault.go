package chaostest

import (
	"net/http"
	"strings"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// fault is what goes wrong with one request; the zero value is nothing.
type fault struct {
	kind       string
	status     int
	retryAfter string
	pause      time.Duration
	share      float64 // of the answer, that comes
}

// What can go wrong with a request on its way.
const (
	refused   = "answered with an error, not done"
	late      = "done, answered with an error"
	cut       = "cut before it was done"
	lost      = "done, answer lost"
	delayed   = "delayed"
	throttled = "answer throttled"
	truncated = "answer truncated, clean end"
	broken    = "answer truncated, connection cut"
	// Phantom is a put that is accepted and not done.
	Phantom  = "put accepted, not done"
	halved   = "put accepted, half of it kept"
	replaced = "pod replaced before its delete"
)

func isLog(path string) bool { return strings.HasSuffix(path, "/log") }

// possible tells whether a request can meet this kind of fault.
func possible(kind, server string, req *http.Request) bool {
	path := req.URL.Path
	switch kind {
	case Phantom, halved:
		return server == "store" && req.Method == http.MethodPut && strings.Contains(path, "/pods/")
	case replaced:
		return server == "api" && req.Method == http.MethodDelete
	case truncated, throttled, broken:
		return req.Method != http.MethodHead
	}
	return true
}

// anyFault is one that this request may meet.
func anyFault(d dice.Dice, server string, req *http.Request) fault {
	f := fault{
		kind:       dice.Pick(d, refused, refused, late, cut, lost, delayed, throttled, truncated, broken),
		status:     dice.Pick(d, 429, 500, 502, 503, 504),
		retryAfter: dice.Pick(d, "", "", "1"),
		pause:      d.Between(50*time.Millisecond, 1500*time.Millisecond),
		share:      d.Float64(),
	}
	if !possible(f.kind, server, req) {
		f.kind = refused
	}
	return f
}

// aimedFault is one that hits where evidence could be lost: a log that ends too
// early, a put that is not what it seems, a delete of another pod.
func (w *weather) aimedFault(d dice.Dice, server string, req *http.Request) fault {
	switch {
	case server == "api" && isLog(req.URL.Path) && d.Chance(w.cutLogs):
		return fault{kind: truncated, share: d.Float64()}
	case possible(replaced, server, req) && d.Chance(w.replaced):
		return fault{kind: replaced}
	case possible(Phantom, server, req) && d.Chance(w.lies):
		return fault{kind: dice.Pick(d, Phantom, halved)}
	}
	return fault{}
}
