package chaostest

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// served is what the log endpoint gives, with timestamps, for a file in the
// format of the container runtime interface: time, stream, F or P, text. P is a
// part of a line.
func served(file []byte) ([]byte, error) {
	var text bytes.Buffer
	within := false
	for len(file) > 0 {
		line, rest, ended := bytes.Cut(file, []byte("\n"))
		if !ended {
			return nil, errors.New("the file ends within a line")
		}
		file = rest
		fields := bytes.SplitN(line, []byte(" "), 4)
		if len(fields) != 4 {
			return nil, errors.New("a line has no four fields")
		}
		if !within {
			at, err := time.Parse(time.RFC3339Nano, string(fields[0]))
			if err != nil {
				return nil, fmt.Errorf("read the time of a line: %w", err)
			}
			text.WriteString(at.Format("2006-01-02T15:04:05.000000000Z07:00 "))
		}
		text.Write(fields[3])
		within = string(fields[2]) == "P"
		if !within {
			text.WriteByte('\n')
		}
	}
	return text.Bytes(), nil
}
