package archive

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// testStore is a store to hold the contract against, and the variables of the
// AWS SDK by which it is reached.
type testStore struct {
	name   string
	env    map[string]string
	bucket string
	locks  bool   // the bucket has Object Lock
	less   bool   // it has no tags
	kmsKey string // it encrypts, with this key or with its own
	memory *archivetest.Store
}

// testStores are the stores in memory, from kind to least capable, and those of
// the testbed.
func testStores(t *testing.T) []testStore {
	t.Helper()
	var all []testStore
	for name, strict := range map[string]archivetest.Strict{
		"kind": {}, "deaf": {IgnoresConditions: true}, "strict": archivetest.Strictest(), "least": archivetest.Least(),
	} {
		store := archivetest.NewStore(t, &archivetest.Journal{})
		store.Refusing(strict)
		store.EnableObjectLock(name == "strict") // which hides locks from HEAD
		all = append(all, testStore{
			name: "in memory, " + name, bucket: store.Bucket, locks: true, less: strict.Tags, kmsKey: "1234", memory: store,
			env: map[string]string{
				"AWS_ENDPOINT_URL_S3": store.URL, "AWS_ACCESS_KEY_ID": "testbed", "AWS_SECRET_ACCESS_KEY": "testbed-secret-key",
			},
		})
	}
	if os.Getenv("TESTBED_NAME") == "" {
		if os.Getenv("TESTBED_REQUIRED") != "" {
			t.Fatal("there is no testbed, and TESTBED_REQUIRED is set")
		}
		t.Log("without a testbed only the stores in memory are tested")
		return all
	}
	return append(all,
		realStore("VersityGW, plain", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET", ""),
		realStore("VersityGW, versioned", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET_VERSIONED", ""),
		realStore("VersityGW, locked", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET_LOCKED", ""),
		realStore("VersityGW, plain, TLS", "TESTBED_S3_TLS", "TESTBED_BUCKET", ""),
		realStore("VersityGW, locked, TLS", "TESTBED_S3_TLS", "TESTBED_BUCKET_LOCKED", ""),
		realStore("SeaweedFS, plain", "TESTBED_STORE2_URL", "TESTBED_BUCKET", "TESTBED_STORE2_KMS_KEY"),
		realStore("SeaweedFS, versioned", "TESTBED_STORE2_URL", "TESTBED_BUCKET_VERSIONED", ""),
		realStore("SeaweedFS, locked, TLS", "TESTBED_STORE2_TLS", "TESTBED_BUCKET_LOCKED", "TESTBED_STORE2_KMS_KEY"),
	)
}

// realStore is a store of the testbed, by the variables that name its address,
// the bucket and, if it encrypts, a KMS key.
func realStore(name, endpoint, bucket, kmsKey string) testStore {
	env := map[string]string{"AWS_ENDPOINT_URL_S3": os.Getenv(endpoint)}
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		env[variable] = os.Getenv(variable)
	}
	if strings.HasPrefix(os.Getenv(endpoint), "https:") {
		env["AWS_CA_BUNDLE"] = os.Getenv("TESTBED_CA")
	}
	return testStore{name: name, env: env, bucket: os.Getenv(bucket), locks: strings.HasSuffix(bucket, "_LOCKED"), kmsKey: os.Getenv(kmsKey)}
}

// open opens the store's bucket under a cluster name that nobody has used.
func (s testStore) open(t testing.TB, changes ...func(*Config)) *Bucket {
	t.Helper()
	return s.openWith(t, Options{Now: time.Now}, changes...)
}

func (s testStore) openWith(t testing.TB, opts Options, changes ...func(*Config)) *Bucket {
	t.Helper()
	cfg := exampleConfig(t, changes...)
	for name, value := range s.env {
		t.Setenv(name, value)
	}
	cfg.Bucket, cfg.Cluster = s.bucket, "contract-"+rand.Text()
	if s.less {
		cfg.Tagging = false
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.Context(), cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
