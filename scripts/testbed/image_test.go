package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

func TestImageArchive(t *testing.T) {
	layer, err := tarball(file{name: "bin/"}, file{name: "bin/busybox", body: []byte("x")}, file{name: "bin/sh", target: "busybox"})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := imageArchive(busyboxImage, layer)
	if err != nil {
		t.Fatal(err)
	}
	entries := untar(t, archive)
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(entries["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || manifest[0].RepoTags[0] != "local/busybox:1" {
		t.Fatalf("manifest: %+v", manifest)
	}
	var config struct {
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(entries[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("sha256:%x", sha256.Sum256(entries[manifest[0].Layers[0]]))
	if len(config.RootFS.DiffIDs) != 1 || config.RootFS.DiffIDs[0] != want {
		t.Errorf("diff_ids %v, want %s", config.RootFS.DiffIDs, want)
	}
	if files := untar(t, layer); string(files["bin/sh"]) != "-> busybox" || string(files["bin/busybox"]) != "x" {
		t.Errorf("layer: %q", files)
	}
}

// untar reads all entries; a link reads as an arrow to its target.
func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	entries := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Linkname != "" {
			body = []byte("-> " + h.Linkname)
		}
		entries[h.Name] = body
	}
}
