package archive

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of S3 and of file-backed stores, in bytes.
const (
	maxKey     = 1024
	maxSegment = 255
)

// Key names one bundle. What it says is what the bundle proves: exactly this
// UID at exactly this resourceVersion.
type Key struct {
	Class           Class
	Namespace       string
	Pod             string
	UID             string
	ResourceVersion string
	// Provisional marks a bundle put without the logs that are still missing.
	Provisional bool
	// Number counts the bundles of one resourceVersion, from 1. A bundle is
	// never overwritten; the next try, or a copy with a later date, takes the
	// next number.
	Number int
}

// Next is the key to take when this one is occupied by a bundle that fails
// verification.
func (k Key) Next() Key { return k.numbered(k.Number + 1) }

func (k Key) numbered(n int) Key {
	k.Number = n
	return k
}

// layout is what all keys of one archive share.
type layout struct {
	prefix    string
	cluster   string
	extension string
}

func (c Config) layout() layout {
	return layout{prefix: normalizePrefix(c.Prefix), cluster: c.Cluster, extension: c.Compression.extension()}
}

// normalizePrefix drops empty, "." and ".." segments and slashes at the ends.
func normalizePrefix(prefix string) string {
	var kept []string
	for segment := range strings.SplitSeq(prefix, "/") {
		if segment != "" && segment != "." && segment != ".." {
			kept = append(kept, segment)
		}
	}
	return strings.Join(kept, "/")
}

// root is where everything of this cluster lies, without a slash at the end.
func (l layout) root() string {
	if l.prefix == "" {
		return l.cluster
	}
	return l.prefix + "/" + l.cluster
}

// object is the key in the bucket:
// <prefix>/<cluster>/pods/<class>/<namespace>/<pod>/<uid>_<resourceVersion>[_nologs][_<n>].tar.zst
func (l layout) object(k Key) string {
	name := k.UID + "_" + k.ResourceVersion
	if k.Provisional {
		name += "_nologs"
	}
	if k.Number > 1 {
		name += "_" + strconv.Itoa(k.Number)
	}
	return l.pod(k) + name + l.extension
}

// pod is where the pod's bundles of one class lie, with a slash at the end.
func (l layout) pod(k Key) string {
	return l.class(k.Class) + k.Namespace + "/" + k.Pod + "/"
}

// class is where the bundles of one class lie, with a slash at the end.
func (l layout) class(c Class) string { return l.root() + "/pods/" + c.String() + "/" }

// parseAny parses the key of a bundle of any compression: the configured one
// may have been another before.
func (l layout) parseAny(object string) (Key, error) {
	c, ok := compressionOf(object)
	if ok {
		l.extension = c.extension()
	}
	return l.parse(object)
}

// parse is the inverse of object. It refuses what object would not have
// written, so a foreign file under our prefix is not taken for a bundle.
func (l layout) parse(object string) (Key, error) {
	bad := func(why string) (Key, error) { return Key{}, fmt.Errorf("key %q: %s", object, why) }
	rest, ok := strings.CutPrefix(object, l.root()+"/pods/")
	if !ok {
		return bad("not a bundle of this cluster")
	}
	segments := strings.Split(rest, "/")
	if len(segments) != 4 {
		return bad("want class/namespace/pod/name")
	}
	class, err := ParseClass(segments[0])
	if err != nil {
		return bad(err.Error())
	}
	name, ok := strings.CutSuffix(segments[3], l.extension)
	if !ok {
		return bad("want the ending " + l.extension)
	}
	parts := strings.Split(name, "_")
	if len(parts) < 2 {
		return bad("want uid_resourceVersion")
	}
	k := Key{Class: class, Namespace: segments[1], Pod: segments[2], UID: parts[0], ResourceVersion: parts[1], Number: 1}
	parts = parts[2:]
	if len(parts) > 0 && parts[0] == "nologs" {
		k.Provisional = true
		parts = parts[1:]
	}
	if len(parts) > 0 {
		if k.Number, err = strconv.Atoi(parts[0]); err != nil {
			return bad("the number is none")
		}
	}
	if l.object(k) != object || k.Number < 1 || k.Namespace == "" || k.Pod == "" || k.UID == "" || k.ResourceVersion == "" {
		return bad("not in the form that is written")
	}
	return k, nil
}

// clusterFile is where cluster.json lies.
func (l layout) clusterFile() string { return l.root() + "/cluster.json" }

// longest is the longest key that a legal pod can need: a namespace of 63
// bytes, a name of 253, a UID of 36 and a 64-bit resourceVersion.
func (l layout) longest() string {
	repeat := func(n int) string { return strings.Repeat("x", n) }
	return l.object(Key{
		Namespace: repeat(63), Pod: repeat(253), UID: repeat(36), ResourceVersion: repeat(20), Provisional: true, Number: 999,
	})
}

func (l layout) validate() error {
	if n := len(l.longest()); n > maxKey {
		return fmt.Errorf("ARCHIVE_PREFIX, ARCHIVE_CLUSTER: %d bytes too long, the longest key would have %d bytes of at most %d", n-maxKey, n, maxKey)
	}
	for segment := range strings.SplitSeq(l.root(), "/") {
		if len(segment) > maxSegment {
			return fmt.Errorf("ARCHIVE_PREFIX, ARCHIVE_CLUSTER: a segment has %d bytes, at most %d are allowed", len(segment), maxSegment)
		}
	}
	return nil
}
