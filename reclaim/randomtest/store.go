package randomtest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// serveStore is the store with what goes wrong on the way.
func (w *World) serveStore(rw http.ResponseWriter, req *http.Request) {
	c := w.caseOf(req.URL.Path)
	d := c.dice("store", req)
	if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/pods/") {
		c.putting(req.URL.Path)
	}
	f := fault{}
	if !w.quiet() && d.Chance(c.likely()) {
		f = storeFault(d, req)
	}
	c.suffer("store", req, f)
	f.serve(rw, req, w.Store, func(rw http.ResponseWriter, f fault) {
		if req.Method == http.MethodHead {
			rw.WriteHeader(f.status)
			return
		}
		archivetest.Refuse(rw, f.status, codes[f.status])
	})
}

// codes are error codes of S3 by status.
var codes = map[int]string{
	400: "InvalidRequest", 403: "AccessDenied", 404: "NoSuchKey", 409: "ConditionalRequestConflict", 412: "PreconditionFailed",
	429: "TooManyRequests", 500: "InternalError", 501: "NotImplemented", 502: "BadGateway", 503: "SlowDown", 504: "GatewayTimeout",
}

// storeFault is one that this request may meet.
func storeFault(d dice.Dice, req *http.Request) fault {
	f := anyFault(d)
	f.status = dice.Pick(d, 429, 500, 502, 503, 503, 504)
	switch {
	case req.Method == http.MethodPut && d.Chance(0.4):
		f.kind, f.status = dice.Pick(d, refused, late), dice.Pick(d, 400, 403, 409, 412, 501)
	case req.Method == http.MethodHead && d.Chance(0.5):
		f.kind, f.header = odd, [2]string{"ETag", dice.Pick(d, `"0123456789abcdef0123456789abcdef"`, `"opaque-2"`, "")}
	case req.Method != http.MethodPut && d.Chance(0.3):
		f.kind, f.status = refused, dice.Pick(d, 403, 404)
	}
	return f
}

// lie changes what the store keeps of a bundle.
func (w *World) lie(key string, o *archivetest.Stored) {
	c := w.caseOf(key)
	if c == w.general || w.quiet() {
		return
	}
	d := dice.Roll(w.Seed, c.n, w.run, "lie", key)
	if !strings.Contains(key, "/pods/") || !d.Chance(c.lies) {
		return
	}
	lie := dice.Pick(d, "one bit", "one byte", "no body", "no tags", "another date", "no metadata", "another UID", "an encoding", "another time")
	switch lie {
	case "one bit":
		o.Body[d.IntN(len(o.Body))] ^= 1
	case "one byte":
		o.Body = o.Body[:len(o.Body)-1]
	case "no body":
		o.Body = nil
	case "no tags":
		o.Tags = url.Values{}
	case "another date":
		o.Tags.Set("retain-until", "2020-01-01")
	case "no metadata":
		o.Metadata = map[string]string{}
	case "another UID":
		o.Metadata["uid"] = "another"
	case "an encoding":
		o.Header.Set("Content-Encoding", "aws-chunked")
	case "another time":
		o.Metadata["archived-at"] = "2020-01-01T00:00:00Z"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note("the store lies (%s) about %s", lie, key)
}
