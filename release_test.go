package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A release holds what it says, and made again from another folder, in another
// time zone and with another umask it is the same, byte for byte (which is shown
// for one architecture).
func TestRelease(t *testing.T) {
	b := newBed(t)
	if os.Getuid() != 0 {
		t.Skip("buildah needs root")
	}
	dist := filepath.Join(t.TempDir(), "dist")
	release(t, ".", dist, "022", "ARCHS=amd64 arm64")
	again := filepath.Join(t.TempDir(), "dist")
	release(t, checkout(t), again, "077", "ARCHS=amd64", "TZ=Asia/Tokyo")
	sums := string(readFile(t, filepath.Join(dist, "SHA256SUMS")))
	for line := range strings.Lines(string(readFile(t, filepath.Join(again, "SHA256SUMS")))) {
		if !strings.Contains(sums, line) {
			t.Errorf("made again it is another: %s, the first had\n%s", line, sums)
		}
	}
	if n := strings.Count(sums, "\n"); n != 8 {
		t.Errorf("there are %d files:\n%s", n, sums)
	}

	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = dist
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		binary := filepath.Join(dist, "pod-reclaimer-linux-"+arch)
		isStatic(t, binary, machine)
		holdsOnly(t, filepath.Join(dist, "image-linux-"+arch+".tar"), arch, readFile(t, binary))
		namesModules(t, binary+".cdx.json", binary)
	}
	output, err := exec.Command(filepath.Join(dist, "pod-reclaimer-linux-amd64"), "version").Output()
	if fields := strings.Fields(string(output)); err != nil || !slices.Equal(fields[3:], []string{"v1.2.3", "0123456789ab", "2026-12-01T10:00:00Z"}) {
		t.Errorf("version prints %q, %v", output, err)
	}
	b.installs(readFile(t, filepath.Join(dist, "install.yaml")))
}

// release makes one in dist, from the sources in dir, with these variables.
func release(t *testing.T, dir, dist, umask string, variables ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `umask "$0" && exec make -s release "$@"`, umask,
		"DIST="+dist, "REPOSITORY=registry.example.com/pod-reclaimer", "VERSION=v1.2.3", "COMMIT=0123456789ab", "DATE=2026-12-01T10:00:00Z")
	cmd.Args = append(cmd.Args, variables...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make release: %v\n%s", err, output)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// isStatic checks that a binary is for this machine and needs no other file.
func isStatic(t *testing.T, binary string, machine elf.Machine) {
	t.Helper()
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Machine != machine {
		t.Errorf("%s is for %s", binary, f.Machine)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static", binary)
		}
	}
}

// holdsOnly checks an image: labels, user and architecture, and that its one
// layer has nothing but the binary.
func holdsOnly(t *testing.T, image, arch string, binary []byte) {
	t.Helper()
	files := untar(t, readFile(t, image))
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	var config struct {
		Created, Architecture string
		Config                struct {
			User       string
			Entrypoint []string
			Labels     map[string]string
			Hostname   string
		}
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(files[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(manifest[0].RepoTags, "registry.example.com/pod-reclaimer:v1.2.3") || len(manifest[0].Layers) != 1 {
		t.Errorf("%s is %+v", image, manifest)
	}
	c := config.Config
	if config.Architecture != arch || config.Created != "2026-12-01T10:00:00Z" || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/pod-reclaimer"}) || c.Hostname != "" {
		t.Errorf("the config of %s is %+v", image, config)
	}
	for label, want := range map[string]string{"title": "pod-reclaimer", "licenses": "Apache-2.0", "version": "v1.2.3", "revision": "0123456789ab", "created": "2026-12-01T10:00:00Z"} {
		if got := c.Labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("the label %s of %s is %q, want %q", label, image, got, want)
		}
	}
	layer := untar(t, files[manifest[0].Layers[0]])
	if len(layer) != 1 || !bytes.Equal(layer["pod-reclaimer"], binary) {
		t.Errorf("%s does not hold just the binary", image)
	}
}

func untar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if header.Mode&0o111 == 0 && header.Name == "pod-reclaimer" {
				t.Errorf("the mode of %s is %o", header.Name, header.Mode)
			}
			files[header.Name], err = io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// namesModules checks that an SBOM names just the modules that are in a binary, and
// Go itself.
func namesModules(t *testing.T, sbom, binary string) {
	t.Helper()
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"std " + info.GoVersion}
	for _, m := range info.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	var bom struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(readFile(t, sbom), &bom); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range bom.Components {
		got = append(got, c.Name+" "+c.Version)
	}
	slices.Sort(want)
	slices.Sort(got)
	if bom.BOMFormat != "CycloneDX" || !slices.Equal(got, want) {
		t.Errorf("%s is %s and names %v, want %v", sbom, bom.BOMFormat, got, want)
	}
}

// installs checks that the API server takes the rendered manifests, and that they
// are those of the base with the image of the release.
func (b *bed) installs(rendered []byte) {
	b.t.Helper()
	want, _ := b.render("resources: [MANIFESTS/base]\nimages: [{name: pod-reclaimer, newName: registry.example.com/pod-reclaimer, newTag: v1.2.3}]")
	if !bytes.Equal(rendered, want) {
		b.t.Errorf("install.yaml is not the base:\n%s", rendered)
	}
	b.home = b.makeNamespace()
	text := strings.ReplaceAll(string(rendered), "namespace: pod-reclaimer", "namespace: "+b.home)
	b.kubectlIn(text, "apply", "--namespace", b.home, "--server-side", "--dry-run=server", "-f", "-")
}

// A tool or a database that cannot be reached is told from one that found nothing.
func TestToolsSayWhenTheyCannotBeHad(t *testing.T) {
	for _, c := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{[]string{"vuln", "PACKAGES=./archive/archivetest"}, []string{"GOVULNDB=http://127.0.0.1:1"}, 4, "nothing was checked"},
		{[]string{"vuln", "GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v0.0.1"}, []string{"GOPROXY=off"}, 4, "nothing was done"},
		{[]string{"staticcheck", "STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.0.1"}, []string{"GOPROXY=off"}, 4, "nothing was done"},
	} {
		cmd := exec.Command("make", append([]string{"-s"}, c.args...)...)
		cmd.Env = append(os.Environ(), c.env...)
		output, _ := cmd.CombinedOutput()
		// make itself exits with 2 and says with what its command did
		if !strings.Contains(string(output), c.says) || !strings.Contains(string(output), "Error 4") {
			t.Errorf("make %v with %v, want exit code %d and %q:\n%s", c.args, c.env, c.code, c.says, output)
		}
	}
}
