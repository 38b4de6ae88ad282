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
	return inBrackets(toks)
}

// inBrackets returns the tokens between the bracket that is the first of toks and the one that
// closes it.
func inBrackets(toks []Token) []Token {
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

// request reports the effects of the HTTP request that the call at token i sends. It
// returns true if the call is a request that destroys something.
func (r *reading) request(k knownCall, i int) bool {
	name := r.toks[i].Text
	sent := r.requestAt(r.toks[i+1:])
	switch {
	case k.deletes && sent.URL == "":
		return false // an element of a map or of a set
	case k.deletes, deletesByType(name):
		sent.Method = "DELETE"
	case sent.Method != "DELETE":
		sent.Method = "POST"
	}
	if sent.URL == "" {
		sent.URL = programHost(r.toks)
	}
	before := len(r.sh.Eval.Effects)
	web.Request(r.sh, sent)
	return len(r.sh.Eval.Effects) > before
}

// sendsRequest reports whether a call other than a networkCall may send an HTTP request.
func sendsRequest(short, full string) bool {
	return lex.OneOf(short, "ajax got ky put patch") || deletesByType(full)
}

// deletesByType reports whether a name is that of a class for requests that delete.
func deletesByType(full string) bool {
	return lex.Mentions(full, "HTTP::Delete HttpDelete HttpMethod.DELETE HttpMethod.Delete")
}

// maxBody bounds the text of one argument that is read, and maxSearched the tokens among which
// the address of a request is looked for.
const (
	maxBody     = 1 << 14
	maxSearched = 512
)

// requestAt reads the arguments of a call that sends a request: a method, a URL, and the
// other texts as its body.
func (r *reading) requestAt(toks []Token) (sent web.Sent) {
	var body []string
	args := callTokens(toks)
	for i, t := range args {
		text := t.Text
		if t.Kind == 'n' {
			text = r.partOf(t.Text)
		}
		switch {
		case text == "", !t.in("sn"):
		case text == "DELETE", text == "delete" && namesMethod(args[:i]):
			sent.Method = "DELETE"
		case sent.URL == "" && strings.Contains(text, "://"):
			sent.URL = text
		default:
			body = append(body, lex.Clip(text, maxBody))
		}
	}
	sent.Body = strings.Join(body, " ")
	return sent
}

// partOf returns the text of a name, or that of the address of which the name is a part, as
// in url.path.
func (r *reading) partOf(name string) string {
	if text, ok := r.consts[name]; ok {
		return text
	}
	object, _, _ := strings.Cut(name, ".")
	if text := r.consts[object]; strings.Contains(text, "://") {
		return text
	}
	return ""
}

// namesMethod reports whether the argument after toks is the method of a request.
func namesMethod(toks []Token) bool {
	if len(toks) < 2 {
		return len(toks) == 0
	}
	return strings.EqualFold(toks[len(toks)-2].Text, "method")
}

// programHost returns the first address in a program, or the host to which it connects.
func programHost(toks []Token) string {
	toks = toks[:min(len(toks), maxSearched)]
	for i, t := range toks {
		switch {
		case t.Kind == 's' && strings.Contains(t.Text, "://"):
			return t.Text
		case t.Kind != 'n', i+2 >= len(toks), toks[i+2].Kind != 's':
		case lex.OneOf(t.Text, "host hostname"), strings.HasSuffix(t.Text, "Connection"):
			return toks[i+2].Text
		}
	}
	return ""
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
func (r *reading) foreignKeysLeave(toks []Token) {
	url, asks := "", false
	var names strings.Builder
	for _, t := range callTokens(toks) {
		if !t.in("sn") {
			continue
		}
		asks = asks || lex.Mentions(strings.ToLower(t.Text), "environ getenv process.env env[ env.fetch")
		text := cmp.Or(r.consts[t.Text], t.Text)
		if url == "" && strings.Contains(text, "://") {
			url = text
			continue
		}
		names.WriteString(t.Text)
		names.WriteByte(' ')
	}
	if asks && !web.IsLocalHost(url) && web.KeysFor(names.String(), url) == web.OfOther {
		r.sh.Possible(effect.SendOut, effect.Secret, url)
	}
}

// decodes reports whether a call turns numbers or encoded text into text.
func decodes(t Token) bool {
	if t.Kind != 'n' {
		return false
	}
	if lex.OneOf(t.Text, "Buffer.from codecs.decode strrev string.char") {
		return true
	}
	return lex.OneOf(unqualified(t.Text), "b64decode b32decode b85decode a85decode "+
		"urlsafe_b64decode "+
		"standard_b64decode decode64 strict_decode64 base64_decode decode_base64 unhexlify fromhex a2b_hex a2b_base64 "+
		"atob chr fromCharCode fromCodePoint decompress inflate gzinflate str_rot13 hex2bin unpack pack")
}

// computed reports whether the first argument of a call is decoded, so that the
// text does not show what the call runs.
func computed(toks []Token) bool {
	depth := 0
	args := callTokens(toks)
	for i, t := range args {
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
		if decodes(t) || Shaped(args, i, "[::-") { // text[::-1] is the text backwards
			return true
		}
		if lex.OneOf(t.Text, "bytes bytearray") && Shaped(args, i, "n([") { // bytes([114, 109])
			return true
		}
	}
	return false
}

// readFrom returns where the arguments of a call come from, if they are read from the
// network or from the standard input. Otherwise it returns "".
func readFrom(toks []Token) effect.Op {
	for _, t := range callTokens(toks) {
		switch {
		case t.Kind == 's' && shell.IsStdin(t.Text), t.Text == "sys.stdin.read":
			return effect.Unseen
		case t.Kind == 'n' && lex.OneOf(t.Text, "requests.get httpx.get urlopen urllib.request.urlopen"):
			return effect.Network
		}
	}
	return ""
}
