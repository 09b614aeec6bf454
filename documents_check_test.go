package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Every block says what it is; commands are run by a test that there is, and that
// runs them; JSON and YAML can be read; and every variable of ours that is named is
// one that there is.
func TestDocuments(t *testing.T) {
	tests := testSources(t)
	known := variables(&config{})
	for _, file := range documents(t) {
		for _, b := range blocks(t, file) {
			var err error
			switch b.language {
			case "sh":
				_, test, _ := strings.Cut(tests, "func "+strings.TrimPrefix(b.mark, "run by ")+"(t *testing.T) {")
				test, _, _ = strings.Cut(test, "\n}\n")
				if !strings.Contains(test, "documented(") {
					t.Errorf("%s:%d: no test %q runs these commands", file, b.line, b.mark)
				}
			case "console":
				if file != "README.md" && file != "docs/reading.md" {
					t.Errorf("%s:%d: the sessions of this document are not played in archive/cli", file, b.line)
				}
			case "json":
				err = json.Unmarshal([]byte(b.text), new(any))
			case "yaml":
				err = yaml.Unmarshal([]byte(b.text), new(any))
			case "text", "ini":
			default:
				t.Errorf("%s:%d: a block of no known kind, %q", file, b.line, b.language)
			}
			if err != nil {
				t.Errorf("%s:%d: %v", file, b.line, err)
			}
		}
		for _, name := range regexp.MustCompile(`\b(?:ARCHIVE|RECLAIM)_[A-Z_]+\b`).FindAllString(string(readFile(t, file)), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s", file, name)
			}
		}
	}
}

// testSources are all tests of this package, one after the other.
func testSources(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		all.Write(readFile(t, file))
	}
	return all.String()
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code    = regexp.MustCompile("(?s)```.*?```")
)

// Links lead to files and headings that there are; those to other sites are https,
// and no test asks for them.
func TestLinks(t *testing.T) {
	linked := map[string]bool{}
	for _, file := range append(documents(t), "scripts/testbed/README.md") {
		text := code.ReplaceAllString(string(readFile(t, file)), "")
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				if !strings.HasPrefix(target, "https://") {
					t.Errorf("%s: %s", file, target)
				}
				continue
			}
			path := filepath.Join(filepath.Dir(file), target)
			if target == "" {
				path = file
			}
			linked[path] = true
			content, err := os.ReadFile(path)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(string(content)), anchor) {
				t.Errorf("%s: %s has no heading %s", file, path, anchor)
			}
		}
	}
	for _, file := range documents(t) {
		if strings.HasPrefix(file, "docs/") && !linked[file] {
			t.Errorf("no document leads to %s", file)
		}
	}
}

// anchors are the names of a document's headings, as in links.
func anchors(text string) []string {
	var all []string
	for _, found := range heading.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(strings.ToLower(found[1]), " ", "-")
		all = append(all, regexp.MustCompile(`[^a-z0-9_-]`).ReplaceAllString(name, ""))
	}
	return all
}

// constants are the values of the constants of a type in a source file.
func constants(t *testing.T, file, kind string) []string {
	t.Helper()
	var all []string
	for _, found := range regexp.MustCompile(`(?m)^\t\w+ +`+kind+` += "([a-z-]+)"`).FindAllStringSubmatch(string(readFile(t, file)), -1) {
		all = append(all, found[1])
	}
	if len(all) < 5 {
		t.Fatalf("%s has the constants %v of type %s", file, all, kind)
	}
	return all
}

// rows are the first cells of the table that begins with this cell.
func rows(t *testing.T, file, first string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(string(readFile(t, file)), "\n| "+first+" | meaning |")
	if !ok {
		t.Fatalf("%s has no table %q", file, first)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	var all []string
	for _, found := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(table, -1) {
		all = append(all, found[1])
	}
	return all
}

// Every outcome, reason and step that a run can print is explained, and no other.
func TestReasonsAreExplained(t *testing.T) {
	const file = "docs/operate.md"
	reasons := append(rows(t, file, "`kept`"), rows(t, file, "`skipped`")...)
	for what, pair := range map[string][2][]string{
		"outcomes of pods": {constants(t, "reclaim/result.go", "Outcome"), rows(t, file, "outcome")},
		"reasons":          {constants(t, "reclaim/select.go", "Reason"), reasons},
		"steps":            {constants(t, "reclaim/error.go", "Step"), rows(t, file, "`failed`")},
		"outcomes of logs": {constants(t, "archive/index.go", "Outcome"), rows(t, file, "log")},
	} {
		slices.Sort(pair[0])
		slices.Sort(pair[1])
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: the program has %v, %s explains %v", what, pair[0], file, pair[1])
		}
	}
}
