package script

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// callTokens returns the tokens between the brackets of the call that opens at
// the first of toks, nil if none opens there.
func callTokens(toks []Token) []Token {
	if len(toks) == 0 || toks[0].Kind != '(' {
		return nil
	}
	depth := 0
	for i := 0; i < len(toks) && i < 256; i++ {
		switch toks[i].Kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 {
			return toks[1:i]
		}
	}
	return toks[1:min(len(toks), 256)]
}

// deletedByRequest returns the address that the call of an HTTP client at the
// start of toks deletes, or "".
func deletedByRequest(short string, toks []Token) string {
	named := lex.OneOf(short, "delete del")
	if !named && !lex.OneOf(short, "fetch request Request axios ajax got urlopen") {
		return ""
	}
	url := ""
	for _, t := range callTokens(toks[1:]) {
		if t.Kind != 's' {
			continue
		}
		named = named || strings.EqualFold(t.Text, "DELETE")
		if url == "" && strings.Contains(t.Text, "://") {
			url = t.Text
		}
	}
	if !named {
		return ""
	}
	return url
}

// sendsSecretFile reports whether the arguments of a request read a credential.
func sendsSecretFile(sh *shell.Shell, toks []Token) bool {
	reads, secret := false, false
	for _, t := range callTokens(toks) {
		switch t.Kind {
		case 'n':
			name := unqualified(t.Text)
			reads = reads || name == "open" || callKind(name, t.Text, "") == "read"
		case 's':
			secret = secret || !strings.Contains(t.Text, "://") && protected.SecretPath(sh.Path(t.Text), sh.Place.Home)
		}
	}
	return reads && secret
}

// foreignKeysLeave reports a possible leak if the arguments of a request take a key of one
// service from the environment and bring it to another host.
func foreignKeysLeave(sh *shell.Shell, toks []Token, consts map[string]string) {
	url, asks := "", false
	var names strings.Builder
	for _, t := range callTokens(toks) {
		if !t.in("sn") {
			continue
		}
		asks = asks || lex.Mentions(strings.ToLower(t.Text), "environ getenv process.env env[ env.fetch")
		text := cmp.Or(consts[t.Text], t.Text)
		if url == "" && strings.Contains(text, "://") {
			url = text
			continue
		}
		names.WriteString(t.Text)
		names.WriteByte(' ')
	}
	if asks && !web.IsLocalHost(url) && web.KeysFor(names.String(), url) == web.OfOther {
		sh.Possible(effect.SendOut, effect.Secret, url)
	}
}

// decodes reports whether a call turns numbers or encoded text into text.
func decodes(t Token) bool {
	if t.Kind != 'n' {
		return false
	}
	return t.Text == "Buffer.from" || lex.OneOf(unqualified(t.Text), "b64decode b32decode b85decode a85decode "+
		"urlsafe_b64decode "+
		"standard_b64decode decode64 strict_decode64 base64_decode decode_base64 unhexlify fromhex a2b_hex a2b_base64 "+
		"atob chr fromCharCode fromCodePoint decompress inflate gzinflate str_rot13 hex2bin unpack")
}

// computed reports whether the first argument of a call is decoded, so that the
// text does not show what the call runs.
func computed(toks []Token) bool {
	depth := 0
	for _, t := range callTokens(toks) {
		switch t.Kind {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return false
			}
		}
		if decodes(t) {
			return true
		}
	}
	return false
}
