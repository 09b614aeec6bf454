package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// buildParts makes the programs that are missing, and returns the folders of
// the cluster's and of SeaweedFS's.
func buildParts(ctx context.Context, names []string) (cluster, seaweed string, err error) {
	forCluster, forSeaweed, err := split(names)
	if err != nil {
		return "", "", fmt.Errorf("build: %w", err)
	}
	if cluster, err = build(ctx, clusterModule, forCluster); err != nil {
		return "", "", fmt.Errorf("build: %w", err)
	}
	if seaweed, err = build(ctx, seaweedModule, forSeaweed); err != nil {
		return "", "", fmt.Errorf("build: %w", err)
	}
	return cluster, seaweed, nil
}

// build makes the programs of a module that are missing and returns their
// folder. Two builds at once take turns; a program appears whole or not at all.
func build(ctx context.Context, m module, names []string) (string, error) {
	bin, err := binFolder(ctx, m)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	if len(missing(bin, names)) == 0 {
		return bin, nil
	}
	held, err := lock(bin)
	if err != nil {
		return "", err
	}
	defer held.Close()
	return bin, buildMissing(ctx, m, bin, missing(bin, names))
}

// buildMissing runs one `go build` for all of them, into a folder of its own.
func buildMissing(ctx context.Context, m module, bin string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	temp := filepath.Join(bin, "building")
	if err := os.RemoveAll(temp); err != nil { // a killed build's
		return err
	}
	defer os.RemoveAll(temp)
	progress("build %s", strings.Join(names, ", "))
	packages := make([]string, len(names))
	for i, name := range names {
		packages[i] = m.programs[name]
	}
	if err := compile(ctx, m, temp, packages); err != nil {
		return err
	}
	for i, name := range names {
		if err := os.Rename(filepath.Join(temp, builtName(packages[i])), filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return nil
}

// builtName is what `go build` calls the program of a package: the last
// element of its path that is no version.
func builtName(pkg string) string {
	if base := filepath.Base(pkg); base != "v3" {
		return base
	}
	return filepath.Base(filepath.Dir(pkg))
}

func missing(bin string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := os.Stat(filepath.Join(bin, name))
		return err == nil
	})
}

// binFolder is the cache folder for exactly these sources, toolchain and flags.
func binFolder(ctx context.Context, m module) (string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	versions, err := moduleVersions(filepath.Join(m.dir, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("run it in its own folder, go run -C scripts/testbed . VERB: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", versions, m.flags)
	for _, file := range append([]string{"go.sum"}, m.sources...) {
		text, err := os.ReadFile(filepath.Join(m.dir, file))
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	env, err := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOEXPERIMENT").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	sum.Write(env)
	return filepath.Join(cache, "bin", fmt.Sprintf("%x", sum.Sum(nil)[:8])), nil
}

// moduleVersions is what go.mod says, without its comments and order: which
// modules this program itself imports does not matter to what it builds.
func moduleVersions(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" && line != "require (" && line != ")" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func cacheFolder() (string, error) {
	if dir := os.Getenv("TESTBED_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "pod-reclaimer", "testbed"), err
}
