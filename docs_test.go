package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// What the documents show is JSON, and every variable of ours that they name is
// one that there is.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	known := variables(&config{})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range jsonBlock.FindAllStringSubmatch(string(text), -1) {
			if !json.Valid([]byte(block[1])) {
				t.Errorf("%s: no JSON:\n%s", file, block[1])
			}
		}
		for _, name := range regexp.MustCompile(`\b(?:ARCHIVE|RECLAIM)_[A-Z_]+\b`).FindAllString(string(text), -1) {
			if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+name+" ") {
				t.Errorf("%s names %s", file, name)
			}
		}
	}
}

// ofVerbs need rights that a run does not; the help of each verb names them.
var ofVerbs = []string{"lifecycle.go", "remove.go", "versions.go"}

// The policy in the documents is exactly what the program asks for: each right
// that an error message of ours can name is in it.
func TestDocumentedRights(t *testing.T) {
	text, err := os.ReadFile("docs/stores.md")
	if err != nil {
		t.Fatal(err)
	}
	policy := jsonBlock.FindStringSubmatch(string(text))[1]
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
