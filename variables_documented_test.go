package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The table of variables in the documents is the program's own.
func TestDocumentedVariables(t *testing.T) {
	var table bytes.Buffer
	table.WriteString("\n| variable | default | meaning |\n|---|---|---|\n")
	if err := writeTable(&table, "| `{{usage_key .}}` | {{with usage_default .}}`{{.}}`{{end}} | {{usage_description .}} |\n"); err != nil {
		t.Fatal(err)
	}
	table.WriteString("\n")
	generated(t, "docs/configure.md", "<!-- variables: from the program, checked by a test -->\n", "<!-- end of variables -->", table.String())
}

// generated checks that what stands in the file between two marks is content.
// To bring the file up to date: UPDATE=1 go test -run Variables .
func generated(t *testing.T, file, begin, end, content string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its marks", file)
	}
	want := head + begin + content + end + tail
	if want == string(text) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("%s does not list the program's variables: UPDATE=1 go test -run Variables .", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
