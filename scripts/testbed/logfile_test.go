package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

var criLine = regexp.MustCompile(`^\S+ (stdout|stderr) F [^\n]*\n$`)

func TestCRILog(t *testing.T) {
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	log := string(criLog(begin, 13<<10))
	different := map[string]bool{}
	var last time.Time
	for line := range strings.Lines(log) {
		if !criLine.MatchString(line) {
			t.Fatalf("not the format of a container log: %q", line)
		}
		stamp, _, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil {
			t.Fatal(err)
		}
		if !at.After(last) {
			t.Errorf("%v comes after %v", at, last)
		}
		last = at
		different[line[len(stamp):]] = true
	}
	if len(log) < 13<<10 || len(log) > 26<<10 {
		t.Errorf("the log has %d bytes", len(log))
	}
	if len(different) < 24 {
		t.Errorf("there are only %d different lines", len(different))
	}
	if len(criLog(begin, 0)) != 0 {
		t.Error("an empty log is not empty")
	}
}
