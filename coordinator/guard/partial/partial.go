package partial

import (
	"strings"
)

// Text that is not known in full carries a hole for each unknown run. The hole
// survives concatenation, re-parsing and every table look-up, so that no code
// has to carry a second value for "how sure".
const (
	Hole        = '\x01' // any text
	HoleNetwork = '\x02' // text fetched from the network
	HoleDecoded = '\x03' // text that was encoded, ciphered or compressed
	HoleBenign  = '\x04' // output of a program made for eval (ssh-agent, direnv)
	HoleSecret  = '\x05' // content of a credential
	HoleKey     = '\x06' // a variable that is named like a secret
	SplitMark   = '\x1f' // a blank that separates fields
)

const (
	Unknown        = string(Hole)
	UnknownNetwork = string(HoleNetwork)
	UnknownDecoded = string(HoleDecoded)
	UnknownBenign  = string(HoleBenign)
	UnknownSecret  = string(HoleSecret)
	UnknownKey     = string(HoleKey)
	Holes          = "\x01\x02\x03\x04\x05\x06"
)

func HasHole(s string) bool { return strings.ContainsAny(s, Holes) }

// Scrub removes our own marks from outside text so that nobody forges them.
func Scrub(s string) string {
	if !strings.ContainsAny(s, "\x00\x01\x02\x03\x04\x05\x06\x1f") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r <= HoleKey || r == SplitMark {
			return -1
		}
		return r
	}, s)
}

// Visible renders holes for people.
func Visible(s string) string {
	if !HasHole(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= Hole && r <= HoleKey {
			return '…'
		}
		return r
	}, s)
}
