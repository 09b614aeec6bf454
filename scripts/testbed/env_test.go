package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestQuoteIsOneWord(t *testing.T) {
	for _, text := range []string{"", "plain", "two words", "it's", `"$HOME" \ ` + "`id`", "a\nb", "''"} {
		out, err := exec.Command("sh", "-c", "export K="+quote(text)+`; printf %s "$K"`).Output()
		if err != nil || string(out) != text {
			t.Errorf("quote(%q): a shell reads %q, %v", text, out, err)
		}
	}
}

func TestEnvironmentNamesTheNodeOnlyIfThereIsOne(t *testing.T) {
	b := newTestbed("x")
	if strings.Contains(b.environment(), "TESTBED_NODE=") {
		t.Error("without a node there is TESTBED_NODE")
	}
	b.Node = true
	if !strings.Contains(b.environment(), "export TESTBED_NODE='node-x'\n") {
		t.Error("with a node there is no TESTBED_NODE")
	}
}

func TestHostsLine(t *testing.T) {
	const line = "127.0.0.1 node-x # testbed x"
	for _, text := range []string{"", "127.0.0.1 localhost\n", "127.0.0.1 localhost\n127.0.0.1 node-y # testbed y\n"} {
		with := withLine(text, line, true)
		if strings.Count(with, line+"\n") != 1 || withLine(with, line, true) != with {
			t.Errorf("added to %q: %q", text, with)
		}
		if got := withLine(with, line, false); got != text {
			t.Errorf("added and removed: %q became %q", text, got)
		}
	}
	if got := withLine("no end", line, true); got != "no end\n"+line+"\n" {
		t.Errorf("a last line without its end: %q", got)
	}
}
