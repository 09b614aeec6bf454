package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// collect reads a bundle and what it holds.
func collect(r io.Reader, c Compression) (Index, map[string]string, error) {
	files := map[string]string{}
	index, err := ReadBundle(r, c, func(f File, content io.Reader) error {
		text, err := io.ReadAll(content)
		files[f.Path] = string(text)
		return err
	})
	return index, files, err
}

func TestReadBundleIsTheInverseOfSeal(t *testing.T) {
	for _, c := range compressions {
		b := exampleBundle(t, t.TempDir(), c)
		if err := b.AddLog("logs/big.log", fill(noise(1, 3<<19))); err != nil {
			t.Fatal(err)
		}
		s := seal(t, b, exampleIndex())
		index, files, err := collect(iotest.HalfReader(s.Body()), c)
		if err != nil {
			t.Fatal(err)
		}
		want := unpack(t, c, s)
		for _, e := range want[:len(want)-1] {
			if files[e.Name] != string(e.content) {
				t.Errorf("%s: %s has %d bytes, want %d", c, e.Name, len(files[e.Name]), len(e.content))
			}
		}
		if len(files) != len(want)-1 || !slices.Equal(index.Files, s.Index.Files) || !slices.Equal(index.Logs, s.Index.Logs) || index.UID != uid {
			t.Errorf("%s: %d files, index %+v", c, len(files), index)
		}
	}
}

// What visit leaves unread is checked all the same.
func TestReadBundleReadsWhatVisitDoesNot(t *testing.T) {
	for _, c := range compressions {
		n := 0
		index, err := ReadBundle(seal(t, exampleBundle(t, t.TempDir(), c), exampleIndex()).Body(), c, func(_ File, content io.Reader) error {
			n++
			_, err := content.Read(make([]byte, n))
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		})
		if err != nil || n != len(index.Files) {
			t.Errorf("%s: %d entries, %v", c, n, err)
		}
	}
}

func TestReadBundleRefusesEveryCut(t *testing.T) {
	for _, c := range compressions {
		whole := readAll(t, seal(t, exampleBundle(t, t.TempDir(), c), exampleIndex()).Body())
		for n := range len(whole) {
			if _, _, err := collect(bytes.NewReader(whole[:n]), c); !errors.Is(err, ErrMalformed) {
				t.Fatalf("%s: cut at %d of %d: %v", c, n, len(whole), err)
			}
		}
		for _, more := range [][]byte{{0}, []byte("more"), make([]byte, 512), whole} {
			if _, _, err := collect(bytes.NewReader(slices.Concat(whole, more)), c); !errors.Is(err, ErrMalformed) {
				t.Errorf("%s: with %d bytes more: %v", c, len(more), err)
			}
		}
	}
}

// The error of what is read from, and that of visit, are told from a bad bundle.
func TestReadBundleTellsWhoseErrorItIs(t *testing.T) {
	for _, c := range compressions {
		whole := readAll(t, seal(t, exampleBundle(t, t.TempDir(), c), exampleIndex()).Body())
		for _, n := range []int{0, 1, 10, len(whole) / 2, len(whole) - 1} {
			_, _, err := collect(io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(errBroken)), c)
			if !errors.Is(err, errBroken) || errors.Is(err, ErrMalformed) {
				t.Errorf("%s: broken after %d bytes: %v", c, n, err)
			}
		}
		_, err := ReadBundle(bytes.NewReader(whole), c, func(File, io.Reader) error { return errBroken })
		if !errors.Is(err, errBroken) || errors.Is(err, ErrMalformed) {
			t.Errorf("%s: visit failed: %v", c, err)
		}
	}
}

// hostile makes a bundle by hand: write fills the tar, and what it returns is
// the index, unless that is empty.
func hostile(t *testing.T, c Compression, write func(w *tar.Writer) string) []byte {
	t.Helper()
	var out bytes.Buffer
	compressor := c.compressor(&out)
	defer c.release(compressor)
	w := tar.NewWriter(compressor)
	if index := write(w); index != "" {
		w.WriteHeader(&tar.Header{Name: IndexName, Size: int64(len(index)), Mode: 0o644})
		io.WriteString(w, index)
	}
	if err := errors.Join(w.Close(), compressor.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// named is an entry of one byte, and the index that is true of it.
func named(w *tar.Writer, name string) string {
	w.WriteHeader(&tar.Header{Name: name, Size: 1, Mode: 0o644})
	w.Write([]byte("x"))
	index, _ := json.Marshal(Index{Files: []File{{name, 1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}}})
	return string(index)
}

func TestReadBundleRefusesHostileOnes(t *testing.T) {
	link := func(kind byte) func(*tar.Writer) string {
		return func(w *tar.Writer) string {
			w.WriteHeader(&tar.Header{Name: "logs/a.log", Typeflag: kind, Linkname: "/etc/passwd"})
			return `{"files":[{"path":"logs/a.log","size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`
		}
	}
	cases := map[string]func(*tar.Writer) string{
		"no entries":           func(*tar.Writer) string { return "" },
		"no index":             func(w *tar.Writer) string { named(w, "pod.json"); return "" },
		"an index that is not": func(w *tar.Writer) string { named(w, "pod.json"); return "{" },
		"an empty index":       func(w *tar.Writer) string { named(w, "pod.json"); return "{}" },
		"a sum that is wrong":  func(w *tar.Writer) string { return strings.Replace(named(w, "pod.json"), "2d71", "0000", 1) },
		"a size that is wrong": func(w *tar.Writer) string { return strings.Replace(named(w, "pod.json"), `"size":1`, `"size":2`, 1) },
		"one file too many":    func(w *tar.Writer) string { index := named(w, "pod.json"); named(w, "events.json"); return index },
		"a file twice":         func(w *tar.Writer) string { named(w, "pod.json"); return named(w, "pod.json") },
		"the index first":      func(w *tar.Writer) string { named(w, IndexName); return named(w, "pod.json") },
		"a symbolic link":      link(tar.TypeSymlink),
		"a hard link":          link(tar.TypeLink),
		"a directory":          link(tar.TypeDir),
		"a device":             link(tar.TypeChar),
		"a pipe":               link(tar.TypeFifo),
	}
	for _, name := range []string{
		"/etc/passwd", "../pod.json", "logs/../../x", "logs/..", "./pod.json", "logs//a.log", "a/b/c", "logs/.hidden", "-rf", "C:/x", `logs\a.log`,
		"logs/a\nb.log", "logs/a b.log", "logs/ä.log", "logs/a.log/", strings.Repeat("n", maxName+1),
	} {
		cases["the name "+name[:min(20, len(name))]] = func(w *tar.Writer) string { return named(w, name) }
	}
	for name, write := range cases {
		for _, c := range compressions {
			if _, _, err := collect(bytes.NewReader(hostile(t, c, write)), c); !errors.Is(err, ErrMalformed) {
				t.Errorf("%s, %s: %v", name, c, err)
			}
		}
	}
	for name, write := range map[string]func(*tar.Writer) string{
		"an index without end": func(*tar.Writer) string { return `{"notes":["` + strings.Repeat("x", maxIndex) + `"]}` },
		"too many entries": func(w *tar.Writer) string {
			for n := range maxEntries + 1 {
				w.WriteHeader(&tar.Header{Name: fmt.Sprintf("logs/%d.log", n), Mode: 0o644})
			}
			return "{}"
		},
	} {
		if _, _, err := collect(bytes.NewReader(hostile(t, Zstd, write)), Zstd); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := hostile(t, Zstd, func(w *tar.Writer) string { return named(w, "later/addition.json") })
	if _, files, err := collect(bytes.NewReader(good), Zstd); err != nil || files["later/addition.json"] != "x" {
		t.Errorf("an entry that is not known yet: %v", err)
	}
}

func FuzzReadBundle(f *testing.F) {
	for _, c := range compressions {
		f.Add(readAll(f, seal(f, exampleBundle(f, f.TempDir(), c), exampleIndex()).Body()), c == Gzip)
	}
	f.Fuzz(func(t *testing.T, content []byte, gzip bool) {
		c := Zstd
		if gzip {
			c = Gzip
		}
		index, files, err := collect(bytes.NewReader(content), c)
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("another error: %v", err)
		}
		if err == nil && len(files) != len(index.Files) {
			t.Errorf("%d files, the index names %d", len(files), len(index.Files))
		}
	})
}
