package archivetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Identity is somebody who may sign requests to a Store.
type Identity struct {
	AccessKey string
	Secret    string
	Token     string // of a session
}

var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/]+)/([0-9]{8})/([^/]+)/([^/]+)/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$`)

// Signer is the access key that a request says it is signed with.
func (e Entry) Signer() string {
	if part := authorization.FindStringSubmatch(e.Header.Get("Authorization")); part != nil {
		return part[1]
	}
	return ""
}

// checkSignature computes the signature of the request anew, as
// docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
// says; it shares no code with the SDK. It returns an S3 error code, empty if
// the signature is right.
func checkSignature(req *http.Request, body []byte, identities map[string]Identity) string {
	part := authorization.FindStringSubmatch(req.Header.Get("Authorization"))
	if part == nil {
		return "AccessDenied"
	}
	id, known := identities[part[1]]
	if !known {
		return "InvalidAccessKeyId"
	}
	if req.Header.Get("X-Amz-Security-Token") != id.Token {
		return "InvalidToken"
	}
	payload := req.Header.Get("X-Amz-Content-Sha256")
	sum := sha256.Sum256(body)
	if len(payload) == 64 && payload != hex.EncodeToString(sum[:]) {
		return "XAmzContentSHA256Mismatch"
	}
	signed := strings.Split(part[5], ";")
	canonical := strings.Join([]string{
		req.Method, req.URL.EscapedPath(), canonicalQuery(req.URL.Query()), canonicalHeaders(req, signed), part[5], payload,
	}, "\n")
	hash := sha256.Sum256([]byte(canonical))
	scope := strings.Join(part[2:5], "/") + "/aws4_request"
	text := strings.Join([]string{"AWS4-HMAC-SHA256", req.Header.Get("X-Amz-Date"), scope, hex.EncodeToString(hash[:])}, "\n")
	key := []byte("AWS4" + id.Secret)
	for _, step := range append(slices.Clone(part[2:5]), "aws4_request", text) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(step))
		key = mac.Sum(nil)
	}
	if hex.EncodeToString(key) != part[6] || !slices.Contains(signed, "host") || !allAmzSigned(req.Header, signed) {
		return "SignatureDoesNotMatch"
	}
	return ""
}

// canonicalQuery is the query sorted by name, with RFC 3986's escapes.
func canonicalQuery(query url.Values) string {
	return strings.ReplaceAll(query.Encode(), "+", "%20")
}

// canonicalHeaders has a line for each signed header; the server has taken Host
// and Content-Length out of the header.
func canonicalHeaders(req *http.Request, signed []string) string {
	var text strings.Builder
	for _, name := range signed {
		value := strings.Join(req.Header.Values(name), ",")
		switch name {
		case "host":
			value = req.Host
		case "content-length":
			value = strconv.FormatInt(req.ContentLength, 10)
		}
		text.WriteString(name + ":" + strings.Join(strings.Fields(value), " ") + "\n")
	}
	return text.String()
}

// allAmzSigned tells whether every x-amz header is among the signed ones.
func allAmzSigned(h http.Header, signed []string) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Amz-") && !slices.Contains(signed, strings.ToLower(name)) {
			return false
		}
	}
	return true
}
