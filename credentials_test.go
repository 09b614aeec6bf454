package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pod-reclaimer/pod-reclaimer/archive/archivetest"
)

// The identities that the sources of credentials give.
var (
	fileIdentity      = archivetest.Identity{AccessKey: "AKIAFILE", Secret: "secret-of-the-file"}
	roleIdentity      = archivetest.Identity{AccessKey: "ASIAROLE", Secret: "secret-of-the-role", Token: "token-of-the-role"}
	containerIdentity = archivetest.Identity{AccessKey: "ASIACONTAINER", Secret: "secret-of-the-container", Token: "token-of-the-container"}
	nodeIdentity      = archivetest.Identity{AccessKey: "ASIANODE", Secret: "secret-of-the-node", Token: "token-of-the-node"}
)

// The web identity tokens: kubelet writes the second one while the first is valid.
const (
	firstToken  = "first-web-identity-token"
	secondToken = "second-web-identity-token"
)

// sources are servers that give credentials.
type sources struct {
	token   string       // the file of the web identity token
	rotated atomic.Bool  // STS was given the second one
	status  atomic.Int64 // what they answer instead; 0: credentials
}

// newSources gives the world servers of credentials instead of its static keys:
// STS, one for containers, and the metadata service of the machine, whose
// identity the store would take too.
func newSources(w *stubs) *sources {
	s := &sources{token: filepath.Join(w.t.TempDir(), "token")}
	write(w.t, s.token, firstToken)
	server := httptest.NewServer(s)
	w.t.Cleanup(server.Close)
	for _, id := range []archivetest.Identity{fileIdentity, roleIdentity, containerIdentity, nodeIdentity} {
		w.store.Allow(id)
		w.secrets = append(w.secrets, id.Secret)
	}
	w.secrets = append(w.secrets, "web-identity-token", "authorization-of-the-container")
	delete(w.env, "AWS_ACCESS_KEY_ID")
	delete(w.env, "AWS_SECRET_ACCESS_KEY")
	w.env["AWS_REGION"] = "us-east-1"
	w.env["AWS_ENDPOINT_URL_STS"] = server.URL + "/sts"
	w.env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = server.URL
	w.env["CONTAINER"] = server.URL + "/container"
	return s
}

func (s *sources) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	const keys = `"AccessKeyId":%q,"SecretAccessKey":%q,"Token":%q,"Expiration":"2099-01-01T00:00:00Z"}`
	path := req.URL.Path
	status := int(s.status.Load())
	switch {
	case strings.HasSuffix(path, "/api/token"): // the metadata service always answers
		fmt.Fprint(w, "session")
	case strings.HasSuffix(path, "/security-credentials/"):
		fmt.Fprint(w, "role")
	case strings.Contains(path, "/security-credentials/"):
		fmt.Fprintf(w, `{"Code":"Success","Type":"AWS-HMAC",`+keys, nodeIdentity.AccessKey, nodeIdentity.Secret, nodeIdentity.Token)
	case status != 0:
		http.Error(w, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>as the test wants it</Message></Error></ErrorResponse>", status)
	case path == "/container" && req.Header.Get("Authorization") == "authorization-of-the-container":
		fmt.Fprintf(w, `{`+keys, containerIdentity.AccessKey, containerIdentity.Secret, containerIdentity.Token)
	case strings.HasPrefix(path, "/sts"):
		s.assumeRole(w, req)
	default:
		http.Error(w, "", http.StatusForbidden)
	}
}

// rotate replaces the token at once, as kubelet does.
func (s *sources) rotate(t *testing.T) {
	t.Helper()
	next := s.token + ".next"
	write(t, next, secondToken)
	if err := os.Rename(next, s.token); err != nil {
		t.Error(err)
	}
}

// assumeRole gives credentials that are over at once, so that each request to
// the store needs new ones.
func (s *sources) assumeRole(w http.ResponseWriter, req *http.Request) {
	switch req.FormValue("WebIdentityToken") {
	case firstToken:
	case secondToken:
		s.rotated.Store(true)
	default:
		http.Error(w, "<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
<AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken><Expiration>%s</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
		roleIdentity.AccessKey, roleIdentity.Secret, roleIdentity.Token, time.Now().UTC().Format(time.RFC3339))
}

// credentialSources are ways to configure credentials.
func (s *sources) credentialSources(w *stubs) map[string][]string {
	file := filepath.Join(w.t.TempDir(), "credentials")
	write(w.t, file, "[default]\naws_access_key_id = AKIAFILE\naws_secret_access_key = secret-of-the-file\n[empty]\n")
	return map[string][]string{
		"testbed":       {"AWS_ACCESS_KEY_ID=testbed\n", "AWS_SECRET_ACCESS_KEY=testbed-secret-key\r\n", "ARCHIVE_BUCKET= bundles\n", "AWS_ENDPOINT_URL_S3=" + w.store.URL + "\n"},
		"AKIAFILE":      {"AWS_SHARED_CREDENTIALS_FILE=" + file},
		"ASIAROLE":      {"AWS_ROLE_ARN=arn:aws:iam::1:role/r", "AWS_WEB_IDENTITY_TOKEN_FILE=" + s.token},
		"ASIACONTAINER": {"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + w.env["CONTAINER"], "AWS_CONTAINER_AUTHORIZATION_TOKEN=authorization-of-the-container"},
	}
}

// signers are who has signed requests to the store.
func (w *stubs) signers() map[string]int {
	found := map[string]int{}
	for _, e := range w.journal.Entries() {
		if e.Server == "store" {
			found[e.Signer()]++
		}
	}
	return found
}

// Each source of credentials signs all requests; no secret is in the output at
// any level. A web identity token that changes in mid-run is read again.
func TestCredentials(t *testing.T) {
	for _, signer := range []string{"testbed", "AKIAFILE", "ASIAROLE", "ASIACONTAINER"} {
		for _, level := range []string{"info", "debug"} {
			t.Run(signer+" "+level, func(t *testing.T) {
				t.Parallel()
				w := newStubs(t)
				s := newSources(w)
				w.addPods(3)
				var rotated atomic.Bool
				w.journal.Before(func(_ string, _ http.ResponseWriter, req *http.Request) bool {
					if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/pods/") && !rotated.Swap(true) {
						s.rotate(t)
					}
					return false
				})
				e := w.run(append(s.credentialSources(w)[signer], "LOG_LEVEL="+level)...)
				e.expect(t, 0, "all deleted", e.summary.Deleted == 3)
				if got := w.signers(); len(got) != 1 || got[signer] == 0 {
					t.Errorf("signed by %v", got)
				}
				if signer == roleIdentity.AccessKey && !s.rotated.Load() {
					t.Error("the new web identity token was not used")
				}
			})
		}
	}
}

// A source that is configured and fails is an error; nobody else's credentials,
// least of all the machine's, are used instead.
func TestCredentialsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		signer string
		env    []string
		status int64
		code   int
		says   string
	}{
		"STS refuses":            {signer: "ASIAROLE", status: 403, code: 1, says: "get credentials"},
		"STS is broken":          {signer: "ASIAROLE", status: 500, code: 1, says: "get credentials"},
		"no token":               {signer: "ASIAROLE", env: []string{"AWS_WEB_IDENTITY_TOKEN_FILE=/does/not/exist"}, code: 2, says: "AWS_WEB_IDENTITY_TOKEN_FILE"},
		"a role and no token":    {env: []string{"AWS_ROLE_ARN=arn:aws:iam::1:role/r"}, code: 2, says: "AWS_WEB_IDENTITY_TOKEN_FILE"},
		"a token and no role":    {signer: "ASIAROLE", env: []string{"AWS_ROLE_ARN="}, code: 2, says: "AWS_ROLE_ARN"},
		"containers' refuses":    {signer: "ASIACONTAINER", status: 403, code: 1, says: "get credentials"},
		"containers' is broken":  {signer: "ASIACONTAINER", status: 500, code: 1, says: "get credentials"},
		"containers' is no host": {signer: "ASIACONTAINER", env: []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://192.0.2.1/"}, code: 1, says: "AWS"},
		"no shared file":         {env: []string{"AWS_SHARED_CREDENTIALS_FILE=/does/not/exist"}, code: 2, says: "AWS_SHARED_CREDENTIALS_FILE"},
		"no such profile":        {signer: "AKIAFILE", env: []string{"AWS_PROFILE=other"}, code: 1, says: "other"},
		"an empty profile":       {signer: "AKIAFILE", env: []string{"AWS_PROFILE=empty"}, code: 1, says: "AWS_PROFILE"},
		"half a key pair":        {env: []string{"AWS_ACCESS_KEY_ID=testbed"}, code: 2, says: "AWS_SECRET_ACCESS_KEY"},
		"the other half":         {env: []string{"AWS_SECRET_ACCESS_KEY=testbed-secret-key"}, code: 2, says: "AWS_ACCESS_KEY_ID"},
		"a wrong secret":         {env: []string{"AWS_ACCESS_KEY_ID=testbed", "AWS_SECRET_ACCESS_KEY=secret-of-the-role"}, code: 1, says: "AWS_SECRET_ACCESS_KEY"},
		"an unknown key":         {env: []string{"AWS_ACCESS_KEY_ID=nobody", "AWS_SECRET_ACCESS_KEY=testbed-secret-key"}, code: 1, says: "AWS_ACCESS_KEY_ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStubs(t)
			s := newSources(w)
			s.status.Store(c.status)
			w.addPods(1)
			e := w.run(append(append(s.credentialSources(w)[c.signer], c.env...), "LOG_LEVEL=debug")...)
			e.expect(t, c.code, c.says, strings.Contains(e.output, c.says) && len(w.api.Names()) == 1)
			if n := w.signers()[nodeIdentity.AccessKey]; n != 0 {
				t.Errorf("%d requests were signed by the machine's role", n)
			}
		})
	}
}

// The machine's role is used where nothing else is configured.
func TestCredentialsOfTheMachine(t *testing.T) {
	w := newStubs(t)
	newSources(w)
	w.addPods(1)
	e := w.run()
	e.expect(t, 0, "deleted", e.summary.Deleted == 1 && w.signers()[nodeIdentity.AccessKey] > 0)
}
