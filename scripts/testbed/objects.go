package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/spf13/cobra"
)

// objectsCommand looks into the plain bucket over http, as any S3 client would.
func objectsCommand(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "objects [KEY]",
		Short: "List the keys in the plain bucket, or print one object",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := newTestbed(*name)
			if err := t.load(); err != nil {
				return err
			}
			client, err := t.s3(t.url("http", "store"))
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return printObject(cmd.Context(), client, args[0], os.Stdout)
			}
			return printKeys(cmd.Context(), client, os.Stdout)
		},
	}
}

func printKeys(ctx context.Context, client *s3.Client, w io.Writer) error {
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: aws.String(plainBucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list objects: %w", err)
		}
		for _, o := range page.Contents {
			fmt.Fprintln(w, aws.ToString(o.Key))
		}
	}
	return nil
}

func printObject(ctx context.Context, client *s3.Client, key string, w io.Writer) error {
	o, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(plainBucket), Key: &key})
	if err != nil {
		return fmt.Errorf("get object %s: %w", key, err)
	}
	defer o.Body.Close()
	if _, err := io.Copy(w, o.Body); err != nil {
		return fmt.Errorf("read object %s: %w", key, err)
	}
	return nil
}
