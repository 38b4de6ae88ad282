// Package redact keeps credentials out of cards, journal and log, and makes
// characters visible that could hide what a command does. It is pure.
package redact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden is the text that replaces a secret.
const Hidden = "•••"

// word is the rest of one word of a shell or a configuration file. It ends
// before any character that could begin another word or command, so that a mask
// never hides a command: `token="";reboot` shows the reboot.
const word = "(?:[^\\s\"'`&;,|()<>$]|\\$[^\\s\"'`&;,|()<>{$])+"

// open is an opening quote, also one that is escaped in another string.
const open = `(?:\\?["'])?`

// secretNames has a part of each name that named matches.
var secretNames = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "credential", "phpsessid", "jsessionid",
	"csrftoken", "key",
}

// named are the last words of the names of secrets.
const named = `(?:password|passwd|passphrase|pwd|secret|token|apikey|credentials?|phpsessid|jsessionid|csrftoken|` +
	`(?:access|account|api|auth|encryption|master|private|secret|shared|signing)[_-]?key(?:[_-]?id)?)`

// A form is a way in which credentials are written. The groups of a match stay; the rest of it is
// masked. A text that has none of the marks in lower case has no match: to look for these takes a
// hundredth of the time of the expression.
type form struct {
	*regexp.Regexp
	marks []string
}

func formOf(expr string, marks ...string) form { return form{regexp.MustCompile(expr), marks} }

var forms = []form{
	// tokens with a prefix that names the service
	formOf(
		`\b(sk-ant-|sk-proj-|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abeprs]-|pypi-|dop_v1_|shpat_|`+
			`sq0[a-z]{3}-|rk_live_|sk_live_|pk_live_|rk_test_|sk_test_|AIza|ya29\.|AKIA|ASIA|lin_api_|figd_|`+
			`dckr_pat_|glsa_|vault:v1:|hvs\.|age-secret-key-1|AGE-SECRET-KEY-1)[A-Za-z0-9_\-./+=]{8,}`,
		"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "pypi-", "dop_v1_", "shpat_",
		"sq0", "k_live_", "k_test_", "aiza", "ya29.", "akia", "asia", "lin_api_", "figd_", "dckr_pat_", "glsa_",
		"vault:v1:", "hvs.", "age-secret-key-1",
	),
	// prefixes that ordinary names also have: they count only before a long run of letters and digits
	formOf(
		`\b(sk-(?:[a-z0-9]+-)*|key-|pat-|npm_|hf_|SG\.)[A-Za-z0-9]{20,}[A-Za-z0-9_\-./+=]*`,
		"sk-", "key-", "pat-", "npm_", "hf_", "sg.",
	),
	// a Telegram bot token, also inside its URL
	formOf(`((?:\b|bot)\d{6,12}:)[A-Za-z0-9_-]{30,}`, ":"),
	// JSON web tokens
	formOf(`\b(eyJ)[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?`, "eyj"),
	// private keys: long lines of base64, and one short line before the end
	formOf(
		`(-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----`+
			`(?:(?:\s|\\[nr])*(?:Proc-Type|DEK-Info|Version|Comment):[\w ,.:-]*)*)`+
			`(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{40,})+(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]+(?:\s|\\[nr])*-----END)?`,
		"-----begin",
	),
	// the user and password of a URL or connection string
	formOf(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@'"]*:)`+word+`(@)`, "://"),
	formOf(`([a-zA-Z][a-zA-Z0-9+.-]*://)[A-Za-z0-9_-]{20,}(@)`, "://"),
	// headers
	formOf(
		`(?i)\b((?:proxy-)?authorization\\?["']?[ \t]*[:=][ \t]*`+open+
			`(?:(?:bearer|basic|token|digest)[ \t]+)?)`+word,
		"authorization",
	),
	formOf(`(?i)\b(bearer[ \t]+)[A-Za-z0-9_\-./+=]{8,}`, "bearer"),
	formOf(`(?i)\b(cookie\\?["']?[ \t]*[:=][ \t]*`+open+`[\w.-]+=)`+word, "cookie"),
	// NAME=value, "name": "value", --name value, if the name is that of a secret
	formOf(
		`(?i)((?:^|[^A-Za-z0-9])[A-Za-z0-9_.-]*`+named+
			`\\?["']?(?:=|[ \t]+=[ \t]+|[ \t]*:=?[ \t]*)`+open+`)`+word,
		secretNames...,
	),
	formOf(`(?i)((?:^|\s)--?[a-z-]*`+named+`[ =]`+open+`)`+word, secretNames...),
	formOf(`(\bmachine\s+\S+\s+login\s+\S+\s+password\s+)`+word, "machine"),
	// the options of well-known programs
	formOf(`((?:^|\s)(?:-u|--user|--auth)[ =]?`+open+`[A-Za-z_][^\s:"']*:)`+word, "-u", "--auth"),
	formOf(`(\b(?:mysql|mysqldump|mariadb|mariadb-dump)\b[^|;&\n]*\s-p`+open+`)`+word, "mysql", "mariadb"),
	formOf(`(\bsshpass\s+-p[ ]*`+open+`)`+word, "sshpass"),
	formOf(`(\blogin\b[^|;&\n]*\s-p[ ]*`+open+`)`+word, "login"),
	formOf(`(\bredis-cli\b[^|;&\n]*\s-a[ ]*`+open+`)`+word, "redis-cli"),
	formOf(`((?:^|\s)-pass(?:in|out)?[ =]`+open+`pass:)`+word, "-pass"),
}

// Mask replaces what looks like a credential with dots. If in doubt it masks, but never
// more than one word at a time, because people read the text before they allow a call.
func Mask(text string) string {
	lower := strings.ToLower(text)
	for _, form := range forms {
		if !form.mayMatch(lower) {
			continue
		}
		repl := "${1}" + Hidden
		if form.NumSubexp() > 1 {
			repl += "${2}"
		}
		text = form.ReplaceAllString(text, repl)
	}
	return text
}

// mayMatch reports whether a text in lower case has one of the marks. The long s, which an
// expression without case takes for an s, counts as all marks.
func (f form) mayMatch(lower string) bool {
	return strings.Contains(lower, "ſ") ||
		slices.ContainsFunc(f.marks, func(mark string) bool { return strings.Contains(lower, mark) })
}

var (
	keyBegins = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`)
	keyLine   = regexp.MustCompile(`^\s*[A-Za-z0-9+/=]{40,}\s*$`)
	keyRest   = regexp.MustCompile(`^\s*[A-Za-z0-9+/=]+\s*$`)
)

// KeyLines reports which lines of a text belong to a private key. Mask recognizes a key
// only by its first line, and misses it if that line is not shown.
func KeyLines(lines []string) []bool {
	out := make([]bool, len(lines))
	inKey, hid := false, false
	for i, line := range lines {
		switch {
		case strings.Contains(line, "-----BEGIN"):
			inKey, hid = keyBegins.MatchString(line), false
		case strings.Contains(line, "-----END"):
			if hid {
				out[i-1] = keyRest.MatchString(lines[i-1]) // the last line of a key is short
			}
			inKey, hid = false, false
		case inKey && keyLine.MatchString(line):
			out[i], hid = true, true
		}
	}
	return out
}

// Visible shows characters that a terminal or a phone would hide, obey or
// reorder: controls, zero-width and bidi characters, invalid bytes. Line
// breaks and tabs stay.
func Visible(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	for {
		i := strings.IndexFunc(text, hides)
		switch {
		case i < 0 && b.Len() == 0:
			return text // as almost every text
		case i < 0:
			b.WriteString(text)
			return b.String()
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[:i])
		fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		text = text[i+size:]
	}
}

// selectors are the variation selectors, which can carry hidden data.
var selectors = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

// hides reports whether a terminal or a phone would not show a character as it is.
func hides(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false
	}
	switch r {
	case '\n', '\t':
		return false
	case '\u00ad', '\u034f', '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, selectors)
}

// Clean masks the credentials in a text and makes it visible.
func Clean(text string) string { return Visible(Mask(text)) }
