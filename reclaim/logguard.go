package reclaim

import (
	"bytes"
	"io"
	"strings"
)

// noteMax is how much of an error text is kept, in bytes.
const noteMax = 1 << 10

// guard lets a body through only if it begins with a timestamp. The kubelet
// commits the status 200 before it opens the log, and then reports errors as
// the body (pkg/kubelet/kubelet_pods.go, GetKubeletContainerLogs); with
// timestamps=true every line of a real log begins with one.
type guard struct {
	w       io.Writer
	head    []byte
	passing bool
	text    []byte
	err     error // of w
}

func (g *guard) Write(p []byte) (int, error) {
	if g.passing {
		return len(p), g.pass(p)
	}
	if g.text != nil {
		g.text = grow(g.text, p, noteMax)
		return len(p), nil
	}
	head := p
	if len(g.head) > 0 {
		head = append(g.head, p...)
	}
	if len(head) < stampMax && bytes.IndexByte(head, ' ') < 0 {
		g.head = bytes.Clone(head)
		return len(p), nil
	}
	return len(p), g.decide(head)
}

// decide looks at the head, which holds all that a timestamp can need.
func (g *guard) decide(head []byte) error {
	g.head = nil
	if stampLen(head) == 0 {
		g.text = grow(nil, head, noteMax)
		return nil
	}
	g.passing = true
	return g.pass(head)
}

// finish is called at the end of the body. It returns the text that came
// instead of a log, empty if it was one or nothing came.
func (g *guard) finish() (string, error) {
	if len(g.head) > 0 {
		if err := g.decide(g.head); err != nil {
			return "", err
		}
	}
	return strings.ToValidUTF8(string(g.text), "\uFFFD"), nil
}

func (g *guard) pass(p []byte) error {
	_, err := g.w.Write(p)
	if err != nil {
		g.err = err
	}
	return err
}
