package randomtest

import (
	"io"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
	"github.com/pod-reclaimer/pod-reclaimer/reclaim/reclaimtest"
)

// serveLog is the log endpoint: the API server before the kubelet of the case.
func (c *Case) serveLog(d dice.Dice, calm bool, rw http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	container, previous := query.Get("container"), query.Get("previous") == "true"
	tail, _ := strconv.Atoi(query.Get("tailLines"))
	pod := c.world.API.Pod(c.namespace, c.pod)
	if pod == nil {
		reclaimtest.Refuse(rw, http.StatusNotFound, "pods", "no such pod")
		return
	}
	log := string(pod.UID) + " " + logName(container, previous)
	f := logFault{}
	if !calm && d.Chance(c.storm) {
		f = c.logFault(d, log, tail > 0)
	}
	c.mu.Lock()
	if tail == 0 {
		c.altered[log] = f.alters()
	}
	if f.kind != "" {
		c.note("log %s tail %d: %s %d", log, tail, f.kind, f.status)
	}
	c.mu.Unlock()
	c.answered(log, f.counts())
	if f.refuse(rw) {
		return
	}
	text, ok := c.read(rw, pod, container, previous, tail)
	if !ok {
		return
	}
	c.answered(log, "answer")
	rw.Header().Set("Content-Type", "text/plain")
	f.write(rw, req, text)
}

// read asks the kubelet; if it has no log, it has answered so.
func (c *Case) read(rw http.ResponseWriter, pod *corev1.Pod, container string, previous bool, tail int) (text string, ok bool) {
	c.mu.Lock()
	state, dead := c.nodeState, c.dead
	i := c.instance(string(pod.UID), container, previous)
	c.mu.Unlock()
	switch {
	case state == gone:
		reclaimtest.Refuse(rw, http.StatusNotFound, "nodes", "no such node")
	case dead:
		reclaimtest.Refuse(rw, http.StatusInternalServerError, "", `Get "https://10.0.0.1:10250/containerLogs": dial tcp 10.0.0.1:10250: i/o timeout`)
	case i == nil && previous:
		reclaimtest.Refuse(rw, http.StatusBadRequest, "", `previous terminated container "`+container+`" in pod "x" not found`)
	case i == nil:
		reclaimtest.Refuse(rw, http.StatusBadRequest, "", `container "`+container+`" in pod "x" is waiting to start: ContainerCreating`)
	case i.fate == lostWith404:
		c.answered(i.uid+" "+logName(container, previous), "answer")
		reclaimtest.Refuse(rw, http.StatusNotFound, "pods/log", "no such log")
	case i.fate == lostWithErr:
		return "unable to retrieve container logs for " + i.id, true
	default:
		return i.here(tail), true
	}
	return "", false
}

// instance is the last run of a container, or the one before; nil if none.
func (c *Case) instance(uid, container string, previous bool) *instance {
	var last, before *instance
	for _, i := range c.logs {
		if i.uid == uid && i.container == container {
			last, before = i, last
		}
	}
	if previous {
		return before
	}
	return last
}

func logName(container string, previous bool) string {
	if previous {
		return container + " previous"
	}
	return container
}

// answered remembers how a log was answered in this run: by the kubelet
// ("answer"), or not.
func (c *Case) answered(log, how string) {
	if how == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[log] == nil {
		c.answers[log] = map[string]bool{}
	}
	c.answers[log][how] = true
}

// write sends the text as the fault leaves it.
func (f logFault) write(rw http.ResponseWriter, req *http.Request, text string) {
	flush := http.NewResponseController(rw).Flush
	switch f.kind {
	case cleanEnd:
		io.WriteString(rw, text[:int(f.at*float64(len(text)))])
	case glued:
		io.WriteString(rw, text[:int(f.at*float64(len(text)))]+f.text)
	case gluedWhole:
		io.WriteString(rw, text+f.text)
	case cutInside:
		io.WriteString(rw, text[:int(f.at*float64(len(text)))])
		flush()
		panic(http.ErrAbortHandler)
	case silent:
		io.WriteString(rw, text[:int(f.at*float64(len(text)))])
		flush()
		<-req.Context().Done()
	case slow:
		io.WriteString(rw, text[:len(text)/2])
		flush()
		time.Sleep(40 * time.Second)
		io.WriteString(rw, text[len(text)/2:])
	default:
		io.WriteString(rw, text)
	}
}
