package archive

import (
	"crypto/rand"
	"os"
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
	locks  bool // the bucket has Object Lock
	less   bool // it has no tags
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
		store.EnableObjectLock(name == "strict")
		all = append(all, testStore{
			name: "in memory, " + name, bucket: store.Bucket, locks: true, less: strict.Tags,
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
	versity := func(name, endpoint, bucket string, locks bool, ca string) testStore {
		return testStore{name: "VersityGW, " + name, bucket: os.Getenv(bucket), locks: locks, env: map[string]string{
			"AWS_ENDPOINT_URL_S3": os.Getenv(endpoint), "AWS_CA_BUNDLE": os.Getenv(ca),
			"AWS_ACCESS_KEY_ID": os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY": os.Getenv("AWS_SECRET_ACCESS_KEY"),
		}}
	}
	return append(all,
		versity("plain", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET", false, ""),
		versity("versioned", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET_VERSIONED", false, ""),
		versity("locked", "AWS_ENDPOINT_URL_S3", "TESTBED_BUCKET_LOCKED", true, ""),
		versity("plain, TLS", "TESTBED_S3_TLS", "TESTBED_BUCKET", false, "TESTBED_CA"),
		versity("locked, TLS", "TESTBED_S3_TLS", "TESTBED_BUCKET_LOCKED", true, "TESTBED_CA"),
	)
}

// open opens the store's bucket under a cluster name that nobody has used.
func (s testStore) open(t *testing.T, changes ...func(*Config)) *Bucket {
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
	b, err := Open(t.Context(), cfg, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
