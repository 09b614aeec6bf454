package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"os"
)

// clients maps a client certificate to whom the API server takes its holder for.
func (t *testbed) clients() map[string]pkix.Name {
	return map[string]pkix.Name{
		"admin":                   {CommonName: "testbed-admin", Organization: []string{"system:masters"}},
		"kube-controller-manager": {CommonName: "system:kube-controller-manager"},
		"kube-scheduler":          {CommonName: "system:kube-scheduler"},
		"kubelet":                 {CommonName: "system:node:" + t.nodeName(), Organization: []string{"system:nodes"}},
		"apiserver-to-kubelet":    {CommonName: "kube-apiserver", Organization: []string{"system:masters"}},
	}
}

// makePKI makes all keys and certificates once: the cluster's authority and
// what it signs, the service account key pair, and another authority for the
// store, as one has in a company.
func (t *testbed) makePKI() error {
	if _, err := os.Stat(t.pki("done")); err == nil {
		return nil
	}
	if err := t.makeClusterPKI(); err != nil {
		return fmt.Errorf("make cluster certificates: %w", err)
	}
	if err := t.makeStorePKI(); err != nil {
		return fmt.Errorf("make store certificates: %w", err)
	}
	return os.WriteFile(t.pki("done"), nil, 0o600)
}

func (t *testbed) makeClusterPKI() error {
	ca, err := newAuthority(t.pki("ca"), "testbed-ca")
	if err != nil {
		return err
	}
	for name, subject := range t.clients() {
		if err := ca.issue(t.pki(name), subject); err != nil {
			return err
		}
		if err := t.writeKubeconfig(name); err != nil {
			return err
		}
	}
	for _, server := range []string{"kube-apiserver", "control-plane-serving", "kwok-serving"} {
		subject := pkix.Name{CommonName: server}
		err := ca.issue(t.pki(server), subject, "127.0.0.1", "localhost", "kubernetes.default.svc", "10.96.0.1")
		if err != nil {
			return err
		}
	}
	if err := ca.issue(t.pki("kubelet-serving"), pkix.Name{CommonName: t.nodeName()}, t.nodeName(), "127.0.0.1"); err != nil {
		return err
	}
	return t.makeServiceAccountKey()
}

func (t *testbed) makeStorePKI() error {
	ca, err := newAuthority(t.pki("store-ca"), "testbed-store-ca")
	if err != nil {
		return err
	}
	return ca.issue(t.pki("store-tls"), pkix.Name{CommonName: "store"}, "127.0.0.1", "localhost")
}

func (t *testbed) makeServiceAccountKey() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := writePEM(t.pki("sa.pub"), "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(t.pki("sa.key"), key)
}

// writeKubeconfig writes the kubeconfig of one client certificate. It holds
// the keys themselves, so that a test may copy it anywhere.
func (t *testbed) writeKubeconfig(client string) error {
	embed := func(file string) string {
		text, _ := os.ReadFile(t.pki(file)) // written a moment ago
		return base64.StdEncoding.EncodeToString(text)
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: testbed
clusters:
- name: testbed
  cluster: {server: "%s", certificate-authority-data: %s}
users:
- name: %s
  user: {client-certificate-data: %s, client-key-data: %s}
contexts:
- name: testbed
  context: {cluster: testbed, user: %[3]s}
`, t.url("https", "kube-apiserver"), embed("ca.crt"), client, embed(client+".crt"), embed(client+".key"))
	file := t.config(client + ".kubeconfig")
	if client == "admin" {
		file = t.kubeconfig()
	}
	return os.WriteFile(file, []byte(text), 0o600)
}
