package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofVerbs need rights that a run does not; the help of each verb names them.
var ofVerbs = []string{"lifecycle.go", "remove.go", "versions.go"}

// The policy in the documents is exactly what the program asks for: each right
// that an error message of ours can name is in it.
func TestDocumentedRights(t *testing.T) {
	all := blocks(t, "docs/stores.md")
	policy := all[slices.IndexFunc(all, func(b block) bool { return b.language == "json" })].text
	sources, err := filepath.Glob("archive/*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	right := regexp.MustCompile(`s3:[A-Z][A-Za-z]+`)
	for _, file := range sources {
		if slices.Contains(ofVerbs, filepath.Base(file)) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range right.FindAllString(string(source), -1) {
			named[name] = true
			if !strings.Contains(policy, `"`+name+`"`) {
				t.Errorf("%s names %s, which the policy does not grant", file, name)
			}
		}
	}
	for _, granted := range right.FindAllString(policy, -1) {
		if !named[granted] {
			t.Errorf("the policy grants %s, which the program does not name", granted)
		}
	}
}
