package randomtest

import (
	"net/http"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// serveAPI is the API server with what goes wrong on the way.
func (w *World) serveAPI(rw http.ResponseWriter, req *http.Request) {
	c := w.caseOf(req.URL.Path)
	d := c.dice("api", req)
	calm := w.quiet()
	if !calm && c != w.general && d.Chance(c.meddling) {
		c.meddle(d)
	}
	if strings.HasSuffix(req.URL.Path, "/log") {
		c.serveLog(d, calm, rw, req)
		return
	}
	f := fault{}
	if !calm && !shared(req.URL.Path) && d.Chance(c.likely()) {
		f = apiFault(d, req)
	}
	c.suffer("api", req, f)
	f.serve(rw, req, http.HandlerFunc(c.answerAPI), func(rw http.ResponseWriter, f fault) { refuseAPI(rw, req, f) })
}

// shared tells whether workers wait for each other while one asks this: what it
// is told they all use. In a bubble time stands still while somebody waits for a
// lock, so a fault, after which the client sleeps, would end everything.
func shared(path string) bool {
	return strings.HasPrefix(path, "/api/v1/namespaces/default") && !strings.Contains(path, "/pods")
}

// answerAPI is the API server without faults.
func (c *Case) answerAPI(rw http.ResponseWriter, req *http.Request) {
	if strings.HasPrefix(req.URL.Path, "/api/v1/nodes/") {
		switch c.state() {
		case gone:
			reclaimtest.Refuse(rw, http.StatusNotFound, "nodes", "no such node")
			return
		case hidden:
			reclaimtest.Refuse(rw, http.StatusForbidden, "nodes", "not for you")
			return
		}
	}
	if req.Method == http.MethodDelete {
		c.remove(rw, req)
		return
	}
	c.world.API.ServeHTTP(rw, req)
}

// apiFault is one that this request may meet.
func apiFault(d dice.Dice, req *http.Request) fault {
	f := anyFault(d)
	f.status = dice.Pick(d, 429, 500, 502, 503, 504, 500, 503)
	f.html = d.Chance(0.2)
	f.retryAfter = dice.Pick(d, "", "1", "5")
	switch {
	case req.Method == http.MethodDelete && d.Chance(0.4):
		f.kind, f.status, f.html = refused, dice.Pick(d, 403, 409, 422), false
	case req.Method == http.MethodGet && d.Chance(0.1):
		f.kind, f.status, f.html = refused, dice.Pick(d, 401, 403), false
	case strings.HasSuffix(req.URL.Path, "/pods") && d.Chance(0.5):
		f.kind, f.status, f.html = refused, 410, false
	}
	return f
}

func refuseAPI(rw http.ResponseWriter, req *http.Request, f fault) {
	if f.retryAfter != "" {
		rw.Header().Set("Retry-After", f.retryAfter)
	}
	if f.html {
		rw.Header().Set("Content-Type", "text/html")
		rw.WriteHeader(f.status)
		rw.Write([]byte("<html><body>the proxy is not well</body></html>"))
		return
	}
	kind := "pods"
	if f.status == http.StatusInternalServerError {
		kind = ""
	}
	reclaimtest.Refuse(rw, f.status, kind, "as the seed wants it")
}
