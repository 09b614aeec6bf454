package main

import (
	"strings"
)

// environment is what a shell must export to use the testbed, one line a
// variable; the README says what each means.
func (t *testbed) environment() string {
	pairs := [][2]string{
		{"KUBECONFIG", t.kubeconfig()},
		{"AWS_ACCESS_KEY_ID", accessKey},
		{"AWS_SECRET_ACCESS_KEY", secretKey},
		{"AWS_REGION", region},
		{"AWS_ENDPOINT_URL_S3", t.url("http", "store")},
		{"TESTBED_NAME", t.name},
		{"TESTBED_DIR", t.dir},
		{"TESTBED_BIN", t.Bin},
		{"TESTBED_BUCKET", plainBucket},
		{"TESTBED_BUCKET_VERSIONED", versionedBucket},
		{"TESTBED_BUCKET_LOCKED", lockedBucket},
		{"TESTBED_S3_TLS", t.url("https", "store-tls")},
		{"TESTBED_CA", t.pki("store-ca.crt")},
		{"TESTBED_STORE2_URL", t.url("http", "store2")},
		{"TESTBED_STORE2_TLS", t.url("https", "store2-tls")},
		{"TESTBED_STORE2_KMS_KEY", kmsKey},
		{"TESTBED_KWOK_NODE", kwokNode},
	}
	if t.Node {
		pairs = append(pairs,
			[2]string{"TESTBED_NODE", t.nodeName()},
			[2]string{"TESTBED_IMAGE", busyboxImage},
			[2]string{"TESTBED_POD_LOGS_DIR", t.podLogs()},
		)
	}
	var text strings.Builder
	for _, p := range pairs {
		text.WriteString("export " + p[0] + "=" + quote(p[1]) + "\n")
	}
	return text.String()
}

// quote makes one shell word of any text.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
