package chaostest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// entry is one request of the program and what became of it, or what somebody
// else did.
type entry struct {
	run         int // 0: not the program's
	server      string
	method      string
	path, query string
	body        []byte // of a DELETE
	fault       string
	forwarded   bool
	status      int // the server's answer; 0: there was none
	told        int // what the program was told; 0: the connection was cut
	note        string
	begun       time.Duration // since the series began
}

func (e *entry) String() string {
	at := fmt.Sprintf("%9.3fs", e.begun.Seconds())
	if e.run == 0 {
		return at + " -- " + e.note
	}
	text := fmt.Sprintf("%s run %d: %s %s %s", at, e.run, e.server, e.method, e.path)
	if e.query != "" {
		text += "?" + e.query
	}
	if len(e.body) > 0 {
		text += " " + string(e.body)
	}
	text += fmt.Sprintf(": %d, told %d", e.status, e.told)
	if e.fault != "" {
		text += ", " + e.fault
	}
	return text
}

// journal is everything in the order in which it began.
type journal struct {
	start time.Time
	mu    sync.Mutex
	list  []*entry
	open  int // requests under way
}

func newJournal() *journal { return &journal{start: time.Now()} }

// begin notes a request that begins, end that it is over.
func (j *journal) begin(e *entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.begun = time.Since(j.start)
	j.list = append(j.list, e)
	j.open++
}

func (j *journal) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open--
}

// note notes what somebody else does.
func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append(j.list, &entry{note: fmt.Sprintf(format, args...), begun: time.Since(j.start)})
}

// settle waits until no request is under way: a program that was killed leaves
// some behind.
func (j *journal) settle() {
	for {
		j.mu.Lock()
		open := j.open
		j.mu.Unlock()
		if open == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// entries are all so far; it is for when nothing is under way.
func (j *journal) entries() []*entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*entry(nil), j.list...)
}

func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = nil
}

// of is the journal of one pod, and of what happened to all. One pod's may be
// long: its middle is left out.
func (j *journal) of(namespace, pod string) string {
	var lines []string
	for _, e := range j.entries() {
		mine := strings.Contains(e.path+"/", "/"+namespace+"/"+pod+"/") || strings.Contains(e.path+"/", "/"+namespace+"/pods/"+pod+"/") ||
			strings.Contains(e.query, namespace+"%2F"+pod+"%2F") || e.run == 0 && strings.Contains(e.note+" ", namespace+"/"+pod+" ")
		if mine || e.run == 0 && !strings.Contains(e.note, "somebody") {
			lines = append(lines, e.String())
		}
	}
	const most = 200
	if len(lines) > most {
		lines = append(append(lines[:most/2:most/2], "..."), lines[len(lines)-most/2:]...)
	}
	return strings.Join(lines, "\n")
}
