package chaostest

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// bundle is one object of the bucket that its key says is a bundle.
type bundle struct {
	key, class, namespace, pod, uid, version string
	provisional                              bool
	size                                     int
	manifest                                 corev1.Pod
	opened                                   *archivetest.Opened
}

var bundleKey = regexp.MustCompile(`/pods/([^/]+)/([^/]+)/([^/]+)/([0-9a-f-]+)_([0-9]+)(_nologs)?(?:_[0-9]+)?\.tar\.(?:zst|gz)$`)

// readBundle reads a bundle; the error says why it is not one, whole, of what
// its key says, and kept as its key says.
func readBundle(o *object) (*bundle, error) {
	m := bundleKey.FindStringSubmatch(o.key)
	if m == nil {
		return nil, fmt.Errorf("its key does not say of what UID and resourceVersion it is")
	}
	b := &bundle{key: o.key, class: m[1], namespace: m[2], pod: m[3], uid: m[4], version: m[5], provisional: m[6] != "", size: len(o.body)}
	var err error
	if b.opened, err = archivetest.OpenBundle(o.key, o.body); err != nil {
		return b, fmt.Errorf("it is not whole: %w", err)
	}
	if err := json.Unmarshal(b.opened.Files["pod.json"], &b.manifest); err != nil {
		return b, fmt.Errorf("its manifest is none: %w", err)
	}
	index, meta := b.opened.Index, b.manifest.ObjectMeta
	says := []string{b.namespace, b.pod, b.uid, b.version}
	for where, has := range map[string][]string{
		"manifest": {meta.Namespace, meta.Name, string(meta.UID), meta.ResourceVersion},
		"index":    {index.Namespace, index.Pod, index.UID, index.ResourceVersion},
		"metadata": {b.namespace, b.pod, o.metadata["uid"], o.metadata["resource-version"]},
	} {
		if strings.Join(has, " ") != strings.Join(says, " ") {
			return b, fmt.Errorf("its key says %v, its %s %v", says, where, has)
		}
	}
	md5sum, sha := md5.Sum(o.body), sha256.Sum256(o.body)
	if o.metadata["md5"] != hex.EncodeToString(md5sum[:]) || o.metadata["sha256"] != hex.EncodeToString(sha[:]) || o.metadata["size"] != strconv.Itoa(len(o.body)) {
		return b, fmt.Errorf("its metadata does not fit its bytes: %v", o.metadata)
	}
	return b, b.kept(o)
}

// kept says what is wrong with how long it is kept.
func (b *bundle) kept(o *object) error {
	at, err := time.Parse(time.RFC3339, o.metadata["archived-at"])
	if err != nil {
		return fmt.Errorf("it does not say when it was archived: %w", err)
	}
	days, err := strconv.Atoi(strings.TrimSuffix(b.class, "d"))
	if err != nil {
		return fmt.Errorf("its class is none: %w", err)
	}
	year, month, day := at.UTC().Date()
	until := time.Date(year, month, day+days+1, 0, 0, 0, 0, time.UTC) // S3 rounds up to the next midnight
	if want := until.Format("2006-01-02"); o.tags["retain-until"] != want || o.tags["retention"] != b.class {
		return fmt.Errorf("archived at %v, it is kept until %s, want %s", at, o.tags["retain-until"], want)
	}
	if wanted := b.manifest.Annotations[retention]; wanted == "30d" && b.class != "30d" {
		return fmt.Errorf("its pod wants to be kept for 30d, its class is %s", b.class)
	}
	return nil
}

// sameAs tells whether its manifest is what etcd had at this resourceVersion.
func (b *bundle) sameAs(stored []byte) error {
	want, err := decodePod(stored)
	if err != nil {
		return err
	}
	has := b.manifest.DeepCopy()
	has.TypeMeta, want.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
	has.ResourceVersion, want.ResourceVersion = "", ""
	if !equality.Semantic.DeepEqual(has, want) {
		return fmt.Errorf("its manifest is not what etcd had:\n%+v\n%+v", has, want)
	}
	return nil
}
