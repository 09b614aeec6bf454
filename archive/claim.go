package archive

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// clusterFile says whose the cluster's name is in this bucket.
type clusterFile struct {
	// ClusterUID is the UID of the cluster's kube-system namespace.
	ClusterUID string `json:"clusterUID"`
}

// Claim makes sure that <prefix>/<cluster>/ belongs to the cluster with this
// UID: two clusters of one name would mix their bundles. The first one writes
// cluster.json, which is never changed, has no tags and does not expire. With
// readOnly nothing is written.
func (b *Bucket) Claim(ctx context.Context, uid string, readOnly bool) error {
	name := b.layout.root() + "/cluster.json"
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
	md5sum, sha := md5.Sum(text), sha256.Sum256(text)
	_, err = b.s3.PutObject(v4.SetPayloadHash(ctx, hex.EncodeToString(sha[:])), &s3.PutObjectInput{
		Bucket: &b.cfg.Bucket, Key: &name, Body: bytes.NewReader(text), ContentLength: aws.Int64(int64(len(text))),
		ContentMD5:  aws.String(base64.StdEncoding.EncodeToString(md5sum[:])),
		ContentType: aws.String("application/json"), IfNoneMatch: aws.String("*"),
	})
	if err != nil && !hasCode(err, "PreconditionFailed") {
		return b.explain("put", "s3:PutObject", name, err)
	}
	return nil
}
