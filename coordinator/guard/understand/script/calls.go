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
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// arguments reads the arguments of the call whose name is the token at i. It
// returns the literals of the outermost level and the items of a list of literals.
func (r *reading) arguments(toks []Token, i int) (args []string, end int) {
	if !tokenAt(toks, i+1).in("(\x00") {
		return r.bareArguments(toks, i)
	}
	a := arguments{reading: r, fresh: true}
	end = a.read(toks, i+1, 255)
	return a.args, end
}

// bareArguments reads the arguments of a call without brackets, such as system "text" in Ruby and Perl.
func (r *reading) bareArguments(toks []Token, i int) (args []string, end int) {
	j := i + 1
	for j < min(len(toks), i+24) {
		if r.betweenArguments(toks, i, j) {
			j++
			continue
		}
		t := toks[j]
		if !r.bareArgument(toks[i], t) {
			break
		}
		text, n, known := r.literalLength(toks[j:])
		if !known {
			break
		}
		args = append(args, text)
		j += n
	}
	return args, min(j, len(toks))
}

// bareArgument reports whether a token may be an argument of a call without brackets.
func (r *reading) bareArgument(call, t Token) bool {
	switch {
	case t.Kind == 's', lex.BeginsWith(t.Text, "$ @"):
		return true
	}
	return r.lang == "ruby" && r.sameLine(call, t)
}

// betweenArguments reports whether the token at j stands between the arguments of the call at i, or before them.
func (r *reading) betweenArguments(toks []Token, i, j int) bool {
	switch t := toks[j]; {
	case t.Text == "$_":
		return r.consts["$_"] == "" && j == i+1 && lex.OneOf(toks[i].Text, "unlink rmtree")
	case t.Kind == ',':
		return j > i+1 || kindAt(toks, j+1) == 's'
	case listsFiles(t), Shaped(toks, j-1, "n("):
		return true
	case toks[i].Text != "open":
		return false
	case j == i+1: // open F,
		return t.Kind == 'n'
	}
	return j == i+2 && Shaped(toks, i, "nnn,") // open my $f,
}

// sameLine reports whether a name stands on the line of a token before it.
func (r *reading) sameLine(before, name Token) bool {
	return name.Kind == 'n' && !strings.Contains(r.text[before.At:name.At], "\n")
}

// listsFiles reports whether t is the name of a function that lists files, or the second word
// that repeats a call in Perl.
func listsFiles(t Token) bool {
	return t.Kind == 'n' && (strings.HasSuffix(t.Text, "glob") || lex.OneOf(t.Text, "for foreach"))
}

// arguments collects the arguments of one call.
type arguments struct {
	*reading
	args  []string
	depth int
	fresh bool // a new argument begins
	until int  // the tokens before it are part of the last argument
	every bool // an argument that is not known is a hole
}

// read takes the tokens of the call that opens at from, at most that many. It returns the index of its end.
func (a *arguments) read(toks []Token, from, most int) (end int) {
	for j := from; j < min(len(toks), from+most); j++ {
		if a.take(toks, j) {
			return j
		}
	}
	return len(toks)
}

// take takes the token at j; it returns true at the end of the call.
func (a *arguments) take(toks []Token, j int) bool {
	t := toks[j]
	switch {
	case j < a.until:
	case a.fresh && t.Kind == '[' && a.takeComputed(toks, j):
	case t.in("([{"):
		a.depth++
		a.fresh = a.fresh || t.Kind == '['
	case t.in(")]}"):
		a.depth--
		return a.depth <= 0
	case t.in(",=:"), Shaped(toks, j-1, "]+"):
		a.fresh = true
	case !a.fresh, !t.in("snx"), lex.OneOf(t.Text, sameList) && kindAt(toks, j+1) == '(':
	case a.every:
		a.addAny(toks, j)
	case sets(toks, j-2, notInputs), t.Kind == 'n' && tokenAt(toks, j+1).in("=:"), a.named(t):
		a.fresh = false
	default:
		a.fresh = false
		a.add(toks, j)
	}
	return false
}

// notInputs are the options that say how a call works, and not on what.
const notInputs = "cwd chdir env encoding errors executable stdin stdout stderr stdio newline"

// takeComputed takes a list on which a method is called, as one argument.
func (a *arguments) takeComputed(toks []Token, j int) bool {
	v, n, ok := a.literalLength(toks[j:])
	if ok {
		a.args = append(a.args, v)
		a.fresh, a.until = false, j+n
	}
	return ok
}

// named adds the items of the list for which a name stands, as in x, *x and ...x.
func (a *arguments) named(t Token) bool {
	items, ok := a.lists[strings.TrimRight(t.Text, ".")]
	if t.Kind != 'n' || !ok {
		return false
	}
	a.args = append(a.args, items[:min(len(items), maxItems)]...)
	return true
}

func (a *arguments) add(toks []Token, j int) {
	switch v, n, ok := a.literalLength(toks[j:]); {
	case ok && slices.ContainsFunc(toks[j:j+n], func(t Token) bool { return t.calls("split") }):
		a.args = append(a.args, strings.Fields(v)...)
	case ok:
		a.args = append(a.args, v)
		if kindAt(toks, j+1) == '(' {
			a.until = j + closed(toks[j:], n)
		}
	case a.depth != 1, len(a.args) > 0, lex.OneOf(toks[j].Text, notTexts):
		// only the first argument counts if it is not known
	default:
		a.args = append(a.args, partial.Unknown)
	}
}

// addAny adds the argument at token j, a hole if it is not known.
func (a *arguments) addAny(toks []Token, j int) {
	v, n, ok := a.literalLength(toks[j:])
	if !ok {
		v, n = partial.Unknown, 1+len(callTokens(toks[j+1:]))
	}
	a.args = append(a.args, v)
	a.fresh, a.until = false, j+closed(toks[j:], n)
}

// notTexts are values that no unknown text can be, as in unlink(missing_ok=True).
const notTexts = "FALSE False NULL None TRUE True false nil null true undefined"

// call reports the effect of the call of name at token i, if it is a known call.
func (r *reading) call(name string, i int) {
	k := r.callNamed(name)
	r.writesShown(name, i)
	if k.fetches && r.fetches(r.toks[i:]) {
		r.fetched(i)
		k.uploads = true
	}
	r.imports(k, name, i)
	sh, behind := r.sh, r.toks[i+1:]
	switch {
	case k.other, r.deletesHosted(k, i), r.doubtful(k.kind, name):
		return
	case k.client:
		r.bindsClient(i)
	case k.types:
		sh.Effect(effect.TypeInto, "", "ioctl")
		return
	case k.maps:
		r.mapped(behind)
	case k.destroys && r.hasArguments(behind) && !web.IsLocalHost(programHost(r.toks)):
		sh.Possible(effect.DestroyRemote, effect.Part, name)
	}
	if !r.sends(k, name, i) && len(behind) > 0 {
		r.known(k, i)
	}
}

// hasArguments reports whether toks begin with the arguments of a call.
func (r *reading) hasArguments(toks []Token) bool { return r.lang == "ruby" || kindAt(toks, 0) == '(' }

// sends reports what the call of name at token i sends to another machine. It returns true if that is
// a request which destroys something.
func (r *reading) sends(k knownCall, name string, i int) bool {
	behind := r.toks[i+1:]
	switch {
	case !k.sends && !k.uploads:
	case sendsEnvironment(behind), r.sendsSecret(k, behind):
		r.sh.Effect(effect.SendOut, effect.Secret, name)
	}
	if k.requests && r.request(k, i) {
		return true
	}
	if k.sends {
		r.foreignKeysLeave(behind)
	}
	return false
}

// destroysByName reports whether the name of a function in the library of a service says that it deletes something.
func destroysByName(short string) bool {
	w := lex.VerbWords(short)
	switch {
	case len(w) < 2, !verbs.IsPlain(w[0]) && !lex.OneOf(w[0], "clear flush"), w[0] == "remove", lex.OneOf(w[1], ofMemory):
		return false
	case w[1] == "all":
		return !lex.ContainsAny(w[2:], "windows")
	}
	return true
}

// ofMemory are second words in the names of functions that work on what the program has in memory.
const ofMemory = "at buffer buffers cache column columns duplicates first if immediate interval keep last line lines" +
	" na nulls output prefix property screen stdout suffix timeout timer until while window windows word words"

// known reports a call of a kind that is known.
func (r *reading) known(k knownCall, i int) {
	switch k.kind {
	case "":
	case "show":
		r.showsVariable(r.toks[i+1:])
	case "eval text":
		if k.kind = "eval"; kindAt(r.toks, i+1) == '(' { // else it is a block
			r.runs(k, i)
		}
	case "run", "eval":
		r.runs(k, i)
	case "limits", "inside", "syscall":
		r.reachesProcess(k, i)
	default:
		r.reports(k, i)
	}
}

// reachesProcess reports a call that sets limits of another process or reaches into it.
func (r *reading) reachesProcess(k knownCall, i int) {
	args, op := given(r.toks[i+1:]), effect.Inside
	own := Shaped(r.toks, i-2, "()") // Process().rlimit
	if k.kind == "syscall" {
		number := textAt(args, 0)
		switch args = args[min(2, len(args)):]; {
		case lex.OneOf(number, limitCalls):
			k.short, k.kind = "prlimit", "limits"
		case !lex.OneOf(number, insideCalls):
			return
		}
	}
	if k.kind == "limits" {
		needed := 1 // that of psutil
		if op = effect.Limits; k.short == "prlimit" {
			needed = 2
		}
		commas := 0
		for _, t := range args {
			if t.Kind == ',' {
				commas++
			}
		}
		own = own || commas < needed
	}
	if pid := textAt(args, 0); !own && pid != "0" && !strings.HasSuffix(pid, "getpid") {
		r.sh.Effect(effect.KillProcess, op, pid)
	}
}

// These are the numbers of system calls on Linux, for amd64 and arm64: prlimit64; ptrace,
// process_vm_readv, process_vm_writev and pidfd_getfd.
const (
	limitCalls  = "302 261"
	insideCalls = "101 117 270 271 310 311 438"
)

// seeksAfar reports whether a program looks for Afar's processes.
func (r *reading) seeksAfar() bool {
	return lex.Mentions(r.text, "/proc process_iter pgrep pidof psutil lsof") && protected.NamesProcess(r.text)
}

// runs reports a call that runs its first argument. It may hide what that is.
func (r *reading) runs(k knownCall, i int) {
	behind := r.toks[i+1:]
	switch origin := r.readFrom(behind, k.kind == "eval"); {
	case computed(behind), kindAt(behind, 0) == '[' && computed(r.expression(i+1)):
		r.sh.Effect(effect.RunUnknown, effect.Decoded, "")
	case origin != "":
		r.sh.Effect(effect.RunUnknown, origin, "")
	case !r.runsFileText(k.kind, behind):
		r.reports(k, i)
	}
}

// reports reports what a call of a known kind does with its arguments.
func (r *reading) reports(k knownCall, i int) {
	sh, toks := r.sh, r.toks
	args, end := r.arguments(toks, i)
	switch k.kind {
	case "run":
		args = r.processWords(k.short, args, end)
	case "move":
		args = r.moved(k.short, i, args)
	case "open":
		args = r.opened(i, args)
	}
	arg := lex.First(args)
	switch {
	case strings.HasPrefix(textAt(toks, i+1), "$"):
	case arg == "" && lex.OneOf(k.kind, "unlink tree write"),
		lex.OneOf(k.short, "write_text write_bytes read_text read_bytes"): // it works on the object before its name
		arg = r.receiver(i)
		if next := tokenAt(toks, i+1); r.lang == "perl" && (next.in(";}:") || lex.OneOf(next.Text, "if unless")) {
			arg = r.consts["$_"]
		}
	}
	if k.kind == "kill" && r.seeksAfar() {
		sh.Effect(effect.KillProcess, effect.Found, shell.FoundMark+"afar")
		return
	}
	kind := r.exactKind(k.kind, args, i, end)
	n := len(sh.Eval.Effects)
	switch {
	case kind == "run" && isStatement(arg):
		kind = "sql"
	case kind == "run":
		sh = r.placed(i, end)
		r.hidesProgram(i, arg)
		if r.isMethod(i) && !slices.ContainsFunc(toks[i:min(end, len(toks))], asksForShell) {
			defer sh.Forgets(n, effect.Unreadable) // a query or a text to search, not a command
		}
	case kind == "eval" && !unreadable(arg):
		Run(sh, arg, r.lang)
		return
	}
	reportEffect(sh, kind, arg, args)
	if lex.OneOf(kind, "open write") {
		r.keepsWritten(i, end, n, r.shownText(k, end, args))
	}
}

// isMethod reports whether the call at token i is one of an object that is no module for processes, as
// in session.run(…) and /a(b)/.exec(…).
func (r *reading) isMethod(i int) bool {
	const modules = "IO Kernel Process asyncio child_process commands cp os pexpect posix proc sh shell subprocess"
	of, _, named := strings.Cut(r.toks[i].Text, ".")
	switch {
	case !lex.OneOf(unqualified(r.toks[i].Text), "run exec call"):
		return false
	case named && of != "":
		return !lex.OneOf(of, modules)
	}
	return kindAt(r.toks, i-1) == '.' && kindAt(r.toks, i-2) != ')'
}

// asksForShell reports whether a token is the argument with which Python and JavaScript pass a text to a shell.
func asksForShell(t Token) bool { return t.Kind == 'n' && t.Text == "shell" }

// hidesProgram reports a command on the command line whose program a call returns, of which nothing
// is known. The call at token i starts the command.
func (r *reading) hidesProgram(i int, command string) {
	const shown = "which shutil.which shlex.quote shlex.join require.resolve join resolve str os.fspath"
	switch {
	case r.sh.InProgram(), !strings.HasPrefix(command, partial.Unknown+" "):
	case Shaped(r.toks, i+2, "n(") && !r.toks[i+2].calls(shown):
		r.sh.Effect(effect.RunUnknown, effect.Decoded, "")
	}
}

// starts runs the program that the properties of a process name in Swift, in one statement each.
func (r *reading) starts(i int) {
	const most = 60 // tokens from the program to its arguments
	if kindAt(r.toks, i+1) != '=' || !lex.OneOf(unqualified(r.toks[i].Text), "executableURL launchPath") {
		return
	}
	toks := r.toks[i+2 : min(len(r.toks), i+most)]
	program := slices.IndexFunc(toks, func(t Token) bool { return t.Kind == 's' })
	given := slices.IndexFunc(toks, func(t Token) bool { return unqualified(t.Text) == "arguments" })
	if program < 0 || given < program || !Shaped(toks, given+1, "=[") {
		return
	}
	argv := []string{toks[program].Text}
	for _, t := range toks[given+3:] {
		if t.Kind == 's' {
			argv = append(argv, t.Text)
		} else if t.Kind != ',' {
			break
		}
	}
	r.sh.Exec(argv, nil)
}

// isStatement reports whether a text is a statement of SQL that changes something, and no command.
func isStatement(text string) bool {
	words := strings.Fields(strings.ToUpper(lex.Clip(text, 200)))
	if len(words) < 3 {
		return false
	}
	return lex.OneOf(words[0], "DROP DELETE TRUNCATE ALTER") &&
		lex.OneOf(words[1], "DATABASE FROM INDEX SCHEMA TABLE USER VIEW")
}

// placed returns the shell for the command that the call at token i starts, which ends at the token
// end: it runs in the directory that an argument names.
func (r *reading) placed(i, end int) *shell.Shell {
	for j := i + 1; j+2 < min(end, len(r.toks)); j++ {
		if sets(r.toks, j, "cwd chdir current_dir") {
			child := r.sh.Sub()
			dir, _ := r.literal(r.toks[j+2:])
			child.Place.Cwd = child.Path(cmp.Or(dir, partial.Unknown))
			return child
		}
	}
	return r.sh
}

// sets reports whether an argument or a setting with one of the blank-separated names gets its value at token i.
func sets(toks []Token, i int, names string) bool {
	return tokenAt(toks, i).in("sn") && lex.OneOf(textAt(toks, i), names) && tokenAt(toks, i+1).in("=:")
}

// moved returns the path that the call at token i moves and the one that it moves it to: those of
// os.rename(a, b) and Path(a).rename(b). A text of Python replaces two others.
func (r *reading) moved(short string, i int, args []string) []string {
	method := strings.Contains(r.toks[i].Text, ".") || kindAt(r.toks, i-1) == '.'
	of := r.receiver(i)
	switch {
	case short == "replace" && len(args) == 2 && method && r.toks[i].Text != "os.replace":
		return nil
	case len(args) != 1:
		return args
	case of == "":
		return nil
	}
	return []string{of, args[0]}
}

// opened returns the path that the call at token i opens, and the mode: those of open(a, "w") and
// Path(a).open("w"), whose argument is a mode, if it has one.
func (r *reading) opened(i int, args []string) []string {
	const modes = "a ab at r r+ rb rt w w+ wb wt x"
	name, mode := r.toks[i].Text, cmp.Or(lex.First(args), "r")
	method := strings.HasSuffix(name, ".open") || name == "open" && kindAt(r.toks, i-1) == '.'
	if !method || !lex.OneOf(mode, modes) {
		return args
	}
	if of := r.receiver(i); of != "" {
		return append([]string{of}, args...)
	}
	return args
}

// unreadable reports whether nothing is known of a text.
func unreadable(text string) bool { return text == "" || partial.HasHole(text) }

// exactKind returns the kind of a call that its arguments change: a deletion may be recursive, and a write
// may leave the file empty. The call begins at token i and ends at the token end.
func (r *reading) exactKind(kind string, args []string, i, end int) string {
	switch kind {
	case "unlink":
		for j := i; j < min(end, len(r.toks)); j++ {
			if sets(r.toks, j, "recursive") && strings.EqualFold(textAt(r.toks, j+2), "true") {
				return "tree" // fs.rmdirSync(x, {recursive: true})
			}
		}
	case "open":
		if textAt(r.toks, end+2) == "close" && strings.HasPrefix(textIn(args, 1), "w") {
			return "empty" // open(name, "w").close()
		}
	case "write":
		if len(args) > 1 && args[1] == "" {
			return "empty"
		}
	}
	return kind
}

// textIn returns the i-th of the texts, "" if there is none.
func textIn(texts []string, i int) string {
	if i >= len(texts) {
		return ""
	}
	return texts[i]
}

// processWords returns the words of the command that a call starts, which ends at the token end.
func (r *reading) processWords(short string, args []string, end int) []string {
	switch {
	case short == "CommandContext":
		return args[min(1, len(args)):]
	case lex.BeginsWith(short, "execv execl spawnl spawnv"): // of C
		return withoutZeroth(args)
	case short != "new":
		return args
	}
	const longestChain = 32
	for range longestChain { // Command::new("rm").arg("-r").args([…])
		if !Shaped(r.toks, end+1, ".n(") {
			break
		}
		more, after := r.arguments(r.toks, end+2)
		if lex.OneOf(textAt(r.toks, end+2), "arg args") {
			args = append(args, more...)
		}
		end = after
	}
	return args
}

// withoutZeroth removes the additional arguments of the exec and spawn families
// of C: the mode, and the repeated name of the program.
func withoutZeroth(args []string) []string {
	if len(args) < 2 {
		return args
	}
	if args[0] == partial.Unknown && len(args) > 2 {
		args = args[1:]
	}
	return append(args[:1:1], args[2:]...)
}

// everyRow reports whether toks end with a call of "all" without arguments, which
// means the whole table in an object mapper.
func everyRow(toks []Token) bool {
	n := len(toks)
	if kindAt(toks, n-1) == '.' {
		n--
	}
	return Shaped(toks, n-2, "()") && strings.HasSuffix("."+textAt(toks, n-3), ".all")
}

// receiver returns the constant expression before the name at token i, as in
// Path("x").unlink() and (home / "x").write_text().
func (r *reading) receiver(i int) string {
	toks := r.toks
	name := toks[i].Text
	if k := strings.IndexByte(name, '.'); k > 0 {
		if v, ok := r.consts[name[:k]]; ok {
			return v
		}
	}
	if k := opening(toks, i-1); k >= 0 {
		if v, ok := r.literal(toks[k+1:]); ok {
			if unqualified(textAt(toks, k-1)) == "joinpath" {
				return r.receiver(k-1) + "/" + v
			}
			return v
		}
	}
	for j := i - 1; j >= max(0, i-7); j-- {
		if toks[j].Kind == 's' {
			return toks[j].Text
		}
		if v, ok := r.constant(toks[j]); ok {
			return v
		}
	}
	return ""
}

// opening returns the index of the bracket that is closed by the one at i or right before i, or -1.
func opening(toks []Token, i int) int {
	if kindAt(toks, i) == '.' {
		i--
	}
	depth := 0
	for ; i >= 0; i-- {
		switch toks[i].Kind {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth <= 0 {
			break
		}
	}
	if kindAt(toks, i) != '(' {
		return -1
	}
	return i
}

// callKind returns what a call does, by the last part of its name and its whole name, or "".
func callKind(short, full, lang string) string {
	for i := range callKinds {
		switch k := &callKinds[i]; {
		case k.lang != "" && k.lang != lang:
		case lex.OneOf(short, k.names), lex.OneOf(lastTwo(full), k.full):
			return k.kind
		}
	}
	return ""
}

// lastTwo returns the last two parts of a name, such as Command::new of std::process::Command::new.
func lastTwo(name string) string {
	end := max(strings.LastIndexAny(name, ".:"), 0)
	before := strings.TrimRight(name[:end], ":")
	return name[strings.LastIndexAny(before, ".:")+1:]
}

// callKinds lists the known calls, by the last part of their names or by the last two. What is said of
// one language comes first.
var callKinds = [...]struct{ lang, kind, names, full string }{
	{lang: "ruby", kind: "run", names: "sh"},
	{lang: "groovy", kind: "tree", full: "delete"},
	{lang: "python", kind: "eval", names: "exec"},
	{lang: "python", kind: "read", names: "read"}, // of ConfigParser
	{lang: "python", kind: "move", names: "replace"},
	{lang: "python", kind: "write", names: "extract"}, // of ZipFile and TarFile
	{lang: "python", names: "delete"},                 // variables, items, and what a server or a service has
	{lang: "js", names: "delete"},
	{lang: "js", kind: "load", names: "require"},
	{lang: "r", kind: "into", names: "writeLines"},
	{lang: "r", names: "rm"}, // variables
	{lang: "php", kind: "read", full: "file"},
	{names: "sh require"},
	{kind: "run", names: "exec system popen Popen check_call check_output getoutput getstatusoutput execSync " +
		"spawnSync execFile execFileSync spawn shell_exec passthru proc_open popen2 popen3 capture2 capture3 " +
		"capture2e create_subprocess_shell do_shell_script execvp execv execl execlp spawnl spawnv posix_spawn " +
		"shellOut cmd commandLine os_execute execa execaSync execaCommand ProcessBuilder execve execle execvpe " +
		"spawnlp spawnvp doShellScript termopen jobstart systemlist run call",
		full: "os.execute System.shell Deno.Command exec.Command exec.CommandContext Command::new"},
	{kind: "execute", names: "execute"},
	{kind: "sql", names: "executemany executescript query exec_driver_sql raw queryRawUnsafe executeRawUnsafe " +
		"$queryRawUnsafe $executeRawUnsafe exec_query do text"},
	{kind: "tree", names: "rmtree rm_rf rm_r rmSync remove_dir_all remove_tree rimraf rimrafSync removeSync " +
		"remove_entry_secure emptyDirSync deleteDir rmdirs removedirs remove_dir remove_entry deleteAsync deleteSync " +
		"rmdir_recursive deltree RemoveAll rm deleteDirectory deleteRecursively",
		full: "Directory.Delete default.removeItem"},
	{kind: "unlink", names: "unlink unlinkSync removeFile remove rmdir rmdirSync delete rm_f safe_unlink delete_file " +
		"remove_file send2trash trashItem", full: "os.Remove Files.deleteIfExists File.Delete"},
	{kind: "open", names: "open openSync fopen"},
	{kind: "write", names: "writeFile writeFileSync file_put_contents write_text write_bytes createWriteStream " +
		"outputFile outputFileSync writeTextFile writeTextFileSync",
		full: "File.write IO.write Bun.write File.binwrite os.WriteFile os.Create"},
	{kind: "copy", names: "copy copyfile copy2 copyFile copyFileSync cp cpSync cp_r copytree copySync copy_file " +
		"urlretrieve getstore mirror", full: "download.file IO.copy_stream"},
	{kind: "chdir", names: "chdir cd", full: "os.Chdir"},
	{kind: "link", names: "symlink symlinkSync ln_s ln_sf"},
	{kind: "append", names: "appendFile appendFileSync"},
	{kind: "empty", names: "truncate truncateSync", full: "os.Truncate"},
	{kind: "read", names: "readFileSync readFile read_text read_bytes file_get_contents slurp readlines load_file " +
		"createReadStream parse_ini_file readfile highlight_file show_source dotenv_values",
		full: "os.ReadFile File.read IO.read File.foreach IO.foreach Deno.readTextFile Deno.readTextFileSync Bun.file"},
	{kind: "move", names: "rename renameSync move mv moveSync", full: "os.Rename"},
	{kind: "show", names: "print println puts echo console.log log say"},
	{kind: "dup", names: "dup2 fsockopen"},
	{kind: "kill", names: "kill killpg terminate suspend send_signal"},
	{kind: "limits", names: "prlimit rlimit"},
	{kind: "inside", names: "ptrace process_vm_readv process_vm_writev pidfd_getfd", full: "sys.remote_exec"},
	{kind: "syscall", names: "syscall"},
	{kind: "line", full: "Process.Start"},
	{kind: "eval", names: "eval loadstring Function runInThisContext runInNewContext runInContext compileFunction"},
	{kind: "eval text", names: "instance_eval class_eval module_eval"},
}
