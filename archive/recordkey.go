package archive

import (
	"regexp"
	"strings"
	"time"
)

// recordDir is where the record of a run lies below its class, but for the run's
// ID: the time at which the run started.
const recordDir = "2006/01/02/20060102T150405Z"

// runs is where the run records of one class lie, with a slash at the end.
func (l layout) runs(c Class) string {
	return l.root() + "/runs/" + c.String() + "/"
}

var recordPart = regexp.MustCompile(`^-[0-9a-f]{16}/(start\.json|end\.json|[0-9]{4,}\.ndjson)$`)

// parseRecord gives the class and the day of a part of a run record; false if the
// key is none.
func (l layout) parseRecord(object string) (Class, time.Time, bool) {
	rest, ok := strings.CutPrefix(object, l.root()+"/runs/")
	if !ok {
		return Class{}, time.Time{}, false
	}
	name, rest, _ := strings.Cut(rest, "/")
	class, err := ParseClass(name)
	if err != nil || class.String() != name || len(rest) < len(recordDir) {
		return Class{}, time.Time{}, false
	}
	start, err := time.Parse(recordDir, rest[:len(recordDir)])
	ok = err == nil && start.Format(recordDir) == rest[:len(recordDir)]
	return class, start, ok && recordPart.MatchString(rest[len(recordDir):])
}

// kept gives the class of an object with a retention, a bundle or a part of a
// run record; ok is false for all others.
func (l layout) kept(object string) (class Class, record, ok bool) {
	if class, _, ok := l.parseRecord(object); ok {
		return class, true, true
	}
	key, err := l.parseAny(object)
	return key.Class, false, err == nil
}
