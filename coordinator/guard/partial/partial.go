// Package partial has texts of which a part is not known. What is unknown is a hole in the text, so that it
// stays where it was when texts are joined, cut and parsed.
package partial

import (
	"strings"
)

// Text that is only partly known has a hole, one control character, for each
// unknown part. A hole survives concatenation, parsing and table look-ups, so no
// code needs a second value for the certainty of a text.
const (
	Hole        = '\x01' // any text
	HoleNetwork = '\x02' // text fetched from the network
	HoleDecoded = '\x03' // text that was encoded, ciphered or compressed
	HoleBenign  = '\x04' // output of a program made for eval (ssh-agent, direnv)
	HoleSecret  = '\x05' // content of a credential
	HoleKey     = '\x06' // a variable with the name of a secret
	HoleData    = '\x07' // a tree, a repository or a database, packed into one text
	SplitMark   = '\x1f' // a blank that separates fields
)

const (
	Unknown        = string(Hole)
	UnknownNetwork = string(HoleNetwork)
	UnknownDecoded = string(HoleDecoded)
	UnknownBenign  = string(HoleBenign)
	UnknownSecret  = string(HoleSecret)
	UnknownKey     = string(HoleKey)
	UnknownData    = string(HoleData)
	Holes          = "\x01\x02\x03\x04\x05\x06\x07"
)

// IsHole reports whether a character stands for an unknown part.
func IsHole(r rune) bool { return Hole <= r && r <= HoleData }

// HasHole reports whether a part of s is unknown. It is asked about each path of a call many
// times, and strings.ContainsAny builds a table each time.
func HasHole(s string) bool {
	for i := range len(s) {
		if IsHole(rune(s[i])) {
			return true
		}
	}
	return false
}

// Scrub removes holes and marks from outside text, so that it cannot forge them.
func Scrub(s string) string {
	if !strings.ContainsAny(s, "\x00\x1f"+Holes) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == 0 || r == SplitMark || IsHole(r) {
			return -1
		}
		return r
	}, s)
}

// Visible returns s for people to read: each hole becomes an ellipsis.
func Visible(s string) string {
	if !HasHole(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if IsHole(r) {
			return '…'
		}
		return r
	}, s)
}
