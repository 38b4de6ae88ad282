package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// This file follows what a program fetches from the network, and what it reads of a credential:
// through expressions and names, to a request, to a file, or to a call that runs it.

// expression returns the tokens of the expression that begins at a token: up to the end of the
// statement, or of the brackets in which it stands.
func (r *reading) expression(from int) []Token {
	const longest = 64
	depth, end := 0, min(len(r.toks), from+longest)
	for i := from; i < end; i++ {
		t := r.toks[i]
		depth += t.nesting()
		switch {
		case depth < 0:
			return r.toks[from:i]
		case t.nesting() != 0, depth > 0, i == from:
		case t.in(";=,"), r.beginsStatement(i):
			return r.toks[from:i]
		}
	}
	return r.toks[from:end]
}

// beginsStatement reports whether the token at i begins a line, and does not go on with what stands before it.
func (r *reading) beginsStatement(i int) bool {
	before, t := r.toks[i-1], r.toks[i]
	return !t.in(".+?") && !before.in("=+.,|&?>") && strings.Contains(r.text[before.At:max(before.At, t.At)], "\n")
}

// brings returns the hole for what an expression brings into the program: a text of the network, or
// one of a credential. It returns "" for any other expression.
func (r *reading) brings(toks []Token) string {
	reads, secret, parsed := false, false, false
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case lex.OneOf(strings.ToLower(t.Text), signs):
			i += signLength(toks[i:])
			continue
		case t.Kind != 'n':
			continue
		case lex.OneOf(unqualified(t.Text), extracts):
			parsed = true
		case r.callNamed(t.Text).kind == "read", lex.OneOf(unqualified(t.Text), readers):
			reads = true
		}
		switch hole := r.outside(t.Text); {
		case hole == partial.UnknownNetwork, r.fetches(toks[i:]):
			return partial.UnknownNetwork
		case hole != "":
			secret = true
		}
	}
	switch {
	case parsed:
	case secret, reads && slices.ContainsFunc(toks, r.namesSecret):
		return partial.UnknownSecret
	}
	return ""
}

// signs are the names of the arguments with which a request shows who sends it, and extracts the
// calls that return a part of a text.
const (
	signs    = "auth authorization basic_auth bearer cert header headers"
	extracts = "access dotenv_values exec exists existsSync findall fromEntries load loads match matchAll parse" +
		" partition safe_load search split splitlines stat statSync"
)

// signLength returns the number of the tokens behind the name of an argument that are its value.
func signLength(toks []Token) int {
	for i := range toks[:min(len(toks), 4)] {
		if toks[i].in("({[") {
			return i + len(inBrackets(toks[i:])) + 1
		}
	}
	return min(2, len(toks)-1)
}

// outside returns the hole for a name, or for the object of which it is a part.
func (r *reading) outside(name string) string {
	for _, text := range [...]string{r.consts[name], r.consts[objectOf(strings.TrimLeft(name, ".*"))]} {
		if text == partial.UnknownNetwork || strings.Contains(text, partial.UnknownSecret) {
			return text
		}
	}
	return ""
}

// readers are calls that return the text of a file, or send it.
const readers = "ReadAll ReadFile fopen open read read_to_string sendFile upload uploadFile upload_file"

// namesSecret reports whether a token is the path of a credential.
func (r *reading) namesSecret(t Token) bool {
	text := t.Text
	switch {
	case t.Kind == 'n':
		text = cmp.Or(r.consts[t.Text], r.consts[objectOf(t.Text)])
	case t.Kind != 's':
		return false
	}
	if text == "" || strings.Contains(text, "://") {
		return false
	}
	home := r.sh.Place.Home
	return protected.SecretPath(r.sh.Path(text), home) || protected.SecretPath(home+text, home) // behind the home
}

// fetchers are the names of calls that return the content at an address, if an argument is one. askers
// return it whatever their argument is.
const (
	fetchers = "get fetch open read urlopen request send Get axios got readLines scan source file_get_contents " +
		"fopen readfile curl_init curl include slurp download urlretrieve readAsText getstore mirror " +
		"require import include_once require_once source_url importScripts download.file"
	addresses = "URI URL url parse"
	askers    = "Faraday.get HTTParty.get LWP::Simple.get Net::HTTP.get RestClient.get URI.open axios.get curl_exec" +
		" fetch getstore http.Get httpx.get requests.get urllib.request.urlopen urlopen"
)

// longestAddress bounds the tokens of a call among which an address is looked for.
const longestAddress = 25

// fetches reports whether toks begin with a call that gets something from another machine.
func (r *reading) fetches(toks []Token) bool {
	k := r.callNamed(toks[0].Text)
	if !k.fetches {
		return false
	}
	args := given(toks[1:min(longestAddress, len(toks))])
	end := len(args) + 3
	reads := lex.OneOf(methodAt(toks, end), "read open text openStream")
	if lex.OneOf(k.short, addresses) && !reads {
		return false
	}
	for _, t := range args {
		if text := r.shown(t); strings.Contains(text, "://") {
			return lex.BeginsWith(text, "http:// https:// ftp://") && !web.IsLocalHost(text)
		}
	}
	return k.asks && tokenAt(toks, 1).in("(sn")
}

// rememberBrought gives a name what an expression brings into the program.
func (r *reading) rememberBrought(name string, toks []Token) {
	if hole := r.brings(toks); hole != "" {
		r.keep(name, hole)
	}
}

// rememberNamed gives the name at token i what the expression before it brings, as in "with open(x) as f".
func (r *reading) rememberNamed(i int) {
	const longest = 32
	if textAt(r.toks, i-1) != "as" || r.lang != "python" {
		return
	}
	for j := i - 2; j > max(0, i-longest); j-- {
		if lex.OneOf(r.toks[j-1].Text, "with as") {
			r.rememberBrought(r.toks[i].Text, r.toks[j:i-1])
			return
		}
	}
}

// fetched notes that the call at token i gets something from the network: the functions that the
// call gets have it as their parameters, and the files that the program writes may hold it.
func (r *reading) fetched(i int) {
	r.fetching = true
	for _, path := range r.written {
		r.writesFetched(path)
	}
	toks := r.expression(i)
	for j := range toks {
		switch {
		case Shaped(toks, j, "n=>"), Shaped(toks, j, "n)=>"), Shaped(toks, j, "n,n)=>"):
			r.keep(toks[j].Text, partial.UnknownNetwork)
		case Shaped(toks, j, "|n|"):
			r.keep(toks[j+1].Text, partial.UnknownNetwork)
		case toks[j].Text == "function" && Shaped(toks, j+1, "(n"):
			r.keep(toks[j+2].Text, partial.UnknownNetwork)
		}
	}
}

// writesFetched notes that a file may hold what the program fetches, unless the call shows its text.
func (r *reading) writesFetched(path string) {
	if _, known := r.sh.Files[path]; r.fetching && !known {
		r.sh.Remember(path, partial.UnknownNetwork)
	}
}

// keepsWritten notes what the files hold that a call at token i writes, which ends at the token
// end. Its effects are those from the n-th on, and text is what it writes, "" if that is not shown.
func (r *reading) keepsWritten(i, end, n int, text string) {
	const most = 32
	for _, e := range r.sh.Eval.Effects[n:] {
		switch {
		case e.Kind != effect.WriteFile, e.Away != "", !fspath.IsExact(e.Target), len(r.written) >= most:
		case !unreadable(text):
			r.sh.Remember(e.Target, text)
		default:
			r.handles[r.handleOf(i, end)] = e.Target
			r.written = append(r.written, e.Target)
			r.writesFetched(e.Target)
		}
	}
}

// shownText returns the text that a call of a kind writes into a file, which ends at the token end.
func (r *reading) shownText(k knownCall, end int, args []string) string {
	switch {
	case k.kind == "open" && textAt(r.toks, end+2) == "write":
		args, _ = r.arguments(r.toks, end+2)
		return lex.First(args)
	case k.kind != "write":
		return ""
	case lex.BeginsWith(k.short, "write_"):
		return lex.First(args)
	}
	return textIn(args, 1)
}

// handleOf returns the name that a program gives to the file which the call at token i opens: before
// an equals sign, or behind the call, which ends at the token end.
func (r *reading) handleOf(i, end int) string {
	for lex.OneOf(textAt(r.toks, i-1), "await new") {
		i--
	}
	switch {
	case r.lang == "perl": // open F, open my $f, open(F
		for lex.OneOf(textAt(r.toks, i+1), "( my") {
			i++
		}
		return textAt(r.toks, i+1)
	case kindAt(r.toks, i-1) == '=':
		return textAt(r.toks, i-2)
	}
	return loopName(r.toks, i, end-i+1) // a block with a parameter
}

// writesShown adds the text that the call at token i writes to a file that a name stands for.
func (r *reading) writesShown(name string, i int) {
	object, method, _ := strings.Cut(name, ".")
	path := r.handles[object]
	if handle := textAt(r.toks, i+1); r.lang == "perl" && r.handles[handle] != "" {
		path, method = r.handles[handle], name // print F "text"
		i++
	}
	if path == "" || !lex.OneOf(method, "WriteString end print printf puts say write") {
		return
	}
	before := r.sh.Files[path]
	args, _ := r.arguments(r.toks, i)
	if text := lex.First(args); !unreadable(text) && !partial.HasHole(before) {
		r.sh.Remember(path, r.sh.Afford(before+text))
	}
}
