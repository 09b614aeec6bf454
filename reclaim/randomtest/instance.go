package randomtest

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/pod-reclaimer/pod-reclaimer/reclaim/dice"
)

// instance is one run of a container and all that it ever wrote.
type instance struct {
	uid, container, id string
	started            time.Time
	restarts           int32 // of its container before it
	entries            []entry
	fate               fate
	// rotatedAway is how many entries the kubelet no longer serves.
	rotatedAway int
}

// fate is what became of an instance's log on its node.
type fate string

const (
	served      fate = "served"
	lostWithErr fate = "lost, an error text comes instead"
	lostWith404 fate = "lost, 404"
)

// entry is one entry of a log file in the CRI's format: a line, or a part of
// one that has no newline.
type entry struct {
	at      time.Time
	text    string
	partial bool
}

func newInstance(d dice.Dice, pod *corev1.Pod, container, id string, restarts int32, started time.Time) *instance {
	i := &instance{uid: string(pod.UID), container: container, id: id, restarts: restarts, started: started, fate: served}
	switch d.IntN(40) {
	case 0, 1:
		i.fate = lostWithErr
	case 2:
		i.fate = lostWith404
	}
	at := started.Add(time.Duration(d.IntN(2_000_000_000)))
	if d.Chance(0.05) { // it took long to say anything
		at = at.Add(20 * time.Second)
	}
	for range dice.Pick(d, 0, 1, 1, 2, 3, 5, 20, 200) {
		i.write(d, &at)
	}
	if d.Chance(0.005) { // more than a spool keeps in memory
		for range 70 {
			i.entries = append(i.entries, entry{at: at, text: strings.Repeat(string(rune('a'+d.IntN(26))), 16<<10)})
			at = at.Add(time.Microsecond)
		}
	}
	if n := len(i.entries); n > 1 && d.Chance(0.1) {
		i.rotatedAway = 1 + d.IntN(n-1)
		for k := range i.entries[i.rotatedAway:] {
			i.entries[i.rotatedAway+k].at = i.entries[i.rotatedAway+k].at.Add(time.Minute)
		}
	}
	if n := len(i.entries); n > 0 && d.Chance(0.1) { // the end of its last line never came
		i.entries[n-1].partial = true
	}
	return i
}

// write adds one line, perhaps in parts, at a time of its own.
func (i *instance) write(d dice.Dice, at *time.Time) {
	*at = at.Add(time.Duration(1 + d.IntN(1_000_000)))
	if d.Chance(0.01) {
		part := strings.Repeat(fmt.Sprintf("%016x", d.Uint64()), 1<<10)
		for range 1 + d.IntN(3) {
			i.entries = append(i.entries, entry{at: *at, text: part, partial: true})
			*at = at.Add(time.Microsecond)
		}
	}
	i.entries = append(i.entries, entry{at: *at, text: lineText(d, *at)})
}

// lineText is what programs write: words, nothing, bytes, and what looks like
// something else.
func lineText(d dice.Dice, at time.Time) string {
	switch d.IntN(12) {
	case 0:
		return ""
	case 1:
		return "tick"
	case 2:
		return "a\r\x00\xff\xc3\x28\x1b[31m"
	case 3:
		return "unable to retrieve container logs for containerd://" + strings.Repeat("0", 64)
	case 4:
		return "failed to try resolving symlinks in path \"/var/log/pods/x/0.log\": lstat: no such file or directory"
	case 5:
		return at.Format(time.RFC3339Nano) + " a stamp of its own"
	case 6:
		return " "
	}
	return fmt.Sprintf("%x some words", d.Uint64())
}

// all is everything that the container wrote, as the log endpoint shows it with
// timestamps.
func (i *instance) all() string { return text(i.entries) }

// here is what the kubelet still has, or its last entries.
func (i *instance) here(tail int) string {
	left := i.entries[i.rotatedAway:]
	if tail > 0 && tail < len(left) {
		left = left[len(left)-tail:]
	}
	return text(left)
}

// stampLayout is how the log endpoint writes timestamps.
const stampLayout = "2006-01-02T15:04:05.000000000Z "

// text writes a timestamp before every line, and before the first entry, even
// if that goes on with a line.
func text(entries []entry) string {
	var b strings.Builder
	fresh := true
	for _, e := range entries {
		if fresh {
			b.WriteString(e.at.UTC().Format(stampLayout))
		}
		b.WriteString(e.text)
		if fresh = !e.partial; fresh {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
