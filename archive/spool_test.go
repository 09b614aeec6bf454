package archive

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// noise is n bytes that do not compress.
func noise(seed byte, n int) []byte {
	content := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(content) // never fails
	return content
}

func isEmptyDir(t *testing.T, dir string) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) == 0
}

func TestSpoolMovesToAFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		writes []int
		inFile bool
	}{
		{"nothing", nil, false},
		{"a little", []int{10, 20}, false},
		{"as much as memory takes at once", []int{spoolMemory}, false},
		{"as much as memory takes in parts", []int{spoolMemory - 1, 1}, false},
		{"a byte more at once", []int{spoolMemory + 1}, true},
		{"a byte more in parts", []int{spoolMemory, 1}, true},
		{"much more", []int{spoolMemory / 2, spoolMemory / 2, spoolMemory / 2, 3 << 20}, true},
	} {
		dir := t.TempDir()
		s := spool{dir: dir}
		var want []byte
		for i, n := range tt.writes {
			part := noise(byte(i), n)
			want = append(want, part...)
			if got, err := s.Write(part); err != nil || got != n {
				t.Fatalf("%s: Write = %d, %v", tt.name, got, err)
			}
		}
		if (s.file != nil) != tt.inFile {
			t.Errorf("%s: in a file: %v, want %v", tt.name, s.file != nil, tt.inFile)
		}
		if s.size != int64(len(want)) {
			t.Errorf("%s: size %d, want %d", tt.name, s.size, len(want))
		}
		for range 2 {
			if got := readAll(t, s.reader(0, s.size)); !bytes.Equal(got, want) {
				t.Errorf("%s: other bytes come back", tt.name)
			}
		}
		if !isEmptyDir(t, dir) {
			t.Errorf("%s: a name stands in the directory while the spool is open", tt.name)
		}
		for range 2 {
			if err := s.close(); err != nil {
				t.Errorf("%s: close: %v", tt.name, err)
			}
		}
	}
}

func TestSpoolTruncate(t *testing.T) {
	for _, tt := range []struct {
		name         string
		keep, forget int
	}{
		{"in memory", 100, 200},
		{"in a file", 2 << 20, 1 << 20},
		{"moved to a file meanwhile", 100, 2 << 20},
		{"all of it", 0, 2 << 20},
	} {
		s := spool{dir: t.TempDir()}
		defer s.close()
		keep, more := noise(1, tt.keep), noise(3, 50)
		s.Write(keep)
		s.Write(noise(2, tt.forget))
		if err := s.truncate(int64(len(keep))); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		s.Write(more)
		want := append(keep, more...)
		if got := readAll(t, s.reader(0, s.size)); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d", tt.name, len(got), len(want))
		}
	}
}

func TestSpoolReaderCanBeRewound(t *testing.T) {
	for _, size := range []int{1000, 2 << 20} {
		content := noise(1, size)
		s := spool{dir: t.TempDir()}
		defer s.close()
		s.Write(content)
		r := s.reader(10, int64(size)-20)
		readAll(t, r)
		if _, err := r.Seek(5, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !bytes.Equal(got, content[15:size-10]) {
			t.Errorf("%d bytes: the rewound reader gives other bytes", size)
		}
	}
}

// tmpfs mounts a small file system in a new directory.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// readOnly is a directory into which nothing can be written.
func readOnly(t *testing.T) string {
	if os.Geteuid() == 0 {
		dir := tmpfs(t, "size=1m")
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Skipf("remount: %v", err)
		}
		return dir
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSpoolErrorNamesDirectoryAndVariable(t *testing.T) {
	for _, tt := range []struct {
		name string
		dir  func(*testing.T) string
		want error
	}{
		{"not there", func(t *testing.T) string { return filepath.Join(t.TempDir(), "missing") }, os.ErrNotExist},
		{"a file", func(t *testing.T) string {
			name := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return name
		}, syscall.ENOTDIR},
		{"read-only", readOnly, nil},
		{"full", func(t *testing.T) string { return tmpfs(t, "size=64k") }, syscall.ENOSPC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tt.dir(t)
			b := NewBundle(dir, Zstd)
			b.Add("pod.json", []byte("{}"))
			err := b.AddLog("logs/main.log", fill(noise(1, 3<<20)))
			if err == nil {
				t.Fatal("the log was taken")
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want one of %v", err, tt.want)
			}
			for _, name := range []string{dir, "ARCHIVE_SPOOL_DIR"} {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("error %q does not name %s", err, name)
				}
			}
			if err := b.Remove(); err != nil {
				t.Error(err)
			}
			if info, err := os.Stat(dir); err == nil && info.IsDir() && !isEmptyDir(t, dir) {
				t.Error("something is left in the directory")
			}
		})
	}
}

func TestSealTellsThatTheSpoolIsFull(t *testing.T) {
	dir := tmpfs(t, "size=3m")
	b := NewBundle(dir, Zstd)
	defer b.Remove()
	if err := b.AddLog("logs/main.log", fill(noise(1, 2<<20))); err != nil {
		t.Fatal(err)
	}
	_, err := b.Seal(Index{}, finishedAt)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "ARCHIVE_SPOOL_DIR") {
		t.Errorf("error %v", err)
	}
}

// A log that does not fit must not cost those that were there before.
func TestFullSpoolKeepsWhatItHas(t *testing.T) {
	first, last := noise(1, 600<<10), []byte("2024-02-29T10:00:00Z last\n")
	b := NewBundle(t.TempDir(), Zstd)
	defer b.Remove()
	if err := b.AddLog("logs/first.log", fill(first)); err != nil {
		t.Fatal(err)
	}
	free := fileSizeLimit(t, 100<<10)
	if err := b.AddLog("logs/big.log", fill(noise(2, 600<<10))); err == nil {
		t.Fatal("a log was taken that does not fit")
	}
	free()
	if err := b.AddLog("logs/last.log", fill(last)); err != nil {
		t.Fatal(err)
	}
	got := unpack(t, Zstd, seal(t, b, Index{}))
	if len(got) != 3 || !bytes.Equal(got[0].content, first) || !bytes.Equal(got[1].content, last) {
		t.Error("the bundle does not have the logs that were taken")
	}
}

// fileSizeLimit makes files of this process full at limit bytes, until the
// returned function is called.
func fileSizeLimit(t *testing.T, limit uint64) (free func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	set := func(cur uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: cur, Max: before.Max}); err != nil {
			t.Fatal(err)
		}
	}
	signal.Ignore(syscall.SIGXFSZ)
	set(limit)
	free = func() {
		set(before.Cur)
		signal.Reset(syscall.SIGXFSZ)
	}
	t.Cleanup(free)
	return free
}
