package main

import (
	"fmt"
	"os"
	"strings"
)

// hostsLine gives the node's name an address, and says whose it is.
func (t *testbed) hostsLine() string {
	return fmt.Sprintf("127.0.0.1 %s # testbed %s", t.nodeName(), t.name)
}

// editHosts adds or removes one line of /etc/hosts, in place: the file may be
// a mount, which cannot be replaced.
func editHosts(line string, add bool) error {
	text, err := os.ReadFile("/etc/hosts")
	if err != nil {
		return err
	}
	next := withLine(string(text), line, add)
	if next == string(text) {
		return nil
	}
	return os.WriteFile("/etc/hosts", []byte(next), 0o644)
}

// withLine is the text with this line once at its end, or without it.
func withLine(text, line string, add bool) string {
	if add && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = strings.ReplaceAll("\n"+text, "\n"+line+"\n", "\n")[1:]
	if add {
		text += line + "\n"
	}
	return text
}
