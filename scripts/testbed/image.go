package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"
)

// importImages gives containerd the images it does not have yet.
func (t *testbed) importImages(ctx context.Context) error {
	have, err := t.ctr(ctx, "images", "ls", "-q")
	if err != nil {
		return err
	}
	layers := map[string]func() ([]byte, error){pauseImage: t.pauseLayer, busyboxImage: busyboxLayer}
	for name, layer := range layers {
		if strings.Contains(have, name) {
			continue
		}
		files, err := layer()
		if err != nil {
			return err
		}
		archive, err := imageArchive(name, files)
		if err != nil {
			return err
		}
		file := t.path("data", "image.tar")
		if err := os.WriteFile(file, archive, 0o600); err != nil {
			return err
		}
		if _, err := t.ctr(ctx, "images", "import", file); err != nil {
			return err
		}
		os.Remove(file)
	}
	return nil
}

// imageArchive packs one layer as `docker save` would: the layer, the image's
// configuration, and a manifest that names both.
func imageArchive(name string, layer []byte) ([]byte, error) {
	config, err := json.Marshal(map[string]any{
		"architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z",
		"config": map[string]any{
			"Env": []string{"PATH=/bin"}, "Cmd": []string{"/bin/" + strings.TrimSuffix(path.Base(name), ":1")},
		},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
	})
	if err != nil {
		return nil, err
	}
	configName := fmt.Sprintf("%x.json", sha256.Sum256(config))
	manifest, err := json.Marshal([]map[string]any{{
		"Config": configName, "RepoTags": []string{strings.TrimPrefix(name, "docker.io/")}, "Layers": []string{"layer.tar"},
	}})
	if err != nil {
		return nil, err
	}
	return tarball(
		file{name: "layer.tar", body: layer}, file{name: configName, body: config}, file{name: "manifest.json", body: manifest},
	)
}

// file is one entry of a tarball: a folder if the name ends with a slash, a
// link if it has a target.
type file struct {
	name, target string
	body         []byte
}

func tarball(files ...file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(f.body)), Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0)}
		switch {
		case strings.HasSuffix(f.name, "tmp/"):
			h.Typeflag, h.Mode = tar.TypeDir, 0o1777
		case strings.HasSuffix(f.name, "/"):
			h.Typeflag = tar.TypeDir
		case f.target != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, f.target
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func (t *testbed) pauseLayer() ([]byte, error) {
	body, err := os.ReadFile(t.bin("pause"))
	if err != nil {
		return nil, err
	}
	return tarball(file{name: "bin/"}, file{name: "bin/pause", body: body})
}

// busyboxLayer holds the machine's own static busybox under all its names.
func busyboxLayer() ([]byte, error) {
	body, err := os.ReadFile(busybox)
	if err != nil {
		return nil, err
	}
	applets, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("list busybox applets: %w", err)
	}
	files := []file{
		{name: "bin/"}, {name: "tmp/"}, {name: "etc/"}, {name: "root/"},
		{name: "etc/passwd", body: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
		{name: "etc/group", body: []byte("root:x:0:\nnogroup:x:65534:\n")},
		{name: "bin/busybox", body: body},
	}
	for _, name := range strings.Fields(string(applets)) {
		if name != "busybox" {
			files = append(files, file{name: "bin/" + name, target: "busybox"})
		}
	}
	return tarball(files...)
}
