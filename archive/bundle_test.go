package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

var finishedAt = time.Date(2024, 2, 29, 10, 0, 0, 0, time.UTC)

// fill writes content at once.
func fill(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// unpacked is one entry as it comes out of the tar.
type unpacked struct {
	*tar.Header
	content []byte
}

// unpack reads the whole bundle, to the end of the tar and of the stream.
func unpack(t testing.TB, c Compression, s *Sealed) []unpacked {
	t.Helper()
	content := decompress(t, c, s.Body())
	if !bytes.HasSuffix(content, make([]byte, 1024)) {
		t.Error("the tar has no end")
	}
	stream := bytes.NewReader(content)
	r := tar.NewReader(stream)
	var all []unpacked
	for {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, unpacked{header, readAll(t, r)})
	}
	if stream.Len() != 0 {
		t.Errorf("%d bytes stand behind the end of the tar", stream.Len())
	}
	return all
}

func seal(t testing.TB, b *Bundle, index Index) *Sealed {
	t.Helper()
	s, err := b.Seal(index, finishedAt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// exampleBundle has every kind of entry.
func exampleBundle(t testing.TB, dir string, c Compression) *Bundle {
	t.Helper()
	b := NewBundle(dir, c)
	t.Cleanup(func() {
		if err := b.Remove(); err != nil {
			t.Error(err)
		}
	})
	// logs are collected first, and stand behind the documents all the same
	for _, l := range []struct{ path, content string }{
		{"logs/setup.log", "2024-02-29T09:59:00.000000001Z ready\n"},
		{"logs/main.log", "2024-02-29T09:59:58.000000001Z one\n2024-02-29T09:59:59.000000001Z two\n"},
		{"logs/main.previous.log", "2024-02-29T09:58:00.000000001Z panic"},
		{"logs/quiet.log", ""},
	} {
		if err := b.AddLog(l.path, fill([]byte(l.content))); err != nil {
			t.Fatal(err)
		}
	}
	b.Add("pod.json", []byte(`{"apiVersion":"v1","kind":"Pod","spec":{"fieldFromTheFuture":7}}`))
	b.Add("events.json", []byte(`{"apiVersion":"v1","kind":"List","items":[]}`))
	b.Add("owners/Job.report.json", []byte(`{"kind":"Job"}`))
	b.Add("owners/CronJob.report.json", []byte(`{"kind":"CronJob"}`))
	return b
}

func exampleIndex() Index {
	return Index{
		Schema: Schema, Cluster: "prod-1", Namespace: "shop", Pod: "job-x7k2p", UID: uid, ResourceVersion: "4711",
		Phase: "Failed", Reason: "Evicted", Node: "node-1", Class: "7d",
		FinishedAt: finishedAt, FinishedAtSource: "finishedAt",
		Logs: []Log{
			{Container: "setup", Type: "init", Outcome: Complete, Path: "logs/setup.log", Status: 200,
				FirstTimestamp: "2024-02-29T09:59:00.000000001Z", LastTimestamp: "2024-02-29T09:59:00.000000001Z"},
			{Container: "main", Type: "regular", Previous: true, Outcome: Unavailable, Status: 400,
				Note: `previous terminated container "main" in pod "job-x7k2p" not found`},
		},
		Notes: []string{"owner Job report: replaced by another of the same name"},
	}
}

func TestBundleListing(t *testing.T) {
	for _, c := range compressions {
		var list strings.Builder
		for _, e := range unpack(t, c, seal(t, exampleBundle(t, t.TempDir(), c), exampleIndex())) {
			fmt.Fprintf(&list, "%s %04o %d:%d %q:%q %s %s\n", string(e.Typeflag), e.Mode, e.Uid, e.Gid, e.Uname, e.Gname,
				e.ModTime.UTC().Format(time.RFC3339Nano), e.Name)
		}
		golden(t, "bundle.txt", []byte(list.String()))
	}
}

func TestBundleTimeIsWholeSecondsUTC(t *testing.T) {
	inEveryZone(t, func(t *testing.T) {
		b := exampleBundle(t, t.TempDir(), Zstd)
		s, err := b.Seal(exampleIndex(), finishedAt.Add(123456789*time.Nanosecond).Local())
		if err != nil {
			t.Fatal(err)
		}
		want := seal(t, exampleBundle(t, t.TempDir(), Zstd), exampleIndex())
		if !bytes.Equal(s.SHA256, want.SHA256) {
			t.Error("the bytes depend on the zone or on parts of a second")
		}
	})
}

func TestIndexIsTrue(t *testing.T) {
	for _, c := range compressions {
		s := seal(t, exampleBundle(t, t.TempDir(), c), exampleIndex())
		entries := unpack(t, c, s)
		last := entries[len(entries)-1]
		if last.Name != "index.json" {
			t.Fatalf("%s: the last entry is %s", c, last.Name)
		}
		var index Index
		if err := json.Unmarshal(last.content, &index); err != nil {
			t.Fatal(err)
		}
		var real []File
		for _, e := range entries[:len(entries)-1] {
			sum := sha256.Sum256(e.content)
			real = append(real, File{e.Name, int64(len(e.content)), hex.EncodeToString(sum[:])})
		}
		if !slices.Equal(index.Files, real) || !slices.Equal(s.Index.Files, real) {
			t.Errorf("%s: the index has %+v, the bundle %+v", c, index.Files, real)
		}
		if index.UID != uid || len(index.Logs) != 2 || index.Logs[1] != exampleIndex().Logs[1] {
			t.Errorf("%s: the index lost what it was given: %+v", c, index)
		}
	}
}

func TestSealedMeasuresItsBytes(t *testing.T) {
	for _, c := range compressions {
		for _, size := range []int{100, 3 << 20} {
			b := exampleBundle(t, t.TempDir(), c)
			if err := b.AddLog("logs/more.log", fill(noise(1, size))); err != nil {
				t.Fatal(err)
			}
			s := seal(t, b, exampleIndex())
			body := s.Body()
			content := readAll(t, body)
			md5sum, sha := md5.Sum(content), sha256.Sum256(content)
			if s.Size != int64(len(content)) || !bytes.Equal(s.MD5, md5sum[:]) || !bytes.Equal(s.SHA256, sha[:]) {
				t.Errorf("%s: size or sums are not those of the %d bytes", c, len(content))
			}
			if _, err := body.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(readAll(t, body), content) || !bytes.Equal(readAll(t, s.Body()), content) {
				t.Errorf("%s: read again, the body has other bytes", c)
			}
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	log := slices.Concat(noise(1, 150<<10), bytes.Repeat([]byte("2024-02-29T10:00:00Z the same line again\n"), 10_000), noise(2, 49_999))
	for _, c := range compressions {
		var want []byte
		for _, chunk := range []int{len(log), len(log), 1 << 20, 128 << 10, 32 << 10, 4096, 1000, 7} {
			b := exampleBundle(t, t.TempDir(), c)
			// an encoder that was used for something else before must not show it
			if err := b.AddLog("logs/broken.log", func(w io.Writer) error {
				w.Write(noise(byte(chunk), 200<<10+chunk%977))
				return errBroken
			}); !errors.Is(err, errBroken) {
				t.Fatal(err)
			}
			if err := b.AddLog("logs/more.log", func(w io.Writer) error {
				for part := range slices.Chunk(log, chunk) {
					if _, err := w.Write(part); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			got := readAll(t, seal(t, b, exampleIndex()).Body())
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: written in chunks of %d the bundle has other bytes (%d and %d)", c, chunk, len(got), len(want))
			}
		}
	}
}

func TestContentIsKeptByteForByte(t *testing.T) {
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	hostile := slices.Concat(all, []byte{0xC3, 0x28}, make([]byte, 4096), []byte("a\r\nb"))
	for _, c := range compressions {
		for _, content := range [][]byte{
			nil, {0}, []byte("\n"), hostile, bytes.Repeat([]byte{'x'}, 511), make([]byte, 512), make([]byte, 513),
			bytes.Repeat(hostile, 50), noise(1, 3<<19),
		} {
			b := NewBundle(t.TempDir(), c)
			b.Add("pod.json", content)
			if err := b.AddLog("logs/main.log", fill(content)); err != nil {
				t.Fatal(err)
			}
			got := unpack(t, c, seal(t, b, Index{}))
			if len(got) != 3 || !bytes.Equal(got[0].content, content) || !bytes.Equal(got[1].content, content) {
				t.Errorf("%s: %d bytes do not come back", c, len(content))
			}
			b.Remove()
		}
	}
}

func TestFailedLogLeavesNoTrace(t *testing.T) {
	for _, c := range compressions {
		for _, size := range []int{0, 100, 3 << 19} {
			dir := t.TempDir()
			want := readAll(t, seal(t, exampleBundle(t, dir, c), exampleIndex()).Body())

			b := NewBundle(dir, c)
			fail := func() {
				before := b.logs.size
				err := b.AddLog("logs/main.log", func(w io.Writer) error {
					w.Write(noise(9, size))
					return errBroken
				})
				if !errors.Is(err, errBroken) {
					t.Fatalf("error %v", err)
				}
				if b.logs.size != before {
					t.Errorf("%s: the spool holds %d bytes of a failed log", c, b.logs.size-before)
				}
			}
			fail()
			for _, e := range exampleBundle(t, dir, c).entriesForTest(t) {
				if e.isLog {
					if err := b.AddLog(e.path, fill(e.content)); err != nil {
						t.Fatal(err)
					}
					fail()
					continue
				}
				b.Add(e.path, e.content)
			}
			if got := readAll(t, seal(t, b, exampleIndex()).Body()); !bytes.Equal(got, want) {
				t.Errorf("%s: after failed logs of %d bytes the bundle is another", c, size)
			}
			b.Remove()
		}
	}
}

type inputEntry struct {
	path    string
	content []byte
	isLog   bool
}

// entriesForTest is what the bundle was given, logs first.
func (b *Bundle) entriesForTest(t *testing.T) []inputEntry {
	var all []inputEntry
	for _, e := range unpack(t, b.compression, seal(t, b, Index{})) {
		if e.Name != IndexName {
			all = append(all, inputEntry{e.Name, e.content, strings.HasPrefix(e.Name, "logs/")})
		}
	}
	slices.SortStableFunc(all, func(a, b inputEntry) int { return cmp.Compare(rank(a.isLog), rank(b.isLog)) })
	return all
}

func rank(isLog bool) int {
	if isLog {
		return 0
	}
	return 1
}

func TestManyLogs(t *testing.T) {
	dir := t.TempDir()
	b := NewBundle(dir, Zstd)
	defer b.Remove()
	b.Add("pod.json", []byte("{}"))
	content := func(n int) []byte { return noise(byte(n), n*n%10_000) }
	for n := range 200 {
		if err := b.AddLog(fmt.Sprintf("logs/c%03d.log", n), fill(content(n))); err != nil {
			t.Fatal(err)
		}
	}
	got := unpack(t, Zstd, seal(t, b, Index{}))
	if len(got) != 202 {
		t.Fatalf("%d entries, want 202", len(got))
	}
	for n := range 200 {
		if e := got[n+1]; e.Name != fmt.Sprintf("logs/c%03d.log", n) || !bytes.Equal(e.content, content(n)) {
			t.Errorf("entry %d is %s with %d bytes", n+1, e.Name, len(e.content))
		}
	}
	if !isEmptyDir(t, dir) {
		t.Error("a name stands in the spool directory")
	}
}

func TestLongNamesComeBack(t *testing.T) {
	name := "owners/ReplicaSet." + strings.Repeat("n", 230) + ".json"
	b := NewBundle(t.TempDir(), Zstd)
	defer b.Remove()
	b.Add(name, []byte("{}"))
	if got := unpack(t, Zstd, seal(t, b, Index{})); got[0].Name != name {
		t.Errorf("name %q", got[0].Name)
	}
}

func TestRemoveWithoutSeal(t *testing.T) {
	dir := t.TempDir()
	b := NewBundle(dir, Gzip)
	if err := b.AddLog("logs/main.log", fill(noise(1, 3<<20))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Remove(); err != nil {
			t.Error(err)
		}
	}
	if !isEmptyDir(t, dir) {
		t.Error("something is left in the spool directory")
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod"}`), []byte("2024-02-29T10:00:00Z a\r\nb"), uint16(3), true)
	f.Add([]byte{}, []byte{}, uint16(0), false)
	f.Add(make([]byte, 512), noise(1, 1025), uint16(512), true)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, document, log []byte, chunk uint16, gzip bool) {
		c := Zstd
		if gzip {
			c = Gzip
		}
		b := NewBundle(dir, c)
		defer b.Remove()
		b.Add("pod.json", document)
		if err := b.AddLog("logs/main.log", func(w io.Writer) error {
			for part := range slices.Chunk(log, int(chunk)+1) {
				if _, err := w.Write(part); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		got := unpack(t, c, seal(t, b, Index{}))
		if len(got) != 3 || !bytes.Equal(got[0].content, document) || !bytes.Equal(got[1].content, log) {
			t.Error("the contents do not come back")
		}
	})
}
