package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
)

// validateCredentials refuses what would let the SDK pass over a source that is
// configured, and go on to another identity: half a key pair, a role without a
// token, files that are not there.
func validateCredentials() []error {
	var problems []error
	for _, pair := range [][2]string{
		{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
		{"AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"},
		{"AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"},
		{"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"},
		{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"},
	} {
		if os.Getenv(pair[0]) != "" && os.Getenv(pair[1]) == "" {
			problems = append(problems, fmt.Errorf("%s: required where %s is set", pair[1], pair[0]))
		}
	}
	for _, name := range []string{"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		path := os.Getenv(name)
		if path == "" {
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			continue
		}
		file.Close()
	}
	return problems
}

// refuseNodeIdentity refuses the role of the machine, the last source that the
// SDK thinks of, where another one is configured: its files name no keys.
func refuseNodeIdentity(provider aws.CredentialsProvider) error {
	if !aws.IsCredentialsProvider(provider, (*ec2rolecreds.Provider)(nil)) {
		return nil
	}
	var set []string
	for _, name := range []string{"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_PROFILE"} {
		if os.Getenv(name) != "" {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return nil
	}
	return errors.New(strings.Join(set, ", ") + ": no credentials there for this profile; those of the machine are not used instead")
}

// CredentialSource says where the credentials come from, never what they are.
func (b *Bucket) CredentialSource(ctx context.Context) (string, error) {
	credentials, err := b.credentials.Retrieve(ctx)
	if err != nil {
		return "", fmt.Errorf("get credentials for the store (AWS_*): %w", err)
	}
	return credentials.Source, nil
}
