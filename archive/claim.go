package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// clusterFile says whose the cluster's name is in this bucket.
type clusterFile struct {
	// ClusterUID is the UID of the cluster's kube-system namespace.
	ClusterUID string `json:"clusterUID"`
}

// Claim makes sure that <prefix>/<cluster>/ belongs to the cluster with this
// UID: two clusters of one name would mix their bundles. The first one writes
// cluster.json, which is never changed, has no tags, no lock and does not
// expire. With readOnly nothing is written.
func (b *Bucket) Claim(ctx context.Context, uid string, readOnly bool) error {
	name := b.layout.clusterFile()
	theirs, err := b.clusterUID(ctx, name)
	if status(err) == 404 && !readOnly {
		if err := b.writeClusterFile(ctx, name, uid); err != nil {
			return err
		}
		theirs, err = b.clusterUID(ctx, name)
	}
	switch {
	case status(err) == 404 && readOnly:
		return nil
	case err != nil:
		return b.explain("read", "s3:GetObject", name, err)
	case theirs != uid:
		return fmt.Errorf("ARCHIVE_CLUSTER=%s is the name of another cluster in this bucket (%s says its kube-system namespace has UID %s, ours has %s): choose another name",
			b.cfg.Cluster, name, theirs, uid)
	}
	return nil
}

func (b *Bucket) clusterUID(ctx context.Context, name string) (string, error) {
	out, err := b.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.cfg.Bucket, Key: &name})
	if err != nil {
		return "", err
	}
	defer out.Body.Close()
	var file clusterFile
	if err := json.NewDecoder(io.LimitReader(out.Body, 1<<16)).Decode(&file); err != nil {
		return "", fmt.Errorf("decode %s: %w", name, err)
	}
	return file.ClusterUID, nil
}

// writeClusterFile leaves a file that is there already as it is.
func (b *Bucket) writeClusterFile(ctx context.Context, name, uid string) error {
	text, err := json.Marshal(clusterFile{ClusterUID: uid})
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	u := document(name, "application/json", Class{}, text)
	u.permanent = true
	if _, err := b.put(ctx, u); err != nil && !errors.Is(err, ErrExists) {
		return err
	}
	return nil
}
