// Package secret keeps credentials out of cards, journal and log, and makes
// characters visible that could hide what a command does. It is pure.
package secret

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// hidden stands in the place of a masked value.
const hidden = "•••"

// A form is one way in which credentials are written. The part of a match in
// its first group is kept, the rest is masked.
var forms = []*regexp.Regexp{
	// tokens that say by their prefix whose they are
	regexp.MustCompile(`\b(sk-ant-|sk-proj-|sk-|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abeprs]-|npm_|pypi-|hf_|dop_v1_|shpat_|sq0[a-z]{3}-|rk_live_|sk_live_|pk_live_|rk_test_|sk_test_|AIza|ya29\.|AKIA|ASIA|SG\.|key-|lin_api_|figd_|pat-|dckr_pat_|glsa_|vault:v1:|hvs\.|age-secret-key-1|AGE-SECRET-KEY-1)[A-Za-z0-9_\-./+=]{8,}`),
	// a Telegram bot token, also inside its URL
	regexp.MustCompile(`\b(\d{6,12}:)[A-Za-z0-9_-]{30,}`),
	// JSON web tokens
	regexp.MustCompile(`\b(eyJ)[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?`),
	// private keys
	regexp.MustCompile(`(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----).*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)`),
	// the password of a URL or connection string
	regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@'"]*:)[^\s@'"]+@`),
	// Authorization: Bearer …, Basic …
	regexp.MustCompile(`(?i)\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)?\s*)[^\s"',;]{4,}`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9_\-./+=]{8,}`),
	// NAME=value, "name": "value", --name value, where the name says it
	regexp.MustCompile(`(?i)((?:^|[^A-Za-z0-9])[A-Za-z0-9_.-]*(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|auth[_-]?key|credentials?|client[_-]?secret|x-api-key)["']?\s*[:=]\s*)(?:"[^"\n]+"|'[^'\n]+'|[^\s"'&;,|)]+)`),
	regexp.MustCompile(`(?i)((?:^|\s)--?(?:password|passwd|passphrase|secret|token|api-key|apikey|access-key|auth-token)[ =])(?:"[^"\n]+"|'[^'\n]+'|[^\s"'&;|)]+)`),
	// curl -u user:password, mysql -psecret
	regexp.MustCompile(`((?:^|\s)(?:-u|--user)[ =]?["']?[^\s:"']+:)[^\s"']+`),
	regexp.MustCompile(`(\b(?:mysql|mysqldump|mariadb)\b[^|;&\n]*\s-p)[^\s"'-][^\s"']*`),
	regexp.MustCompile(`(\bsshpass\s+-p\s*)(?:"[^"\n]+"|'[^'\n]+'|\S+)`),
}

// Mask replaces what looks like a credential by dots. It rather masks too much:
// its text is for looking at, never for running.
func Mask(text string) string {
	for i, form := range forms {
		repl := "${1}" + hidden
		if i == urlPassword {
			repl += "@"
		}
		text = form.ReplaceAllString(text, repl)
	}
	return text
}

// urlPassword is the form whose match ends in the @ that must stay.
const urlPassword = 4

// Visible shows characters that a terminal or a phone would hide, obey or
// reorder: controls, zero-width and bidi characters, invalid bytes. Line
// breaks and tabs stay.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if hides(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hides(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u00ad' || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0':
		return true
	case r >= '\ufe00' && r <= '\ufe0f' || r >= 0xe0100 && r <= 0xe01ef:
		return true // variation selectors carry hidden data
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}
