package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The README's table of variables is the program's own. To bring it up to date:
// UPDATE=1 go test -run Readme .
func TestReadmeVariables(t *testing.T) {
	const begin, end = "<!-- variables: from the program, checked by a test -->\n", "<!-- end of variables -->"
	var table bytes.Buffer
	table.WriteString("\n| variable | default | meaning |\n|---|---|---|\n")
	if err := writeTable(&table, "| `{{usage_key .}}` | {{with usage_default .}}`{{.}}`{{end}} | {{usage_description .}} |\n"); err != nil {
		t.Fatal(err)
	}
	table.WriteString("\n")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has lost the marks around the table")
	}
	want := head + begin + table.String() + end + tail
	if want == string(text) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("README.md does not list the program's variables: UPDATE=1 go test -run Readme .")
	}
	if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
