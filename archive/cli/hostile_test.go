package cli

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pod-reclaimer/pod-reclaimer/archive"
	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// crafted is a bundle as somebody could make it who may write to the bucket: its
// metadata is true of its bytes.
type crafted struct {
	pod   string
	files []archive.File
	logs  []archive.Log
	tar   *tar.Writer
	out   bytes.Buffer
	zstd  *zstd.Encoder
}

func craft(pod string) *crafted {
	c := &crafted{pod: pod}
	c.zstd, _ = zstd.NewWriter(&c.out)
	c.tar = tar.NewWriter(c.zstd)
	return c
}

// add adds an entry that the index will name.
func (c *crafted) add(name string, size int64, content io.Reader) *crafted {
	sum := sha256.New()
	c.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644})
	io.Copy(c.tar, io.TeeReader(content, sum))
	c.files = append(c.files, archive.File{Path: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return c
}

func (c *crafted) addText(name, text string) *crafted {
	return c.add(name, int64(len(text)), strings.NewReader(text))
}

func (c *crafted) log(name, outcome string) *crafted {
	c.logs = append(c.logs, archive.Log{Container: name, Outcome: archive.Outcome(outcome), Path: "logs/" + name + ".log"})
	return c
}

// put stores the bundle, with its bytes changed by spoil if that is set.
func (c *crafted) put(s *shelf, spoil func([]byte) []byte) {
	index, _ := json.Marshal(archive.Index{Namespace: "shop", Pod: c.pod, UID: uid, ResourceVersion: "1", Files: c.files, Logs: c.logs})
	c.tar.WriteHeader(&tar.Header{Name: archive.IndexName, Size: int64(len(index)), Mode: 0o644})
	c.tar.Write(index)
	c.tar.Close()
	c.zstd.Close()
	body := c.out.Bytes()
	if spoil != nil {
		body = spoil(body)
	}
	sum := sha256.Sum256(body)
	s.store.Set("prod-1/pods/7d/shop/"+c.pod+"/"+uid+"_1.tar.zst", &archivetest.Stored{Body: body, Stored: today, Metadata: map[string]string{
		"uid": uid, "resource-version": "1", "size": fmt.Sprint(len(body)), "sha256": hex.EncodeToString(sum[:]),
	}})
}

// Whatever lies in the archive, the answer is an error that names the bundle, or
// output that is safe.
func TestHostileSession(t *testing.T) {
	s := newShelf(t)
	pod := manifestOf("x", "main")
	craft("traversal").addText("pod.json", pod).addText("../../etc/cron.d/x", "* * * * *").put(s, nil)
	craft("absolute").addText("pod.json", pod).addText("/etc/passwd", "root").put(s, nil)
	craft("cut").addText("pod.json", pod).addText("logs/main.log", served("a")).log("main", "complete").put(s, func(b []byte) []byte { return b[:len(b)-9] })
	craft("trailing").addText("pod.json", pod).put(s, func(b []byte) []byte { return append(b, 1, 2, 3) })
	craft("no-manifest").addText("events.json", "{}").put(s, nil)
	craft("no-json").addText("pod.json", "\x1b[2J").put(s, nil)
	craft("no-object").addText("pod.json", "[]").put(s, nil)
	craft("no-metadata").addText("pod.json", `{"spec":{}}`).put(s, nil)
	craft("escapes").addText("pod.json", manifestOf("x", "main\x1b[2J", "other")).log("main\x1b[2J", "odd\x1b[2J").addText("logs/main\x1b[2J.log", "x").put(s, nil)
	craft("escaped-names").addText("pod.json", manifestOf("x", "a\x1b[2J", "main")).addText("logs/main.log", served("fine")).log("main", "odd\x1b[2J").put(s, nil)
	craft("manifest-bomb").add("pod.json", 17<<20, io.LimitReader(zeros{}, 17<<20)).put(s, nil)
	craft("wrong-path").addText("pod.json", pod).addText("logs/other.log", served("another's")).put(s, nil)
	link := craft("link")
	link.addText("pod.json", pod).tar.WriteHeader(&tar.Header{Name: "logs/main.log", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})
	link.put(s, nil)
	declared := craft("declared")
	declared.addText("pod.json", pod).tar.WriteHeader(&tar.Header{Name: "logs/main.log", Size: 1 << 50, Mode: 0o644})
	declared.log("main", "complete").put(s, nil)
	s.set("pods/7d/shop/foreign/"+uid+"_1.tar.zst", 1, 1000)
	s.session("hostile")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
