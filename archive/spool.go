package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much a spool keeps in memory, in bytes, before it moves
// to a file: a pod in flight has two spools.
const spoolMemory = 256 << 10

// spool collects bytes of unknown length, in memory first, then in a file in
// dir. The file has no name: it is unlinked as soon as it is open, so that
// even a killed process leaves nothing behind.
type spool struct {
	dir  string
	buf  bytes.Buffer
	file *os.File
	size int64
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.buf.Len()+len(p) > spoolMemory {
		if err := s.moveToFile(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.size += int64(len(p))
		return s.buf.Write(p)
	}
	n, err := s.file.WriteAt(p, s.size)
	s.size += int64(n)
	if err != nil {
		return n, s.explain(err)
	}
	return n, nil
}

// moveToFile changes nothing unless all that is in memory is in the file.
func (s *spool) moveToFile() error {
	file, err := os.CreateTemp(s.dir, "pod-reclaimer-*")
	if err != nil {
		return s.explain(err)
	}
	err = os.Remove(file.Name())
	if err == nil {
		_, err = file.WriteAt(s.buf.Bytes(), 0)
	}
	if err != nil {
		file.Close()
		return s.explain(err)
	}
	s.file, s.buf = file, bytes.Buffer{}
	return nil
}

func (s *spool) explain(err error) error {
	dir := s.dir
	if dir == "" {
		dir = os.TempDir()
	}
	return fmt.Errorf("write spool in %s (ARCHIVE_SPOOL_DIR): %w", dir, err)
}

// truncate forgets everything after size.
func (s *spool) truncate(size int64) error {
	s.size = size
	if s.file == nil {
		s.buf.Truncate(int(size))
		return nil
	}
	return s.file.Truncate(size)
}

// reader reads n bytes from off; it may be used several times.
func (s *spool) reader(off, n int64) io.ReadSeeker {
	if s.file == nil {
		return bytes.NewReader(s.buf.Bytes()[off : off+n]) // io.Copy needs no buffer for it
	}
	return io.NewSectionReader(s.file, off, n)
}

// close frees the memory or the file. It may be called twice.
func (s *spool) close() error {
	s.buf = bytes.Buffer{}
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}
