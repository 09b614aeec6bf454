package archive

import (
	"path/filepath"
	"strings"
	"testing"
)

// exampleConfig is a configuration that is right.
func exampleConfig(t testing.TB, changes ...func(*Config)) Config {
	t.Helper()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ROLE_ARN",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
	} {
		t.Setenv(name, "")
	}
	c := Config{
		Bucket: "pods", Cluster: "prod-1", Retention: Classes{{7}}, Tagging: true, Compression: Zstd,
		Verify: VerifyETag, PathStyle: "auto", SpoolDir: t.TempDir(),
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		names  string // the variable that the error must name; empty: no error
	}{
		{"right", func(*Config) {}, ""},
		{"no bucket", func(c *Config) { c.Bucket = "" }, "ARCHIVE_BUCKET"},
		{"no cluster", func(c *Config) { c.Cluster = "" }, "ARCHIVE_CLUSTER"},
		{"a slash in the cluster", func(c *Config) { c.Cluster = "a/b" }, "ARCHIVE_CLUSTER"},
		{"the cluster is a dot", func(c *Config) { c.Cluster = "." }, "ARCHIVE_CLUSTER"},
		{"the cluster is two dots", func(c *Config) { c.Cluster = ".." }, "ARCHIVE_CLUSTER"},
		{"dots in the cluster's name", func(c *Config) { c.Cluster = "prod.eu-1..x" }, ""},
		{"a prefix that needs normalising", func(c *Config) { c.Prefix = "//a/../b/" }, ""},
		{"a prefix of 900 bytes", func(c *Config) { c.Prefix = strings.Repeat("abc/", 225) }, "ARCHIVE_PREFIX"},
		{"a long prefix of nothing", func(c *Config) { c.Prefix = strings.Repeat("/", 2000) }, ""},
		{"a prefix segment of 256 bytes", func(c *Config) { c.Prefix = strings.Repeat("a", 256) }, "ARCHIVE_PREFIX"},
		{"a lock", func(c *Config) { c.ObjectLock = LockGovernance }, ""},
		{"a lock for ever", func(c *Config) { c.ObjectLock, c.Retention = LockCompliance, Classes{{7}, {}} }, "ARCHIVE_OBJECT_LOCK"},
		{"a KMS key", func(c *Config) { c.SSE, c.KMSKeyID = SSEKMS, "1234abcd" }, ""},
		{"a KMS key without KMS", func(c *Config) { c.SSE, c.KMSKeyID = SSES3, "1234abcd" }, "ARCHIVE_KMS_KEY_ID"},
		{"a storage class", func(c *Config) { c.StorageClass = "STANDARD_IA" }, ""},
		{"a storage class that cannot be read", func(c *Config) { c.StorageClass = "DEEP_ARCHIVE" }, "ARCHIVE_STORAGE_CLASS"},
		{"no spool directory given", func(c *Config) { c.SpoolDir = "" }, ""},
		{"a spool directory that is not there", func(c *Config) { c.SpoolDir = filepath.Join(c.SpoolDir, "missing") }, "ARCHIVE_SPOOL_DIR"},
		{"a spool directory that is a file", func(c *Config) { c.SpoolDir = "/dev/null" }, "ARCHIVE_SPOOL_DIR"},
	} {
		err := exampleConfig(t, tt.change).Validate()
		switch {
		case tt.names == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.names != "" && (err == nil || !strings.Contains(err.Error(), tt.names)):
			t.Errorf("%s: error %v does not name %s", tt.name, err, tt.names)
		}
	}
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	c := exampleConfig(t, func(c *Config) {
		*c = Config{Prefix: strings.Repeat("abc/", 400), SpoolDir: filepath.Join(c.SpoolDir, "missing")}
	})
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ARCHIVE_BUCKET", "ARCHIVE_CLUSTER", "ARCHIVE_PREFIX", "ARCHIVE_SPOOL_DIR", "AWS_SECRET_ACCESS_KEY"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %q does not name %s", err, name)
		}
	}
}

func TestHalfAKeyPair(t *testing.T) {
	const value = "hunter2-secret"
	for _, tt := range []struct{ name, id, secret, missing string }{
		{"neither: another source of credentials", "", "", ""},
		{"both", value, value, ""},
		{"only the id", value, "", "AWS_SECRET_ACCESS_KEY"},
		{"only the secret", "", value, "AWS_ACCESS_KEY_ID"},
	} {
		c := exampleConfig(t)
		t.Setenv("AWS_ACCESS_KEY_ID", tt.id)
		t.Setenv("AWS_SECRET_ACCESS_KEY", tt.secret)
		err := c.Validate()
		switch {
		case tt.missing == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.missing == "":
		case err == nil || !strings.HasPrefix(err.Error(), tt.missing):
			t.Errorf("%s: error %v does not name %s", tt.name, err, tt.missing)
		case strings.Contains(err.Error(), value):
			t.Errorf("%s: the error shows a value", tt.name)
		}
	}
}

func TestSettingsAreOneOfTheirValues(t *testing.T) {
	for _, tt := range []struct {
		name      string
		unmarshal func(string) (string, error)
		good      []string
		bad       []string
	}{
		{"tagging", func(text string) (string, error) {
			var v Tagging
			err := v.UnmarshalText([]byte(text))
			return map[Tagging]string{true: "on", false: "off"}[v], err
		}, []string{"on", "off"}, []string{"", "true", "ON", "none", "tags"}},
		{"verify", func(text string) (string, error) {
			var v VerifyMode
			err := v.UnmarshalText([]byte(text))
			return string(v), err
		}, []string{"etag", "read"}, []string{"", "ETag", "none", "off"}},
		{"object lock", func(text string) (string, error) {
			var v ObjectLock
			err := v.UnmarshalText([]byte(text))
			return map[ObjectLock]string{LockOff: "off", LockGovernance: "governance", LockCompliance: "compliance"}[v], err
		}, []string{"off", "governance", "compliance"}, []string{"", "on", "GOVERNANCE", "legal-hold"}},
		{"encryption", func(text string) (string, error) {
			var v SSE
			err := v.UnmarshalText([]byte(text))
			return string(v), err
		}, []string{"AES256", "aws:kms"}, []string{"", "aes256", "kms", "aws:kms:dsse"}},
		{"path style", func(text string) (string, error) {
			var v PathStyle
			err := v.UnmarshalText([]byte(text))
			return string(v), err
		}, []string{"auto", "true", "false"}, []string{"", "yes", "TRUE", "1"}},
	} {
		for _, text := range tt.good {
			if got, err := tt.unmarshal(text); err != nil || got != text {
				t.Errorf("%s %q: %q, %v", tt.name, text, got, err)
			}
		}
		for _, text := range tt.bad {
			if _, err := tt.unmarshal(text); err == nil {
				t.Errorf("%s: %q is taken", tt.name, text)
			}
		}
	}
}
