package archive

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Selection is which pods List lists. What is empty selects all; a Pod needs a
// Namespace.
type Selection struct {
	Namespace string
	Pod       string
}

// prefix is what the keys of the selection begin with, below their class.
func (s Selection) prefix() string {
	switch {
	case s.Namespace == "":
		return ""
	case s.Pod == "":
		return s.Namespace + "/"
	}
	return s.Namespace + "/" + s.Pod + "/"
}

// Pod is an archived pod, one UID, with all its bundles: of every class,
// resourceVersion and number.
type Pod struct {
	Namespace string
	Name      string
	UID       string
	// Bundles are in the order of Newer. They have no metadata; see Head.
	Bundles []Object
}

// List calls visit for each pod of the selection, by namespace and name as the
// store sorts them. It takes one list request for each class and a thousand
// bundles, however many others there are, and holds one page for each class.
// What is no bundle is passed over.
func (b *Bucket) List(ctx context.Context, s Selection, visit func(Pod) error) error {
	classes, err := b.Classes(ctx)
	if err != nil {
		return err
	}
	var cursors []*cursor
	for _, class := range classes {
		cursors = append(cursors, b.cursor(class, s.prefix()))
	}
	var pod Pod
	for {
		o, ok, err := least(ctx, cursors)
		if err != nil {
			return err
		}
		same := ok && o.Key.UID == pod.UID && o.Key.Pod == pod.Name && o.Key.Namespace == pod.Namespace
		if !same && len(pod.Bundles) > 0 {
			pod.sort()
			if err := visit(pod); err != nil {
				return err
			}
		}
		if !ok {
			return nil
		}
		if !same {
			pod = Pod{Namespace: o.Key.Namespace, Name: o.Key.Pod, UID: o.Key.UID}
		}
		pod.Bundles = append(pod.Bundles, o)
	}
}

// cursor goes through the bundles of one class, in the order of their keys.
type cursor struct {
	bucket *Bucket
	root   string // what stands before namespace, pod and name
	pages  *s3.ListObjectsV2Paginator
	left   []Object
}

func (b *Bucket) cursor(class Class, prefix string) *cursor {
	root := b.layout.class(class)
	return &cursor{bucket: b, root: root, pages: s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{
		Bucket: &b.cfg.Bucket, Prefix: aws.String(root + prefix),
	})}
}

// fill asks for the next page when all of the last one was taken.
func (c *cursor) fill(ctx context.Context) error {
	for len(c.left) == 0 && c.pages.HasMorePages() {
		page, err := c.pages.NextPage(ctx)
		if err != nil {
			return c.bucket.explain("list", "s3:ListBucket", c.root, err)
		}
		for _, o := range page.Contents {
			name := aws.ToString(o.Key)
			if key, err := c.bucket.layout.parseAny(name); err == nil {
				c.left = append(c.left, Object{Key: key, Size: aws.ToInt64(o.Size), Stored: aws.ToTime(o.LastModified), name: name, class: key.Class})
			}
		}
	}
	return nil
}

// least takes the next bundle of all classes, so that those of one pod follow
// each other; false at the end.
func least(ctx context.Context, cursors []*cursor) (Object, bool, error) {
	var best *cursor
	for _, c := range cursors {
		if err := c.fill(ctx); err != nil {
			return Object{}, false, err
		}
		if len(c.left) > 0 && (best == nil || c.rest() < best.rest()) {
			best = c
		}
	}
	if best == nil {
		return Object{}, false, nil
	}
	o := best.left[0]
	best.left = best.left[1:]
	return o, true, nil
}

func (c *cursor) rest() string { return strings.TrimPrefix(c.left[0].name, c.root) }
