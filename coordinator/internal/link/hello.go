package link

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/nats-io/nats.go"
)

// A session begins with a nonce of each side. The member sends a hello, and the hub answers with one.
// Neither changes anything: the session begins with the member's first message in it, which only the
// holder of the key can send, and only after this hello.

// A hello is the body of both messages. Nonces are 64 hex digits.
type hello struct {
	Nonce string   `json:"nonce"`           // the sender's
	For   string   `json:"for,omitempty"`   // the member's, in the hub's answer
	Error *Refusal `json:"error,omitempty"` // in the hub's answer
}

func newNonce() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails, by its contract
	return hex.EncodeToString(b[:])
}

// sessionOf returns the name of the session that the two nonces make.
func sessionOf(fleet, member, hub, memberNonce, hubNonce string) [32]byte {
	text, _ := json.Marshal([]string{"afar session", fleet, member, hub, memberNonce, hubNonce}) // strings only
	return sha256.Sum256(text)
}

// sendOutside sends a message outside of a session's counter.
func (c *Config) sendOutside(conn *nats.Conn, subject string, to Public, e envelope, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := e.seal(c.Keys, to, body); err != nil {
		return err
	}
	if err := e.sign(c.Keys, c.Fleet); err != nil {
		return err
	}
	return conn.PublishRequest(subject, inbox(c.Keys.ID())+".hello", e.bytes())
}

// readOutside reads the body of such a message.
func (c *Config) readOutside(e *envelope, from Public, v any) error {
	body, err := e.open(c.Keys, from)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
