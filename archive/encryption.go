package archive

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// SSE is the encryption at rest that the store is asked for; the zero value
// leaves it to the bucket.
type SSE string

// The kinds of encryption: with the store's own keys, or with a KMS key.
const (
	SSES3  SSE = "AES256"
	SSEKMS SSE = "aws:kms"
)

// UnmarshalText reads "AES256" or "aws:kms".
func (e *SSE) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), string(SSES3), string(SSEKMS))
	*e = SSE(value)
	return err
}

// encryption is what the store says of an object's encryption.
type encryption struct {
	kind types.ServerSideEncryption
	key  string
}

// verifyEncryption compares the encryption with what is asked. The store
// answers with the key's ARN; an alias may have been asked for, which says
// nothing of the key behind it.
func (b *Bucket) verifyEncryption(got Object) error {
	if b.cfg.SSE == "" {
		return nil
	}
	is, want := got.encryption, b.cfg.KMSKeyID
	if is.kind != types.ServerSideEncryption(b.cfg.SSE) {
		return unprotected(got, "ARCHIVE_SSE: its encryption is %q, want %q", is.kind, b.cfg.SSE)
	}
	if want == "" || strings.Contains(want, "alias/") || is.key == want || strings.HasSuffix(is.key, "/"+want) {
		return nil
	}
	return unprotected(got, "ARCHIVE_KMS_KEY_ID: it is encrypted with the KMS key %q, want %q", is.key, want)
}
