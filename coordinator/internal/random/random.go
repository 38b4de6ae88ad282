// Package random makes values that nobody can guess.
package random

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
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
