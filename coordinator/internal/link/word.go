package link

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"
)

const (
	wordPrefix = "afar1-"
	maxWord    = 16 << 10
	checkBytes = 4
)

// A Word is an invite as it is pasted: all that a new machine needs to reach the hub once.
type Word struct {
	Fleet   string   `json:"f"`
	Addrs   []string `json:"a"`
	Pin     string   `json:"p,omitempty"` // none in a cluster, whose certificate the system checks
	Hub     Public   `json:"h"`
	Seed    string   `json:"s"`           // the one-time key
	Cluster bool     `json:"c,omitempty"` // the addresses are those of a cluster of NATS
	Creds   string   `json:"k,omitempty"` // the text of the cluster's credentials
}

// String returns the word with a checksum, so that a part of it is not taken for the whole.
func (w Word) String() string {
	text, err := json.Marshal(w)
	if err != nil {
		panic(err) // it has strings only
	}
	sum := sha256.Sum256(text)
	return wordPrefix + base64.RawURLEncoding.EncodeToString(append(text, sum[:checkBytes]...))
}

// ParseWord reads a word as it was pasted.
func ParseWord(s string) (Word, error) {
	coded, ok := strings.CutPrefix(strings.TrimSpace(s), wordPrefix)
	if !ok {
		return Word{}, fmt.Errorf("an invite begins with %s", wordPrefix)
	}
	raw, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || len(raw) <= checkBytes || len(raw) > maxWord {
		return Word{}, errors.New("the invite is not whole: copy it again")
	}
	text, check := raw[:len(raw)-checkBytes], raw[len(raw)-checkBytes:]
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:checkBytes], check) {
		return Word{}, errors.New("the invite is not whole: copy it again")
	}
	var w Word
	if err := json.Unmarshal(text, &w); err != nil {
		return Word{}, errors.New("the invite is of another version of Afar")
	}
	return w, w.check()
}

func (w Word) check() error {
	_, err := nkeys.FromSeed([]byte(w.Seed))
	switch {
	case err != nil:
		return errors.New("the invite has no key")
	case !isName(w.Fleet), len(w.Addrs) == 0, w.Cluster == (w.Pin != ""):
		return errors.New("the invite names no hub")
	}
	return w.Hub.Check()
}

// NewInvite makes a one-time key: its id, by which the hub admits it, and its seed for the word.
func NewInvite() (id, seed string) {
	key, err := nkeys.CreateUser()
	if err != nil {
		panic(err) // it fails only with the source of randomness
	}
	id, _ = key.PublicKey() // a new key has both
	text, _ := key.Seed()
	return id, string(text)
}

// isName reports whether a text can be one part of a subject.
func isName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	return s != "" && len(s) <= 64 && strings.Trim(strings.ToLower(s), letters) == ""
}
