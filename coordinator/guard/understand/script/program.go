package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// A program in a file is longer than code on the command line, and it has methods and keywords of its own
// with the names of known calls. So a name counts only if it leads to a known library.

// libraries are the receivers of calls that work on files and processes.
const libraries = "Bun Deno Dir Directory File FileManager FileUtils Files IO Path child_process cp default fs fse" +
	" fsp os path pathlib promises shutil sp subprocess"

// doubtful reports whether a name in a program probably is not the call of that kind:
// a method of an unknown object, or the keyword delete.
func (r *reading) doubtful(kind, name string) bool {
	if !r.sh.InProgram() || !lex.OneOf(kind, "empty kill move tree unlink") {
		return false
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return name == "delete" && r.lang != "groovy"
	}
	receiver := name[:i]
	_, known := r.consts[receiver]
	return !known && !lex.OneOf(unqualified(receiver), libraries)
}

// readProtected reports a program text that leads to Afar's page, to the cookies of a
// browser or to a socket of the host. In a file a single string or name has to do so.
func readProtected(sh *shell.Shell, text string, toks []Token) {
	reports := func(leads func(string) bool, kind effect.Kind, op effect.Op) {
		if !sh.InProgram() {
			sh.Effect(kind, op, lex.Clip(text, 300))
			return
		}
		if i := slices.IndexFunc(toks, func(t Token) bool { return leads(t.Text) }); i >= 0 {
			sh.AtOffset(text, toks[i].At)
			sh.Effect(kind, op, lex.Clip(toks[i].Text, 300))
		}
	}
	if page := sh.Eval.Site.Page; page.Code(text) {
		reports(page.URL, effect.SteerAfar, effect.WebPage)
	}
	if sh.Place.Away == "" && protected.ReadsBrowser(text) {
		reports(protected.ReadsBrowser, effect.ReadFile, effect.Cookies)
	}
	if protected.HostSocket(text) && lex.Mentions(text, "onnect UNIX") {
		reports(protected.HostSocket, effect.TypeInto, "")
	}
}

// A knownCall is what a name says about the call of it.
type knownCall struct {
	short    string // the last part of the name
	kind     string // see callKinds
	maps     bool   // it calls its first argument
	destroys bool   // its name says that it deletes something of a service
	sends    bool   // it sends its arguments to another machine
	uploads  bool   // so it does in the library of a service, perhaps
	requests bool   // it may send a request with any method
	deletes  bool   // it may be a request with the method DELETE
	imports  bool   // it imports a module
	ends     bool   // of the client of a service, it deletes something or gives money back
	client   bool   // it returns a client of the host that its arguments name
	types    bool   // it types into a terminal
	fetches  bool   // it gets something from another machine, perhaps
	asks     bool   // it does so whatever its argument is
	other    bool   // nothing of that
}

// maxCall bounds the last part of the name of a known call.
const maxCall = 24

// readCall returns what a name says.
func readCall(name, lang string) knownCall {
	types := strings.HasSuffix(name, "TIOCSTI") || lex.OneOf(name, "0x5412 21522")
	k := knownCall{short: unqualified(name), types: types}
	switch {
	case k.types:
		return k
	case k.short == "", len(k.short) > maxCall:
		return knownCall{other: true}
	}
	k.kind = callKind(k.short, name, lang)
	k.maps = lex.OneOf(k.short, "map array_map array_walk call_user_func")
	k.destroys = k.kind == "" && destroysByName(k.short)
	k.sends = networkCall(k.short, name)
	k.deletes = lex.OneOf(k.short, "delete del DELETE delete!")
	k.requests = k.deletes || k.sends || sendsRequest(k.short, name)
	k.uploads = lex.OneOf(k.short, uploaders)
	k.asks = lex.OneOf(name, askers)
	k.fetches = k.asks || lex.OneOf(k.short, fetchers+" "+addresses)
	k.ends = endsOfService(k.short) || refunds(k.short, name) || tells(name)
	k.client, k.imports = lex.OneOf(name, httpClients), lex.OneOf(name, "import from require")
	k.other = k == knownCall{short: k.short}
	return k
}

// callNamed returns what a name says. It keeps what it finds, because the names of a long program repeat.
func (r *reading) callNamed(name string) knownCall {
	k, known := r.calls[name]
	if known {
		return k
	}
	k = readCall(name, r.lang)
	r.calls[name] = k
	return k
}

// AppleScript reports the keystrokes that a script types, and runs the text that it passes to a shell.
func AppleScript(sh *shell.Shell, code string) {
	if typesKeys(code) {
		sh.Effect(effect.TypeInto, "", "osascript")
	}
	r := newReading(sh, code, "applescript")
	r.all()
	toks := r.toks
	if op := applePower(toks); op != "" {
		sh.Effect(effect.Power, effect.Named(op), "")
	}
	for i := range toks {
		if Shaped(toks, i, "nnns") && toks[i].Text+" "+toks[i+1].Text == "do shell" {
			sh.RunText(toks[i+3].Text)
		}
	}
}

// typesKeys reports whether a script types into a window or runs text in a terminal.
func typesKeys(code string) bool {
	switch {
	case lex.Mentions(code, "keystroke"), strings.Contains(code, "key code"), strings.Contains(code, "write text"):
		return true
	}
	return strings.Contains(code, "do script") && strings.Contains(code, "Terminal")
}

// applePower is what a script tells the system to do with the machine.
func applePower(toks []Token) string {
	system := false
	for i, t := range toks {
		switch {
		case t.Kind == 's':
			system = system ||
				lex.OneOf(strings.ReplaceAll(strings.ToLower(t.Text), " ", "-"), "system-events finder loginwindow")
		case t.Kind != 'n', !system:
		case t.Text == "restart", t.Text == "sleep":
			return t.Text
		case lex.OneOf(t.Text, "shut log") && lex.OneOf(textAt(toks, i+1), "down out"):
			return t.Text + " " + toks[i+1].Text
		}
	}
	return ""
}

// Names that a program text gives to calls that we know.

// unqualified returns the last part of a name, such as rmtree of shutil.rmtree.
func unqualified(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// nameAgain notes the names that the program gives to known calls, as in import x as y, {x: y} = … and y = x.
func (r *reading) nameAgain() {
	for i := 0; i+2 < len(r.toks); i++ {
		name, meaning := namedAgain(r.toks[i:], r.lang)
		if r.callNamed(meaning).kind != "" && r.callNamed(name).kind == "" {
			r.names[name] = meaning
		}
		if name, meaning := r.wraps(r.toks[i:]); name != "" {
			r.names[name] = meaning
		}
	}
}

// wraps returns the name of the function that begins at the first of toks, and that of the call which
// runs a command, if the function hands a parameter to it: def sh(c): os.system(c), sh = c => exec(c).
func (r *reading) wraps(toks []Token) (name, meaning string) {
	const longestHead, longest = 8, 24
	toks = toks[:min(len(toks), longest)]
	isFunction := func(i int) bool {
		return lex.OneOf(textAt(toks, i), "lambda function") || Shaped(toks, i, "=>")
	}
	switch {
	case lex.OneOf(toks[0].Text, "def fn func function sub"):
		name = toks[1].Text
	case toks[0].Kind != 'n', toks[1].Kind != '=':
		return "", ""
	default:
		for i := 2; i < longestHead && name == ""; i++ {
			if isFunction(i) {
				name = toks[0].Text
			}
		}
	}
	for i := 2; i < len(toks) && name != ""; i++ {
		if Shaped(toks, i, "n(n") && r.callNamed(toks[i].Text).kind == "run" {
			return name, toks[i].Text
		}
	}
	return "", ""
}

// namedAgain reads "x as y", "x: y" in JavaScript and "y = x" at the start of toks.
func namedAgain(toks []Token, lang string) (name, meaning string) {
	switch a, b := toks[0], toks[1]; {
	case a.Kind != 'n':
	case b.Kind == '=':
		return a.Text, namedLast(toks[2:])
	case toks[2].Kind != 'n':
	case b.Text == "as", b.Kind == ':' && lang == "js":
		return toks[2].Text, a.Text
	}
	return "", ""
}

// namedLast returns the name at the end of an expression such as require("x").y, or "" if the expression calls it.
func namedLast(toks []Token) string {
	last := ""
	for i, t := range toks[:min(8, len(toks))] {
		switch t.Kind {
		case ';':
			return last
		case 'n':
			if tokenAt(toks, i-1).in("n)") {
				return last
			}
			if kindAt(toks, i+1) != '(' {
				last = t.Text
			}
		case '(':
			if last != "" {
				return ""
			}
		}
	}
	return last
}

// TclShells runs the text in braces after -c, which is one word for a shell.
func TclShells(sh *shell.Shell, text string) {
	for sh.Spend(1) {
		_, rest, found := strings.Cut(text, "-c {")
		if !found {
			return
		}
		code, n := delimited("{" + rest)
		sh.RunText(code)
		text = rest[n-1:]
	}
}

// callTokens returns the tokens between the brackets of the call that opens at
// the first of toks, nil if none opens there.
func callTokens(toks []Token) []Token {
	if kindAt(toks, 0) != '(' {
		return nil
	}
	return inBrackets(toks)
}

// objectOf returns the name of the object in the name of a method.
func objectOf(name string) string {
	object, _, _ := strings.Cut(name, ".")
	return object
}

// given returns the tokens between the brackets of the call that opens at the first of toks, or the
// token that stands there without brackets.
func given(toks []Token) []Token {
	if kindAt(toks, 0) != '(' {
		return toks[:min(1, len(toks))]
	}
	return inBrackets(toks)
}

// inBrackets returns the tokens between the bracket that is the first of toks and the one that closes it.
func inBrackets(toks []Token) []Token {
	depth := 0
	toks = toks[:min(len(toks), 256)]
	for i, t := range toks {
		if depth += t.nesting(); depth == 0 {
			return toks[1:i]
		}
	}
	return toks[1:]
}

// request reports the effects of the HTTP request that the call at token i sends. It
// returns true if the call is a request that destroys something.
func (r *reading) request(k knownCall, i int) bool {
	name := r.toks[i].Text
	sent := r.requestAt(r.toks[i+1:])
	if sent.URL == "" && k.deletes && lex.OneOf(name[:max(0, strings.IndexAny(name, ".:"))], httpModules) {
		sent.URL = cmp.Or(programHost(r.toks), partial.Unknown)
	}
	switch {
	case k.deletes && sent.URL == "":
		return false // an element of a map or of a set
	case sent.URL == partial.Unknown && r.sh.InProgram():
		return false
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

// httpModules are the modules whose function delete sends a request.
const httpModules = "Faraday HTTParty Req RestClient axios got httpx httr ky requests superagent"

// sendsRequest reports whether a call other than a networkCall may send an HTTP request.
func sendsRequest(short, full string) bool {
	return lex.OneOf(short, "NewRequest NewRequestWithContext ajax got ky patch put") || deletesByType(full)
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

// requestAt reads the arguments of a call that sends a request: a method, a URL, and the other texts as its body.
func (r *reading) requestAt(toks []Token) (sent web.Sent) {
	var body []string
	args := callTokens(toks)
	if r.lang == "ruby" && kindAt(toks, 0) == 's' {
		args = given(toks)
	}
	for i, t := range args {
		switch text := r.shown(t); {
		case text == "":
		case text == "DELETE", text == "delete" && (i == 0 || strings.EqualFold(textAt(args, i-2), "method")):
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

// shown returns the text that a token is or stands for, or that of the address of which it is a part, as
// in url.path. It returns "" if that is not known.
func (r *reading) shown(t Token) string {
	if t.Kind == 's' {
		return t.Text
	}
	text, ok := r.consts[t.Text]
	switch object := r.consts[objectOf(t.Text)]; {
	case t.Kind != 'n':
		return ""
	case !ok && strings.Contains(object, "://"):
		return object
	}
	return text
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

// sendsSecret reports whether the arguments of a request to another machine hold a credential, or read one.
func (r *reading) sendsSecret(k knownCall, toks []Token) bool {
	args := callTokens(toks)
	switch {
	case r.brings(args) == partial.UnknownSecret, k.uploads && slices.ContainsFunc(args, r.namesSecret):
		return !web.IsLocalHost(r.requestAt(toks).URL)
	}
	return false
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
	return t.named("Buffer.from codecs.decode strrev string.char string.reverse chr String.fromCharCode") ||
		t.calls("b64decode b32decode b85decode a85decode urlsafe_b64decode "+
			"standard_b64decode decode64 strict_decode64 base64_decode decode_base64 unhexlify fromhex a2b_hex "+
			"a2b_base64 atob chr fromCharCode fromCodePoint decompress inflate gzinflate str_rot13 hex2bin unpack "+
			"pack decodeURIComponent decodeURI unescape unquote urldecode rawurldecode uri_unescape")
}

// computed reports whether the first argument of a call is decoded, so that the text does not show what the call runs.
func computed(toks []Token) bool {
	args := callTokens(toks)
	if kindAt(toks, 0) == '[' { // an argument without brackets around it
		args = toks
	}
	args = firstPart(args)
	for i, t := range args {
		switch {
		case decodes(t), Shaped(args, i, "[::-"): // text[::-1] is the text backwards
			return true
		case lex.OneOf(t.Text, "bytes bytearray") && Shaped(args, i, "n(["): // bytes([114, 109])
			return true
		}
	}
	return false
}

// firstPart returns the tokens before the first comma that stands in no brackets.
func firstPart(toks []Token) []Token {
	depth := 0
	for i, t := range toks {
		if depth += t.nesting(); t.Kind == ',' && depth == 0 {
			return toks[:i]
		}
	}
	return toks
}

// readFrom returns where the arguments of a call come from, if they are read from the network or from the
// standard input. Otherwise it returns "". named says that the values of names count, too.
func (r *reading) readFrom(toks []Token, named bool) effect.Op {
	toks = given(toks)
	for i, t := range toks {
		switch {
		case t.Kind == 's' && shell.IsStdin(t.Text), t.Text == "sys.stdin.read":
			return effect.Unseen
		case t.Kind == 'n' && r.fetches(toks[i:]), named && r.outside(t.Text) == partial.UnknownNetwork:
			return effect.Network
		}
	}
	return ""
}
