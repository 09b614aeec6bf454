package archive

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Classes are those that the archive has bundles of, also if they are no longer
// configured.
func (b *Bucket) Classes(ctx context.Context) ([]Class, error) {
	var classes []Class
	err := b.folders(ctx, b.layout.root()+"/pods/", func(name string) bool {
		if class, err := ParseClass(name); err == nil && class.String() == name {
			classes = append(classes, class)
		}
		return true
	})
	return classes, err
}

// Namespaces are those of archived pods, Names the pods of one namespace whose
// names begin with prefix; each at most so many of every class, in no order.
func (b *Bucket) Namespaces(ctx context.Context, most int) ([]string, error) {
	return b.below(ctx, "", most)
}

// Names: see Namespaces.
func (b *Bucket) Names(ctx context.Context, namespace, prefix string, most int) ([]string, error) {
	return b.below(ctx, namespace+"/"+prefix, most)
}

// below collects the names of folders that continue prefix in any class.
func (b *Bucket) below(ctx context.Context, prefix string, most int) ([]string, error) {
	classes, err := b.Classes(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var names []string
	for _, class := range classes {
		n := 0
		err := b.folders(ctx, b.layout.class(class)+prefix, func(name string) bool {
			if !seen[name] {
				names = append(names, name)
			}
			seen[name] = true
			n++
			return n < most
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// folders calls visit with the name of each folder that continues prefix, until
// it returns false.
func (b *Bucket) folders(ctx context.Context, prefix string, visit func(name string) bool) error {
	pages := s3.NewListObjectsV2Paginator(b.s3, &s3.ListObjectsV2Input{Bucket: &b.cfg.Bucket, Prefix: &prefix, Delimiter: aws.String("/")})
	parent := prefix[:strings.LastIndex(prefix, "/")+1]
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return b.explain("list", "s3:ListBucket", prefix, err)
		}
		for _, p := range page.CommonPrefixes {
			name := strings.TrimSuffix(strings.TrimPrefix(aws.ToString(p.Prefix), parent), "/")
			if !visit(name) {
				return nil
			}
		}
	}
	return nil
}
