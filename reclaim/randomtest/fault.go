package randomtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// fault is what goes wrong with one request; the zero value is nothing.
type fault struct {
	kind       string
	status     int
	html       bool
	retryAfter string
	header     [2]string // set in the answer
}

const (
	refused = "refused"                      // the server does nothing and answers status
	late    = "done, answered with an error" // the server does it and answers status
	cut     = "cut before"
	lost    = "cut after it was done"
	short   = "half the body, clean end"
	broken  = "half the body, connection cut"
	odd     = "another header"
)

// anyFault is one that every request can meet.
func anyFault(d dice.Dice) fault {
	return fault{kind: dice.Pick(d, refused, refused, late, cut, lost, short, broken)}
}

// serve lets the request meet the fault.
func (f fault) serve(w http.ResponseWriter, req *http.Request, next http.Handler, refuse func(http.ResponseWriter, fault)) {
	switch f.kind {
	case "":
		next.ServeHTTP(w, req)
		return
	case cut:
		panic(http.ErrAbortHandler)
	case refused:
		refuse(w, f)
		return
	}
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, req)
	body := answer.Body.Bytes()
	switch f.kind {
	case late:
		refuse(w, f)
		return
	case lost:
		panic(http.ErrAbortHandler)
	case short:
		body = body[:len(body)/2]
		answer.Header().Del("Content-Length")
	case broken:
		answer.Header().Set("Content-Length", fmt.Sprint(len(body)))
		body = body[:len(body)/2]
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	if f.header[0] != "" {
		w.Header().Set(f.header[0], f.header[1])
	}
	w.WriteHeader(answer.Code)
	w.Write(body)
}

// dice.Dice are those of this request: the seed's, the case's, the run's, and those
// of how often it came.
func (c *Case) dice(server string, req *http.Request) dice.Dice {
	path := req.URL.Path
	if c == c.world.general { // its names have random parts
		path = path[strings.LastIndex(path, "/")+1:]
	}
	query := req.URL.Query()
	what := fmt.Sprint(server, req.Method, path, query.Get("container"), query.Get("previous"), query.Get("tailLines"), query.Has("tagging"))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[what]++
	return dice.Roll(c.world.Seed, c.n, c.world.run, what, c.asked[what])
}

// likely is how likely a request of this case meets a fault.
func (c *Case) likely() float64 {
	if c == c.world.general {
		return 0.02
	}
	return c.storm
}

// suffer notes the fault.
func (c *Case) suffer(server string, req *http.Request, f fault) {
	if f.kind == "" {
		return
	}
	c.mu.Lock()
	c.note("%s %s %s?%s: %s %d", server, req.Method, req.URL.Path, req.URL.RawQuery, f.kind, f.status)
	c.mu.Unlock()
	if c == c.world.general {
		c.world.mu.Lock()
		c.world.shaken = true
		c.world.mu.Unlock()
	}
}

func (w *World) quiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calm
}

func (c *Case) state() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodeState
}
