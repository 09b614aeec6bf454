package chaostest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// proxy stands between one run of the program and one server.
type proxy struct {
	run    *run
	server string
	target *url.URL
	client *http.Client
}

// serve starts the proxy on an address of its own.
func (p *proxy) serve() *httptest.Server { return httptest.NewServer(p) }

func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s := p.run.series
	body, err := io.ReadAll(req.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	e := &entry{run: p.run.number, server: p.server, method: req.Method, path: req.URL.Path, query: req.URL.RawQuery}
	if req.Method == http.MethodDelete {
		e.body = body
	}
	s.journal.begin(e)
	defer s.journal.end()
	p.run.count()
	d, f := p.fate(req)
	e.fault = f.kind
	if f.kind != "" && f.kind != replaced {
		s.count(f.kind)
	}
	p.answer(w, req, body, e, d, f)
	p.run.count()
}

// answer lets the request meet the fault.
func (p *proxy) answer(w http.ResponseWriter, req *http.Request, body []byte, e *entry, d dice.Dice, f fault) {
	switch f.kind {
	case cut:
		panic(http.ErrAbortHandler)
	case refused:
		e.told = f.status
		p.refuse(w, f)
		return
	case Phantom:
		e.told = http.StatusOK
		w.WriteHeader(http.StatusOK)
		return
	case halved:
		e.status, e.told = p.keepHalf(req, body), http.StatusOK
		w.WriteHeader(http.StatusOK)
		return
	case replaced:
		if p.run.series.replaceIn(req.URL.Path, d) {
			p.run.series.count(replaced)
		}
	case delayed:
		time.Sleep(f.pause)
	}
	answer, content, err := p.forward(req, body, e)
	if err != nil { // the server is away, or its answer is not whole
		if answer == nil {
			e.told = http.StatusBadGateway
			w.WriteHeader(e.told)
			return
		}
		f.kind, f.share = broken, 1
	}
	e.status = answer.StatusCode
	switch f.kind {
	case late:
		e.told = f.status
		p.refuse(w, f)
		return
	case lost:
		panic(http.ErrAbortHandler)
	}
	if step := p.run.weather.step; step != 0 && d.Chance(0.5) {
		answer.Header.Set("Date", time.Now().Add(step).UTC().Format(http.TimeFormat))
	}
	e.told = answer.StatusCode
	p.pass(w, req, answer, content, f)
}

// forward sends the request on. It goes on when the program is gone, as a
// request under way does. An error beside an answer says that it is not whole.
func (p *proxy) forward(req *http.Request, body []byte, e *entry) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.Context()), 2*time.Minute)
	defer cancel()
	to := *p.target
	to.Path, to.RawPath, to.RawQuery = req.URL.Path, req.URL.RawPath, req.URL.RawQuery
	out, err := http.NewRequestWithContext(ctx, req.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header, out.Host = req.Header.Clone(), req.Host
	out.Header.Del("Expect")
	out.Header.Del("Connection")
	e.forwarded = true
	answer, err := p.client.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return answer, content, err
}

// pass gives the program the answer, or as much of it as it gets.
func (p *proxy) pass(w http.ResponseWriter, req *http.Request, answer *http.Response, content []byte, f fault) {
	maps.Copy(w.Header(), answer.Header)
	for _, name := range []string{"Connection", "Transfer-Encoding"} {
		w.Header().Del(name)
	}
	some := content
	switch f.kind {
	case truncated, broken:
		// of a log comes a line at least: the end of nothing would be an empty log
		some = content[:min(len(content), max(1, int(f.share*float64(len(content)))))]
		w.Header().Del("Content-Length")
		if f.kind == broken {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)+1))
		}
	}
	w.WriteHeader(answer.StatusCode)
	if f.kind == throttled && len(some) > 0 {
		for part := range partsOf(some, 5) {
			w.Write(part)
			http.NewResponseController(w).Flush()
			time.Sleep(f.pause / 5)
		}
		return
	}
	w.Write(some)
	if f.kind == broken {
		panic(http.ErrAbortHandler)
	}
}

// partsOf cuts content into n parts.
func partsOf(content []byte, n int) func(yield func([]byte) bool) {
	size := max(1, (len(content)+n-1)/n)
	return func(yield func([]byte) bool) {
		for len(content) > 0 {
			part := content[:min(size, len(content))]
			if !yield(part) {
				return
			}
			content = content[len(part):]
		}
	}
}

// refuse answers with an error, as the server or something before it would.
func (p *proxy) refuse(w http.ResponseWriter, f fault) {
	if f.retryAfter != "" {
		w.Header().Set("Retry-After", f.retryAfter)
	}
	switch {
	case f.status == http.StatusBadGateway || f.status == http.StatusGatewayTimeout:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.status)
		io.WriteString(w, "<html><body>the proxy is not well</body></html>")
	case p.server == "api":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"as the seed wants it","code":%d}`, f.status)
	default:
		archivetest.Refuse(w, f.status, map[int]string{429: "TooManyRequests", 500: "InternalError", 503: "SlowDown"}[f.status])
	}
}

var (
	inKeys   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(_[0-9]+)?`)
	runsPath = regexp.MustCompile(`/runs/.*/`)
)

// fate decides by the seed what this request meets: by what it is, without what
// nobody can know before, and how often it has come in this run.
func (p *proxy) fate(req *http.Request) (dice.Dice, fault) {
	r := p.run
	path := runsPath.ReplaceAllString(inKeys.ReplaceAllString(req.URL.Path, "UID"), "/runs/")
	query := req.URL.Query()
	what := fmt.Sprint(p.server, req.Method, path, query.Get("container"), query.Get("previous"), query.Get("tailLines"), query.Has("tagging"))
	d := dice.Roll(r.series.cfg.Seed, r.number, what, r.again(what))
	if r.calm || r.series.spent() {
		return d, fault{}
	}
	if only := r.series.cfg.Only; only != "" {
		if !possible(only, p.server, req) || d.Chance(0.5) {
			return d, fault{}
		}
		return d, fault{kind: only, share: d.Float64()}
	}
	if p.server == "api" && strings.Contains(path, "/pods/") && d.Chance(r.weather.meddling) {
		r.series.meddleIn(path, d)
	}
	if f := r.weather.aimedFault(d, p.server, req); f.kind != "" {
		return d, f
	}
	rate := r.weather.faults
	if !strings.Contains(path, "/pods/") { // what all pods depend on
		rate /= 4
	}
	if req.Method == http.MethodDelete || req.Method == http.MethodPut { // what matters most
		rate *= 2
	}
	if !d.Chance(rate) || r.met.Add(1) > perRun {
		return d, fault{}
	}
	return d, anyFault(d, p.server, req)
}
