// Package random makes values that nobody can guess.
package random

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// Word returns 16 hex digits.
func Word() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails, by its contract
	return hex.EncodeToString(b[:])
}

// Digits returns six decimal digits.
func Digits() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // it fails only with the source of randomness
	return fmt.Sprintf("%06d", n)
}

// UUID returns a UUID of version 4.
func UUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails, by its contract
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
