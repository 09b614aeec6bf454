package archive

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Config is how the archive is configured; the environment variables begin
// with ARCHIVE_. Credentials, region, endpoint, CA and proxy are the AWS SDK's
// own variables.
type Config struct {
	Bucket       string      `desc:"bucket of the archive (required)"`
	Cluster      string      `desc:"name of this cluster in every key (required)"`
	Prefix       string      `desc:"what stands before the cluster in every key"`
	Retention    Classes     `default:"7d" desc:"retention classes, the first is the default: days (7d), weeks (2w) or forever"`
	Tagging      Tagging     `default:"on" desc:"on, or off for stores without object tags"`
	Compression  Compression `default:"zstd" desc:"zstd or gzip"`
	Verify       VerifyMode  `default:"etag" desc:"etag: trust the store's MD5 ETag, else read back; read: always read back and hash"`
	ObjectLock   ObjectLock  `split_words:"true" default:"off" desc:"off, governance or compliance: lock every bundle until its retention date; the bucket must have Object Lock"`
	SSE          SSE         `desc:"AES256 or aws:kms: have bundles encrypted, and verify it; the bucket's own setting if not set"`
	KMSKeyID     string      `split_words:"true" desc:"KMS key for ARCHIVE_SSE=aws:kms; the store's default key if not set"`
	StorageClass string      `split_words:"true" desc:"storage class of the bundles, one that can be read at once; the store's default if not set"`
	PathStyle    PathStyle   `split_words:"true" default:"auto" desc:"true, false, or auto: true with a custom endpoint"`
	SpoolDir     string      `split_words:"true" desc:"where bundles over 256 KiB are spooled; the temp directory if not set"`
}

// Tagging tells whether the store has object tags.
type Tagging bool

// UnmarshalText reads "on" or "off".
func (t *Tagging) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), "off", "on")
	*t = value == "on"
	return err
}

// VerifyMode is how a stored bundle is compared with what was written.
type VerifyMode string

// The verify modes.
const (
	VerifyETag VerifyMode = "etag"
	VerifyRead VerifyMode = "read"
)

// UnmarshalText reads "etag" or "read".
func (m *VerifyMode) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), string(VerifyETag), string(VerifyRead))
	*m = VerifyMode(value)
	return err
}

// PathStyle tells whether the bucket stands in the path or in the host name.
type PathStyle string

// UnmarshalText reads "auto", "true" or "false".
func (p *PathStyle) UnmarshalText(text []byte) error {
	value, err := oneOf(string(text), "auto", "true", "false")
	*p = PathStyle(value)
	return err
}

func oneOf(value string, allowed ...string) (string, error) {
	for _, a := range allowed {
		if value == a {
			return a, nil
		}
	}
	return "", fmt.Errorf("want %s", strings.Join(allowed, " or "))
}

// Validate reports every problem at once, each naming its variable.
func (c Config) Validate() error {
	if dir := c.spoolDir(); !isDir(dir) {
		return errors.Join(c.ValidateReading(), fmt.Errorf("ARCHIVE_SPOOL_DIR: %s is not a directory", dir))
	}
	return c.ValidateReading()
}

// ValidateReading is Validate for who puts no bundles, and so needs no folder to
// spool them.
func (c Config) ValidateReading() error {
	var problems []error
	if c.Bucket == "" {
		problems = append(problems, errors.New("ARCHIVE_BUCKET: required, the bucket of the archive"))
	}
	if c.Cluster == "" {
		problems = append(problems, errors.New("ARCHIVE_CLUSTER: required, the name of this cluster in every key"))
	}
	if strings.Contains(c.Cluster, "/") || c.Cluster == "." || c.Cluster == ".." {
		problems = append(problems, errors.New("ARCHIVE_CLUSTER: must be one segment of every key: no slash, not \".\" or \"..\""))
	}
	if err := c.layout().validate(); err != nil {
		problems = append(problems, err)
	}
	problems = append(problems, c.validateProtection()...)
	return errors.Join(append(problems, validateCredentials()...)...)
}

func (c Config) spoolDir() string {
	if c.SpoolDir != "" {
		return c.SpoolDir
	}
	return os.TempDir()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
