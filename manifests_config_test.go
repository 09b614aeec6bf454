package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const configFile = "manifests/base/config.yaml"

// The ConfigMap has every variable of the program: those that it sets, and all
// others as comments with their defaults.
func TestConfigMapVariables(t *testing.T) {
	text, err := os.ReadFile(configFile)
	if err != nil {
		t.Fatal(err)
	}
	var configMap struct{ Data map[string]string }
	if err := yaml.Unmarshal(text, &configMap); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if err := writeTable(&all, "{{usage_key .}}|{{usage_description .}}|{{usage_default .}}\n"); err != nil {
		t.Fatal(err)
	}
	var comments strings.Builder
	known := map[string]bool{}
	for line := range strings.Lines(all.String()) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		meaning, value, _ := strings.Cut(rest, "|")
		known[name] = true
		if _, set := configMap.Data[name]; !set {
			comments.WriteString("  # " + meaning + "\n  # " + name + ": \"" + value + "\"\n")
		}
	}
	for name := range configMap.Data {
		if !known[name] && !strings.HasPrefix(name, "AWS_") {
			t.Errorf("%s sets %s, which is no variable of the program", configFile, name)
		}
	}
	generated(t, configFile, "  # begin of variables: from the program, checked by a test\n", "  # end of variables\n", comments.String())
}
