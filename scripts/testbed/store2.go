package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// kmsKey is a key that the second store makes when it is first named, and
// forgets when it ends: what was encrypted with it cannot be read after a kill.
const kmsKey = "testbed-key"

// store2Config says who may use the second store, and where its keys are.
const store2Config = `{
  "identities": [{
    "name": "testbed",
    "credentials": [{"accessKey": "` + accessKey + `", "secretKey": "` + secretKey + `"}],
    "actions": ["Admin", "Read", "Write", "List", "Tagging"]
  }],
  "kms": {
    "default_provider": "local",
    "providers": {"local": {"type": "local", "enableOnDemandCreate": true}}
  }
}
`

// store2Security turns on AES256, with keys that outlive the store.
const store2Security = `[s3.sse]
key = "` + secretKey + `"
`

// store2 is another implementation of S3: SeaweedFS, all its servers in one
// process. It answers over http and, with the same data, over https. Telemetry
// is off, or it would report itself to its makers.
func (t *testbed) store2() part {
	args := []string{
		"-logtostderr=true", "-config_dir=" + t.config("store2"), "server",
		"-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-dir=" + t.path("data", "store2"),
		"-master.telemetry=false", "-master.volumeSizeLimitMB=1024", "-volume.max=1000",
		"-s3", "-s3.config=" + t.config("store2/s3.json"), "-s3.iam=false", "-s3.autoCreateBucket=false",
		"-s3.port.iceberg=0", "-s3.port.lance=0",
		"-s3.cert.file=" + t.pki("store-tls.crt"), "-s3.key.file=" + t.pki("store-tls.key"),
		"-filer.localSocket=" + t.path("store2-filer.sock"), "-s3.localSocket=" + t.path("store2.sock"),
	}
	for _, f := range store2Ports {
		args = append(args, fmt.Sprintf("-%s=%d", f.flag, t.Ports[f.port]))
	}
	return part{name: "store2", program: "weed", args: args, ready: t.store2Answers}
}

// store2Ports are the ports of the second store and the flags that set them.
var store2Ports = []struct{ port, flag string }{
	{"store2", "s3.port"}, {"store2-tls", "s3.port.https"}, {"store2-s3-grpc", "s3.port.grpc"},
	{"store2-master", "master.port"}, {"store2-master-grpc", "master.port.grpc"},
	{"store2-volume", "volume.port"}, {"store2-volume-grpc", "volume.port.grpc"},
	{"store2-filer", "filer.port"}, {"store2-filer-grpc", "filer.port.grpc"},
}

func (t *testbed) store2Answers(ctx context.Context) error {
	return errors.Join(
		t.answers("http", "store2", "/healthz")(ctx),
		t.answers("https", "store2-tls", "/healthz")(ctx),
	)
}

func (t *testbed) writeStore2Config() error {
	if err := os.MkdirAll(t.config("store2"), 0o700); err != nil {
		return fmt.Errorf("write configuration of store2: %w", err)
	}
	for file, text := range map[string]string{"s3.json": store2Config, "security.toml": store2Security} {
		if err := os.WriteFile(t.config("store2/"+file), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write configuration of store2: %w", err)
		}
	}
	return nil
}

// removeStore2Sockets removes what SeaweedFS leaves outside the run folder: it
// lets nobody choose where these sockets are.
func (t *testbed) removeStore2Sockets() error {
	for _, server := range []string{"s3", "master", "volume", "filer"} {
		file := fmt.Sprintf("/tmp/seaweedfs-%s-grpc-%d.sock", server, t.Ports["store2-"+server+"-grpc"])
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove socket of store2: %w", err)
		}
	}
	return nil
}
