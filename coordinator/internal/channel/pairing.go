package channel

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"time"
)

// The bounds of a pairing code.
const (
	codeFor   = 10 * time.Minute
	codeTries = 5 // wrong codes in total, from anyone
)

// A Pairing is a pairing code that has not been used yet. The code itself is not stored.
type Pairing struct {
	Digest    string    `json:"digest"`
	ExpiresAt time.Time `json:"expires_at"`
	Wrong     int       `json:"wrong"`
}

// Errors of Try.
var (
	ErrNoCode    = errors.New("no pairing code is waiting")
	errWrongCode = errors.New("wrong pairing code")
	errKilled    = errors.New("too many wrong codes: this one is dead")
)

// NewPairing starts a pairing with a code of six digits.
func NewPairing(code string, now time.Time) *Pairing {
	return &Pairing{Digest: digest(code), ExpiresAt: now.Add(codeFor)}
}

// Waiting reports whether the code is valid at now.
func (p *Pairing) Waiting(now time.Time) bool {
	return p != nil && p.Wrong < codeTries && now.Before(p.ExpiresAt)
}

// Try checks a code that somebody sent. It returns the changed pairing, or nil after
// success.
func (p *Pairing) Try(code string, now time.Time) (*Pairing, error) {
	if !p.Waiting(now) {
		return p, ErrNoCode
	}
	if subtle.ConstantTimeCompare([]byte(digest(code)), []byte(p.Digest)) == 1 {
		return nil, nil
	}
	next := *p
	next.Wrong++
	if next.Wrong >= codeTries {
		return &next, errKilled
	}
	return &next, errWrongCode
}

func digest(code string) string {
	sum := sha256.Sum256([]byte("afar pairing " + code))
	return hex.EncodeToString(sum[:])
}
