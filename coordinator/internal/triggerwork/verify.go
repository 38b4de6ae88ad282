package triggerwork

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// tolerance is how far the time of a signature may be from now.
const tolerance = 5 * time.Minute

// verify reports whether a webhook comes from who has the secret. key names what came, so that
// it counts once; "" is something new each time.
func verify(auth trigger.Auth, secret string, h http.Header, body []byte, now time.Time) (key string, ok bool) {
	switch auth {
	case trigger.Standard:
		return verifyStandard(secret, h, body, now)
	case trigger.GitHub:
		return verifyGitHub(secret, h, body)
	case trigger.Header:
		return idKey(h.Get("Webhook-Id")), same(h.Get("X-Webhook-Secret"), secret)
	}
	return "", false
}

// mayVerify reports whether verify could accept a webhook with these headers. If it returns false, the
// body need not be read.
func mayVerify(auth trigger.Auth, secret string, h http.Header, now time.Time) bool {
	switch auth {
	case trigger.Standard:
		return timely(h, now) && strings.Contains(h.Get("Webhook-Signature"), "v1,")
	case trigger.GitHub:
		have, found := strings.CutPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
		return found && len(have) == hex.EncodedLen(sha256.Size)
	case trigger.Header:
		return same(h.Get("X-Webhook-Secret"), secret)
	}
	return false
}

// timely reports whether a webhook has an id, and a time that is not far from now.
func timely(h http.Header, now time.Time) bool {
	seconds, err := strconv.ParseInt(h.Get("Webhook-Timestamp"), 10, 64)
	age := now.Sub(time.Unix(seconds, 0))
	return err == nil && h.Get("Webhook-Id") != "" && age <= tolerance && age >= -tolerance
}

// same compares two texts without telling by its time where they differ.
func same(have, want string) bool { return subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1 }

func idKey(id string) string {
	if id == "" {
		return ""
	}
	return "id " + id
}

// verifyStandard checks a signature of Standard Webhooks: that of id, time and body.
func verifyStandard(secret string, h http.Header, body []byte, now time.Time) (key string, ok bool) {
	id, stamp := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
	if !timely(h, now) {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", false
	}
	want := base64.StdEncoding.EncodeToString(sign(raw, []byte(id+"."+stamp+"."), body))
	for signature := range strings.FieldsSeq(h.Get("Webhook-Signature")) {
		if version, have, _ := strings.Cut(signature, ","); version == "v1" && same(have, want) {
			return idKey(id), true
		}
	}
	return "", false
}

// verifyGitHub checks a signature as GitHub makes it: that of the body. The id of the delivery
// is not signed, so the signature names what came.
func verifyGitHub(secret string, h http.Header, body []byte) (key string, ok bool) {
	have, found := strings.CutPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
	want := hex.EncodeToString(sign([]byte(secret), body))
	return "signature " + want, found && same(have, want)
}

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
