// Package script reads code of Python, JavaScript, Perl, Ruby, PHP and other languages for what it shows:
// texts, calls and constants, as if each line ran once. It is no interpreter and must not become one. It does
// not follow imports, parameters, conditions and computations; what depends on them is unknown.
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
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// Run reads a program text of another language. It runs strings that the program
// passes to a shell as shell text, and reports the effects of known calls.
func Run(sh *shell.Shell, text, lang string) { start(sh, text, lang, nil) }

// start is Run for a program that the files importing lead to. It returns what was read.
func start(sh *shell.Shell, text, lang string, importing []string) *reading {
	if sh.Opaque(text) || !sh.SpendSource(text) {
		return nil
	}
	sh.Depth++
	sh.BeginProgram(text)
	r, before := newReading(sh, text, lang), len(sh.Eval.Effects)
	r.importing = importing
	place := sh.Place
	r.all()
	sh.Place = place // the program may have left it
	r.sparesOwn(before)
	sh.Depth--
	if bareCommand(text, lang) {
		sh.Run(text, nil)
	}
	return r
}

// bareCommand reports whether a text is shell text that was passed to an interpreter by mistake.
func bareCommand(text, lang string) bool {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, "git ") {
		return !strings.Contains(t, "(")
	}
	return strings.HasPrefix(t, "rm -")
}

// Program texts of other languages are not parsed. They are split into tokens: names with their dots,
// string literals and punctuation. These are the same in all languages that people pass with -c or -e.
// Calls with literal arguments are found in the tokens.

// all reports the effects of a program text. It reads a loop over texts once for each of them.
func (r *reading) all() {
	sh, toks := r.sh, r.toks
	readProtected(sh, r.text, toks)
	r.nameAgain()
	for i := range toks { // the body of a comprehension stands before its head
		r.rememberFiles(i)
	}
	loops := r.literalLoops()
	for _, l := range loops {
		r.consts[l.name] = l.items[0]
	}
	r.tokens(0, len(toks))
	for _, l := range loops {
		for _, item := range l.items[1:] {
			r.consts[l.name] = item
			r.tokens(l.from, l.end)
		}
	}
	if r.lang == "awk" {
		runPipes(sh, toks)
	}
	if opensShell(toks, r.lang) {
		sh.Effect(effect.ReverseShell, effect.Socket, "")
	}
	if forksForever(toks) {
		sh.Effect(effect.ForkBomb, effect.ForkingLoop, "")
	}
}

// A reading is a program text that is being read.
type reading struct {
	sh         *shell.Shell
	text, lang string
	toks       []Token
	calls      map[string]knownCall // what names say, as far as they were needed
	names      map[string]string    // that the program gives to known calls
	consts     map[string]string    // the texts that names stand for
	lists      map[string][]string  // the lists of texts that names stand for
	services   map[string]service   // the names that stand for clients of services
	inItem     bool                 // an item of a list is being read
	importing  []string             // the files that lead to the program
	written    []string             // the files that the program writes
	handles    map[string]string    // the files that names stand for
	fetching   bool                 // it gets something from the network
}

func newReading(sh *shell.Shell, text, lang string) *reading {
	return &reading{
		sh:       sh,
		text:     text,
		lang:     lang,
		toks:     Tokenize(text, lang),
		calls:    map[string]knownCall{},
		names:    map[string]string{},
		consts:   map[string]string{},
		lists:    map[string][]string{},
		services: map[string]service{},
		handles:  map[string]string{},
	}
}

// tokens reads a part of the program from its beginning to its end, as if each line ran once.
func (r *reading) tokens(from, end int) {
	sh, toks := r.sh, r.toks
	for i := from; i < end; i++ {
		t := toks[i]
		sh.AtOffset(r.text, t.At)
		switch t.Kind {
		case 'x':
			sh.RunText(t.Text)
		case 's':
			r.quoted(i)
		case 'n':
			r.remember(i)
			r.extend(i)
			r.rememberFiles(i)
			r.starts(i)
			r.call(r.calledBy(i), i)
		}
	}
}

// calledBy returns the name of what the name at token i calls: another one that the program gives to
// it, or in PHP the text of a variable.
func (r *reading) calledBy(i int) string {
	name := r.toks[i].Text
	if text := r.consts[name]; r.lang == "php" && kindAt(r.toks, i+1) == '(' && !unreadable(text) {
		return text
	}
	return cmp.Or(r.names[name], name)
}

// fromSocket reports whether the expression of an assignment is a connection that the program
// opens, or what the program reads from one.
func (r *reading) fromSocket(toks []Token) bool {
	receiver, method, _ := strings.Cut(textAt(toks, 0), ".")
	switch {
	case connects(toks[0]), toks[0].Text == "socket.socket":
		return true
	case r.consts[receiver] != partial.UnknownNetwork:
		return false
	}
	return lex.OneOf(method, "gets read readline readpartial recv recvfrom")
}

// decodedValue reports whether the expression of an assignment decodes a text: the
// call at its start, or one in the arguments of that call.
func decodedValue(toks []Token) bool {
	if decodes(toks[0]) {
		return true
	}
	i := slices.IndexFunc(toks[:min(len(toks), 4)], func(t Token) bool { return t.in("(,;=") }) // "".join(
	return i >= 0 && computed(toks[i:])
}

// quoted reports the string at token i that is a name, a command or a socket.
func (r *reading) quoted(i int) {
	sh, toks := r.sh, r.toks
	text := toks[i].Text
	switch {
	case Shaped(toks, i+1, ")("), Shaped(toks, i+1, "]("):
		for j := i - 2; Shaped(toks, j, "s+"); j -= 2 {
			text = toks[j].Text + text
		}
		r.call(text, i+1) // getattr(x, "name")(…), x["name"](…)
	case r.lang == "js" && tagsShell(tokenAt(toks, i-1)):
		if code, ok := r.literal(toks[i:]); ok {
			sh.RunText(code)
		}
	case sh.Place.Away == "" && protected.BrowserStore(text):
		sh.Effect(effect.ReadFile, effect.Cookies, text)
	case strings.Contains(text, "://") && web.MetadataURL(text):
		sh.Effect(effect.RevealSecret, effect.MachineCredentials, text)
	case NamesSocket(text):
		sh.Effect(effect.SteerAfar, effect.Socket, text)
	}
}

// NamesSocket reports whether a text names a socket of Afar.
func NamesSocket(text string) bool {
	return strings.Contains(text, ".sock") && strings.Contains(text, "afar")
}

// tagsShell reports whether a name passes the template after it to a shell, as in $`…` of zx and Bun, and execa`…`.
func tagsShell(t Token) bool {
	short := t.Text[strings.LastIndexByte(t.Text, '.')+1:]
	switch {
	case t.Kind != 'n', short == "exec":
		return false
	case short == "$":
		return true
	}
	return callKind(short, t.Text, "js") == "run"
}

// opensShell reports whether a program opens a connection and starts a shell without a command.
func opensShell(toks []Token, lang string) bool {
	if lang == "awk" && slices.ContainsFunc(toks, func(t Token) bool { return strings.HasPrefix(t.Text, "/inet/") }) {
		return true
	}
	return slices.ContainsFunc(toks, startsShell) && slices.ContainsFunc(toks, connects)
}

// connects reports whether a token is the name of a call that opens a connection.
func connects(t Token) bool {
	return t.Kind == 'n' &&
		(strings.HasPrefix(t.Text, "TCPSocket.") || lex.OneOf(unqualified(t.Text), "connect createConnection"+
			" create_connection fsockopen sockaddr_in stream_socket_client"))
}

// startsShell reports whether a token is a text that starts a shell without a command.
func startsShell(t Token) bool {
	if !t.in("sx") {
		return false
	}
	name, rest, _ := strings.Cut(t.Text, " ")
	switch {
	case name == "cmd.exe":
		return true
	case !lex.IsShellName(lex.ProgramName(name)):
		return false
	case rest == "":
		return true
	}
	return strings.HasPrefix(rest, "-i") || strings.Contains(rest, "<&")
}

// runPipes handles print | "command", print > "file" and "command" | getline.
func runPipes(sh *shell.Shell, toks []Token) {
	for i, t := range toks {
		if t.Kind != 's' {
			continue
		}
		var printed *string
		if kindAt(toks, i-2) == 's' {
			printed = &toks[i-2].Text
		}
		switch kindAt(toks, i-1) {
		case '|':
			sh.RunTextIn(t.Text, printed)
			continue
		case '>':
			path := sh.Write(t.Text)
			if printed != nil {
				sh.Remember(path, *printed)
			}
		}
		if kindAt(toks, i+1) == '|' && textAt(toks, i+2) == "getline" {
			runLine(sh, sh.Output(t.Text), toks[i+3:])
		}
	}
}

// runLine runs a text that awk has read into a variable, if it passes the variable to a shell.
func runLine(sh *shell.Shell, text string, toks []Token) {
	name := textAt(toks, 0)
	for i := range toks {
		if toks[i].Text == "system" && Shaped(toks, i+1, "(n)") && toks[i+2].Text == name {
			sh.RunText(text)
			return
		}
	}
}

// reportEffect reports what a call of a kind does with its arguments.
func reportEffect(sh *shell.Shell, kind, arg string, args []string) {
	switch kind {
	case "run":
		runCommand(sh, arg, args)
	case "line":
		sh.RunText(strings.Join(args, " "))
	case "sql":
		sql.Read(sh, arg)
	case "execute":
		runStatement(sh, arg, args)
	case "eval":
		if unreadable(arg) {
			sh.Effect(effect.RunUnknown, shell.OriginOf(partial.Unknown+arg), "")
		}
	case "open":
		openFile(sh, arg, args)
	case "copy", "into", "link", "move":
		if len(args) > 1 {
			reportPair(sh, kind, args[0], args[1])
		}
	case "chdir":
		sh.Place.Cwd = sh.Path(cmp.Or(arg, partial.Unknown))
	case "dup":
		sh.Possible(effect.ReverseShell, effect.Socket, "")
	case "kill":
		op := effect.Op("")
		if strings.Contains(arg, "*") { // each process that a loop finds
			op = effect.Found
		}
		sh.Possible(effect.KillProcess, op, arg)
	default:
		if arg != "" {
			reportFile(sh, kind, arg)
		}
	}
}

// reportPair reports what a call does with two files, or with an address and a file.
func reportPair(sh *shell.Shell, kind, from, to string) {
	switch {
	case kind == "into":
		sh.Write(to)
	case kind == "link":
		sh.Links(from, to)
		sh.WriteAs(effect.Placed, to)
	case kind == "move":
		sh.Effect(effect.MoveAway, "", sh.Path(from))
		sh.Arrives(from, to)
		sh.Moved(from, to)
	case strings.Contains(from, "://"):
		sh.Remember(sh.Write(to), partial.UnknownNetwork)
	case !partial.HasHole(from + to):
		sh.Read(from)
		sh.Arrives(from, to)
		sh.Overlays(sh.Path(to), sh.Path(from))
	}
}

// reportFile reports what a call does with the file that it names.
func reportFile(sh *shell.Shell, kind, file string) {
	switch kind {
	case "tree":
		sh.Effect(effect.DeleteTree, "", sh.Path(file))
	case "unlink":
		sh.Deletes(effect.DeleteFile, "", file)
	case "write":
		sh.Write(file)
	case "append":
		sh.WriteAs(effect.Append, file)
	case "empty":
		sh.WriteAs(effect.Truncate, file)
	case "read":
		sh.Read(file)
	case "load":
		if strings.Contains(file, "/") { // no module
			sh.Read(file)
		}
	}
}

func runCommand(sh *shell.Shell, arg string, args []string) {
	switch {
	case arg == "", len(args) == 0:
	case arg == partial.Unknown:
		// a variable passed to a shell: common in code, and it cannot be read
	case fetchesWord(arg):
		sh.Run(arg, nil)
	case strings.ContainsAny(arg, separators):
		sh.RunText(strings.TrimPrefix(arg, "!"))
	case len(args) > 1:
		sh.Run(shell.QuoteAll(args), nil) // an argument from the network is no code
	default:
		sh.RunText(arg)
	}
}

// separators stand between the words of a command, or between commands.
const separators = " \t\n|;&"

// fetchesWord reports whether a part of a command comes from the network, but not its beginning.
func fetchesWord(command string) bool {
	first := strings.IndexAny(command, separators)
	if first <= 0 || partial.HasHole(command[:first]) {
		return false
	}
	return strings.ContainsRune(command, partial.HoleNetwork) && !strings.ContainsRune(command, partial.HoleDecoded)
}

// runStatement reads the text that a program passes to a database, or to a shell by a call of the same name.
func runStatement(sh *shell.Shell, arg string, args []string) {
	n := len(sh.Eval.Effects)
	sql.Read(sh, arg)
	verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(arg)), " ")
	const statements = "ALTER BEGIN CALL COMMIT CREATE DELETE DROP EXPLAIN GRANT INSERT MERGE PRAGMA SELECT SET SHOW" +
		" TRUNCATE UPDATE VACUUM WITH"
	if len(sh.Eval.Effects) == n && !lex.OneOf(verb, statements) {
		runCommand(sh, arg, args)
	}
}

// openOp returns how a file changes that is opened with a mode for writing.
func openOp(mode string) effect.Op {
	switch {
	case strings.Contains(mode, "a"), strings.HasPrefix(mode, ">>"):
		return effect.Append
	case strings.Contains(mode, "r"):
		return effect.Edit
	}
	return ""
}

// isPerlMode reports whether a text is the mode of Perl's open: "<", ">>", "+<:encoding(UTF-8)".
func isPerlMode(text string) bool {
	mode, _, _ := strings.Cut(text, ":")
	return mode != "" && strings.Trim(mode, "<>+ ") == ""
}

// openFile reports the effect of open(), which writes only if the mode says so.
func openFile(sh *shell.Shell, arg string, args []string) {
	mode := textIn(args, 1)
	if strings.Contains(mode, "|") { // perl: behind the file handle
		arg, args = mode, args[1:]
		mode = textIn(args, 1)
	}
	if i := slices.IndexFunc(args, isPerlMode); i >= 0 && i+1 < len(args) { // perl: open(F, ">", name)
		arg = args[i+1]
		mode, _, _ = strings.Cut(args[i], ":")
	}
	switch {
	case arg == "":
	case lex.OneOf(arg, "-| |-") && mode != "":
		runCommand(sh, mode, args[1:])
	case strings.HasPrefix(arg, "|"), strings.HasSuffix(arg, "|"): // perl's pipes
		sh.RunText(strings.Trim(arg, "|"))
		if lex.IsShellName(strings.TrimSpace(arg[1:])) {
			sh.Effect(effect.RunUnknown, effect.Unseen, "")
		}
	case len(mode) <= 3 && strings.ContainsAny(mode, "wax+>"):
		sh.WriteAs(openOp(mode), arg)
	case arg[0] == '>':
		sh.Write(strings.TrimLeft(arg, "> "))
	case len(args) == 2 && strings.HasPrefix(mode, ">"): // perl: open(F, ">name")
		sh.Write(strings.TrimLeft(mode, "> "))
	default:
		sh.Read(arg)
	}
}
