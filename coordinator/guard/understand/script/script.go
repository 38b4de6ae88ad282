package script

import (
	"cmp"
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
func Run(sh *shell.Shell, text, lang string) {
	if origin := shell.Opaque(text); origin != "" {
		sh.Effect(effect.RunUnknown, origin, "")
		return
	}
	if !sh.SpendSource(text) {
		return
	}
	sh.Depth++
	if lang == "tcl" {
		readTcl(sh, text)
	} else {
		readText(sh, text, lang)
	}
	sh.Depth--
	if bareCommand(text, lang) {
		sh.Run(text, nil)
	}
}

// bareCommand reports whether a text is shell text that was passed to an
// interpreter by mistake.
func bareCommand(text, lang string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "rm -") || strings.HasPrefix(t, "git ") && !strings.Contains(t, "(")
}

// Program texts of other languages are not parsed. They are split into tokens:
// names with their dots, string literals and punctuation. These are the same in
// all languages that people pass with -c or -e. Calls with literal arguments are
// found in the tokens.

// readText reports the effects of a program text. It reads a loop over literals
// once for each of them.
func readText(sh *shell.Shell, text, lang string) {
	if sh.Eval.Site.Page.Code(text) {
		sh.Effect(effect.SteerAfar, effect.WebPage, lex.Clip(text, 300))
	}
	if sh.Place.Away == "" && protected.ReadsBrowser(text) {
		sh.Effect(effect.ReadFile, effect.Cookies, lex.Clip(text, 300))
	}
	toks := Tokenize(text, lang)
	loops := literalLoops(toks)
	rounds := 1
	for _, items := range loops {
		rounds = max(rounds, min(len(items), shell.MaxAlternatives))
	}
	for round := range rounds {
		consts := map[string]string{}
		for name, items := range loops {
			consts[name] = items[min(round, len(items)-1)]
		}
		readRound(sh, text, toks, consts, lang)
	}
	if lang == "awk" {
		runPipes(sh, toks)
	}
	if opensShell(toks, lang) {
		sh.Effect(effect.ReverseShell, effect.Socket, "")
	}
	if forksForever(toks) {
		sh.Effect(effect.ForkBomb, effect.ForkingLoop, "")
	}
}

func readRound(sh *shell.Shell, text string, toks []Token, consts map[string]string, lang string) {
	names := otherNames(toks, lang)
	for i, t := range toks {
		sh.AtOffset(text, t.At)
		switch t.Kind {
		case 'x':
			sh.RunText(t.Text)
		case 's':
			readString(sh, toks, i, consts, lang)
		case '[':
			if lang == "other" {
				runList(sh, toks, i)
			}
		case 'n':
			if controlsTerminal(t.Text) {
				sh.Effect(effect.TypeInto, "", "ioctl")
				continue
			}
			rememberConstant(sh, toks, i, consts)
			reportCall(sh, cmp.Or(names[t.Text], t.Text), toks, i, consts, lang)
		}
	}
}

// controlsTerminal reports whether a name is that of the request that types into
// a terminal.
func controlsTerminal(name string) bool {
	return strings.HasSuffix(name, "TIOCSTI") || lex.OneOf(name, "0x5412 21522")
}

// rememberConstant stores the text that is assigned to a name.
func rememberConstant(sh *shell.Shell, toks []Token, i int, consts map[string]string) {
	if kindAt(toks, i+1) != '=' || i+2 >= len(toks) || len(consts) >= 256 {
		return
	}
	if v, ok := readLiteral(sh, toks[i+2:], consts); ok {
		consts[toks[i].Text] = sh.Afford(v)
	} else if decodes(toks[i+2]) {
		consts[toks[i].Text] = partial.UnknownDecoded
	}
}

// readString reports a string that is a name, a command or a socket.
func readString(sh *shell.Shell, toks []Token, i int, consts map[string]string, lang string) {
	text := toks[i].Text
	switch {
	case Shaped(toks, i+1, ")("), Shaped(toks, i+1, "]("):
		reportCall(sh, text, toks, i+1, consts, lang) // getattr(x, "name")(…), x["name"](…)
	case lang == "js" && i > 0 && tagsShell(toks[i-1]):
		if code, ok := readLiteral(sh, toks[i:], consts); ok {
			sh.RunText(code)
		}
	case lang == "other" && kindAt(toks, i+1) == '.' && strings.HasPrefix(textAt(toks, i+2), "execute"):
		sh.RunText(text) // groovy: "ls".execute()
	case sh.Place.Away == "" && protected.BrowserStore(text):
		sh.Effect(effect.ReadFile, effect.Cookies, text)
	case strings.Contains(text, "://") && web.MetadataURL(text):
		sh.Effect(effect.RevealSecret, effect.MachineCredentials, text)
	case strings.Contains(text, ".sock") && strings.Contains(text, "afar"):
		sh.Effect(effect.SteerAfar, effect.Socket, text)
	}
}

// tagsShell reports whether a name passes the template after it to a shell, as in
// $`…` of zx and Bun, and execa`…`.
func tagsShell(t Token) bool {
	short := t.Text[strings.LastIndexByte(t.Text, '.')+1:]
	return t.Kind == 'n' && (short == "$" || short != "exec" && callKind(short, t.Text, "js") == "run")
}

// literalLoops finds "for x in [literals]" and "[literals].each { |x|": the
// texts that x takes.
func literalLoops(toks []Token) map[string][]string {
	var loops map[string][]string
	for i := 0; i+3 < len(toks); i++ {
		name := ""
		from := i
		if files, n := listedFiles(toks[i:]); n > 0 {
			if name = loopName(toks, i, n); name != "" {
				if loops == nil {
					loops = map[string][]string{}
				}
				loops[name] = []string{files}
			}
			continue
		}
		switch {
		case toks[i].Kind == 'n' && lex.OneOf(toks[i+1].Text, "in of") && (toks[i+2].Kind == '[' || toks[i+2].Kind == '('):
			name, from = toks[i].Text, i+2
		case toks[i].Kind != '[':
			continue
		}
		items, end := literalList(toks, from)
		if name == "" && lex.OneOf(textAt(toks, end+1), "each forEach map each_with_index flatMap") {
			name = nextName(toks[end+2:])
		}
		if name == "" || len(items) == 0 {
			continue
		}
		if loops == nil {
			loops = map[string][]string{}
		}
		loops[name] = items
	}
	return loops
}

// listedFiles reads a call that lists files. It returns the pattern of the files
// and the number of tokens of the call, 0 if toks do not begin with one.
func listedFiles(toks []Token) (string, int) {
	if len(toks) < 4 || toks[0].Kind != 'n' || toks[1].Kind != '(' && toks[1].Kind != '[' || toks[2].Kind != 's' {
		return "", 0
	}
	name := unqualified(toks[0].Text)
	dir := strings.TrimSuffix(toks[2].Text, "/")
	switch {
	case name == "Path" && len(toks) > 7 && toks[3].Kind == ')' && toks[4].Kind == '.':
		return pathFiles(dir, toks[5:])
	case lex.OneOf(name, "glob iglob globSync") || toks[0].Text == "Dir":
		return toks[2].Text, 4
	case toks[0].Text == "os.walk":
		return dir + "/" + partial.Unknown, 4
	case lex.OneOf(name, "listdir scandir readdirSync readdir children entries"):
		return dir + "/*", 4
	}
	return "", 0
}

// pathFiles is listedFiles for rglob, glob and iterdir of a known directory.
func pathFiles(dir string, toks []Token) (string, int) {
	const before = 5 // Path ( "dir" ) .
	if toks[0].Text == "iterdir" {
		return dir + "/*", before + 3
	}
	if len(toks) < 4 || toks[2].Kind != 's' || !lex.OneOf(toks[0].Text, "glob rglob") {
		return "", 0
	}
	pattern := toks[2].Text
	deep := toks[0].Text == "rglob" || strings.HasPrefix(pattern, "**")
	switch pattern = strings.TrimPrefix(pattern, "**/"); {
	case deep && strings.Trim(pattern, "*") == "":
		return dir + shell.EveryFile, before + 4
	case deep:
		return dir + "/" + partial.Unknown + "/" + pattern, before + 4
	}
	return dir + "/" + pattern, before + 4
}

// reportMapped reads array_map("unlink", files) and map(os.remove, files): a call
// by its name, once for each of the files.
func reportMapped(sh *shell.Shell, toks []Token, consts map[string]string, lang string) {
	if len(toks) < 4 || toks[0].Kind != '(' || toks[1].Kind != 's' && toks[1].Kind != 'n' || toks[2].Kind != ',' {
		return
	}
	name := toks[1].Text
	kind := callKind(unqualified(name), name, lang)
	if text, ok := readLiteral(sh, toks[3:], consts); ok && lex.OneOf(kind, "unlink tree run") {
		reportEffect(sh, kind, text, []string{text}, false)
	}
}

// loopName returns the name that a loop gives to the files listed by the n tokens
// at i, as in "for x in glob(…)" and "glob(…).each { |x|".
func loopName(toks []Token, i, n int) string {
	if i > 1 && lex.OneOf(toks[i-1].Text, "in of") {
		j := i - 2
		for j > 1 && toks[j-1].Kind == ',' { // for root, dirs, files in os.walk(…)
			j -= 2
		}
		return toks[j].Text
	}
	if i+n+1 < len(toks) && toks[i+n].Kind == '.' && lex.OneOf(toks[i+n+1].Text, "each forEach map") {
		return nextName(toks[i+n+2:])
	}
	return ""
}

// literalList returns the texts of the list that opens at from, and the index of
// its end.
func literalList(toks []Token, from int) ([]string, int) {
	var items []string
	for i := from + 1; i < len(toks); i++ {
		switch toks[i].Kind {
		case 's':
			items = append(items, toks[i].Text)
		case ',':
		case ']', ')':
			if kindAt(toks, i+1) == '.' {
				i++
			}
			return items, i
		default:
			return nil, i
		}
	}
	return nil, from
}

// runList runs a list of literals as groovy does: ["ls", "-l"].execute().
func runList(sh *shell.Shell, toks []Token, from int) {
	items, end := literalList(toks, from)
	if end+1 < len(toks) && strings.HasPrefix(toks[end+1].Text, "execute") {
		sh.Exec(items, nil)
	}
}

func nextName(toks []Token) string {
	for i := 0; i < len(toks) && i < 6; i++ {
		if toks[i].Kind == 'n' && !lex.OneOf(toks[i].Text, "do async function") {
			return toks[i].Text
		}
	}
	return ""
}

// opensShell reports whether a program opens a connection and starts a shell
// without a command.
func opensShell(toks []Token, lang string) bool {
	connects, shell := false, false
	for _, t := range toks {
		name := unqualified(t.Text)
		switch t.Kind {
		case 'n':
			connects = connects || lex.OneOf(name, "connect fsockopen sockaddr_in createConnection "+
				"create_connection stream_socket_client") || strings.HasPrefix(t.Text, "TCPSocket.")
		case 's', 'x':
			prog, rest, _ := strings.Cut(t.Text, " ")
			shell = shell ||
				lex.IsShellName(lex.ProgramName(prog)) &&
					(rest == "" || strings.HasPrefix(rest, "-i") || strings.Contains(rest, "<&")) ||
				prog == "cmd.exe"
			connects = connects || lang == "awk" && strings.HasPrefix(t.Text, "/inet/")
			shell = shell || lang == "awk" && strings.HasPrefix(t.Text, "/inet/")
		}
	}
	return connects && shell
}

// forksForever reports whether a program forks in an endless loop.
func forksForever(toks []Token) bool {
	forks, endless := false, false
	for i, t := range toks {
		if t.Kind != 'n' {
			continue
		}
		name := unqualified(t.Text)
		forks = forks || name == "fork" && (lex.OneOf(t.Text, "fork os.fork Process.fork child_process.fork"))
		endless = endless || t.Text == "loop" ||
			lex.OneOf(t.Text, "while") && lex.OneOf(nextText(toks[i+1:]), "1 True true")
	}
	return forks && endless
}

// nextText returns the text of the first token that is not a bracket.
func nextText(toks []Token) string {
	for i := 0; i < len(toks) && i < 3; i++ {
		if toks[i].Kind == 'n' {
			return toks[i].Text
		}
	}
	return ""
}

// runPipes handles print | "command" and "command" | getline.
func runPipes(sh *shell.Shell, toks []Token) {
	for i, t := range toks {
		if t.Kind != 's' {
			continue
		}
		var in *string
		if i > 1 && toks[i-1].Kind == '|' && toks[i-2].Kind == 's' {
			in = &toks[i-2].Text
		}
		if kindAt(toks, i-1) == '|' || i+2 < len(toks) && toks[i+1].Kind == '|' && toks[i+2].Text == "getline" {
			sh.RunTextIn(t.Text, in)
		}
		if kindAt(toks, i-1) == '>' {
			sh.Write(t.Text)
		}
	}
}

// readArguments reads the arguments of the call whose name is the token at i. It
// returns the literals of the outermost level and the items of a list of literals.
func readArguments(sh *shell.Shell, toks []Token, i int, consts map[string]string) (args []string, list bool, end int) {
	if i+1 < len(toks) && toks[i+1].Kind != '(' {
		args, end = bareArguments(toks, i)
		return args, false, end
	}
	a := arguments{sh: sh, consts: consts, fresh: true}
	for j := i + 1; j < len(toks) && j < i+256; j++ {
		if a.read(toks, j) {
			return a.args, a.list, j
		}
	}
	return a.args, a.list, len(toks)
}

// bareArguments reads the arguments of a call without brackets, such as
// system "text" in Ruby and Perl.
func bareArguments(toks []Token, i int) (args []string, end int) {
	for j := i + 1; j < len(toks) && j < i+24; j++ {
		switch t := toks[j]; {
		case t.Kind == 's':
			args = append(args, t.Text)
		case t.Kind == ',', j == i+1 && handle(toks[i], t), j == i+2 && t.Kind == '(':
		default:
			return args, j
		}
	}
	return args, min(i+24, len(toks))
}

// handle reports whether t is a word before the arguments of a call: the name of
// a file handle, or of a function that lists files.
func handle(call, t Token) bool {
	return strings.HasSuffix(t.Text, "glob") || call.Text == "open" && t.Kind == 'n'
}

// arguments collects the arguments of one call.
type arguments struct {
	sh     *shell.Shell
	consts map[string]string
	args   []string
	list   bool // one of them is a list
	depth  int
	fresh  bool // a new argument begins
}

// read reads the token at j; it returns true at the end of the call.
func (a *arguments) read(toks []Token, j int) bool {
	t := toks[j]
	switch {
	case t.in("([{"):
		a.depth++
		if t.Kind == '[' {
			a.list, a.fresh = true, true
		}
	case t.in(")]}"):
		a.depth--
		return a.depth <= 0
	case t.in(",=:"):
		a.fresh = true
	case !a.fresh, !t.in("sn"):
	default:
		a.fresh = false
		if t.Kind == 's' || j+1 == len(toks) || !toks[j+1].in("=:") { // else it is the name of an argument
			a.add(toks[j:])
		}
	}
	return false
}

func (a *arguments) add(toks []Token) {
	if v, ok := readLiteral(a.sh, toks, a.consts); ok {
		a.args = append(a.args, v)
	} else if a.depth == 1 && len(a.args) == 0 {
		a.args = append(a.args, partial.Unknown)
	}
}

// reportCall reports the effect of the call of name at token i, if it is a known
// call.
func reportCall(sh *shell.Shell, name string, toks []Token, i int, consts map[string]string, lang string) {
	short := unqualified(name)
	if short == "" || len(short) > 24 {
		return
	}
	kind, behind := callKind(short, name, lang), toks[i+1:]
	if short == "delete" && everyRow(toks[:i]) {
		sh.Effect(effect.DropData, effect.Rows, name)
	}
	if lex.OneOf(short, "map array_map array_walk call_user_func") {
		reportMapped(sh, behind, consts, lang)
	}
	sends := networkCall(short, name)
	if sends && sendsEnvironment(behind) {
		sh.Effect(effect.SendOut, effect.Secret, name)
	}
	if kind == "" && destroysByName(short) && (lang == "ruby" || kindAt(behind, 0) == '(') {
		sh.Possible(effect.DestroyRemote, effect.Part, name)
	}
	if reportRequest(sh, short, toks, i, consts) {
		return
	}
	if sends && sendsSecretFile(sh, behind) {
		sh.Effect(effect.SendOut, effect.Secret, name)
	}
	if sends {
		foreignKeysLeave(sh, behind, consts)
	}
	if len(behind) > 0 {
		reportKnown(sh, kind, short, toks, i, consts, lang)
	}
}

// destroysByName reports whether the name of a function in the library of a
// service says that it deletes something.
func destroysByName(short string) bool {
	w := lex.VerbWords(short)
	if len(w) < 2 || lex.OneOf(w[1], "interval timeout timer property screen line lines") {
		return false
	}
	return lex.OneOf(w[0], "delete destroy drop purge truncate clear flush")
}

// reportKnown reports a call of a kind that is known.
func reportKnown(sh *shell.Shell, kind, short string, toks []Token, i int, consts map[string]string, lang string) {
	switch kind {
	case "":
		return
	case "show":
		showsVariable(sh, toks[i+1:])
		return
	case "run", "eval":
		if computed(toks[i+1:]) {
			sh.Effect(effect.RunUnknown, effect.Decoded, "")
			return
		}
	}
	args, list, end := readArguments(sh, toks, i, consts)
	arg := lex.First(args)
	if worksOnReceiver(kind, short, arg) {
		arg = receiverOf(sh, toks, i, consts)
	}
	switch kind {
	case "unlink":
		if recursiveCall(toks[i:min(end, len(toks))]) {
			kind = "tree"
		}
	case "run":
		if len(args) > 1 && lex.BeginsWith(short, "execv execl spawnl spawnv") {
			args = withoutZeroth(args)
			arg = args[0]
		}
	case "open":
		if textAt(toks, end+2) == "close" && len(args) > 1 && strings.HasPrefix(args[1], "w") {
			kind = "empty" // open(name, "w").close()
		}
	case "write":
		if len(args) > 1 && args[1] == "" {
			kind = "empty"
		}
	case "eval":
		if arg != "" && !partial.HasHole(arg) {
			Run(sh, arg, lang)
			return
		}
	}
	reportEffect(sh, kind, arg, args, list)
}

// worksOnReceiver reports whether a call works on the object before its name.
func worksOnReceiver(kind, short, arg string) bool {
	if lex.OneOf(short, "write_text write_bytes read_text read_bytes") {
		return true
	}
	return arg == "" && lex.OneOf(kind, "unlink tree write")
}

// withoutZeroth removes the additional arguments of the exec and spawn families
// of C: the mode, and the repeated name of the program.
func withoutZeroth(args []string) []string {
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
	return n > 2 && toks[n-1].Kind == ')' && toks[n-2].Kind == '(' && strings.HasSuffix("."+toks[n-3].Text, ".all")
}

// recursiveCall reports whether a call has the option of
// fs.rmdirSync(x, {recursive: true}).
func recursiveCall(toks []Token) bool {
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].Text == "recursive" && strings.EqualFold(toks[i+2].Text, "true") {
			return true
		}
	}
	return false
}

// receiverOf returns the constant expression before ".name", as in
// Path("x").unlink() and (home / "x").write_text().
func receiverOf(sh *shell.Shell, toks []Token, i int, consts map[string]string) string {
	name := toks[i].Text
	if k := strings.IndexByte(name, '.'); k > 0 {
		if v, ok := consts[name[:k]]; ok {
			return v
		}
	}
	k := opening(toks, i-1)
	if k > 0 && unqualified(toks[k-1].Text) == "joinpath" {
		if v, ok := readLiteral(sh, toks[k+1:], consts); ok {
			return receiverOf(sh, toks, k-1, consts) + "/" + v
		}
	}
	if k >= 0 {
		if v, ok := readLiteral(sh, toks[k+1:], consts); ok {
			return v
		}
	}
	for j := i - 1; j >= 0 && j > i-8; j-- {
		if toks[j].Kind == 's' {
			return toks[j].Text
		}
		if toks[j].Kind == 'n' {
			if v, ok := constantOf(sh, toks[j].Text, consts); ok {
				return v
			}
		}
	}
	return ""
}

// opening returns the index of the bracket that is closed by the one at i or
// right before i, or -1.
func opening(toks []Token, i int) int {
	if i > 0 && toks[i].Kind == '.' {
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
	if i < 0 || toks[i].Kind != '(' {
		return -1
	}
	return i
}

func callKind(short, full, lang string) string {
	switch short {
	case "sh":
		if lang == "ruby" {
			return "run"
		}
		return ""
	case "exec":
		if lang == "python" {
			return "eval"
		}
		return "run"
	case "require":
		if lang == "js" {
			return "load"
		}
		return ""
	case "file":
		if lang == "php" && full == "file" {
			return "read"
		}
	}
	for i := range callKinds {
		if k := &callKinds[i]; lex.OneOf(short, k.names) || lex.OneOf(full, k.full) {
			return k.kind
		}
	}
	return ""
}

// callKinds lists the known calls, by the last part of their names or by the
// whole name.
var callKinds = []struct{ kind, names, full string }{
	{kind: "run", names: "system popen Popen check_call check_output getoutput getstatusoutput execSync spawnSync " +
		"execFile execFileSync spawn shell_exec passthru proc_open popen2 popen3 capture2 capture3 " +
		"capture2e create_subprocess_shell do_shell_script execvp execv execl execlp spawnl spawnv " +
		"posix_spawn shellOut cmd os_execute execa execaSync execaCommand ProcessBuilder shell-command " +
		"shell-command-to-string async-shell-command call-process start-process execve execle execvpe " +
		"spawnlp spawnvp run-program doShellScript termopen jobstart systemlist"},
	{kind: "execute", names: "execute"},
	{kind: "sql", names: "executemany executescript query exec_driver_sql raw queryRawUnsafe executeRawUnsafe " +
		"exec_query " +
		"do text"},
	{kind: "tree", names: "rmtree rm_rf rm_r rmSync remove_dir_all remove_tree rimraf rimrafSync removeSync " +
		"remove_entry_secure emptyDirSync deleteDir rmdirs removedirs remove_dir remove_entry " +
		"rmdir_recursive deltree RemoveAll rm delete-directory"},
	{kind: "unlink", names: "unlink unlinkSync removeFile remove rmdir rmdirSync delete rm_f safe_unlink delete_file " +
		"delete-file"},
	{kind: "open", names: "open"},
	{kind: "write", names: "writeFile writeFileSync file_put_contents write_text " +
		"write_bytes " +
		"createWriteStream outputFile outputFileSync writeTextFile " +
		"writeTextFileSync"},
	{kind: "append", names: "appendFile appendFileSync"},
	{kind: "empty", names: "truncate truncateSync"},
	{kind: "read", names: "readFileSync readFile read_text read_bytes file_get_contents slurp readlines load_file " +
		"createReadStream"},
	{kind: "move", names: "rename renameSync move mv"},
	{kind: "show", names: "print println puts echo console.log log say"},
	{kind: "dup", names: "dup2 fsockopen"},
	{kind: "kill", names: "kill killpg"},
	{kind: "run", names: "run call", full: "System.shell Deno.Command"},
	{kind: "eval", names: "eval loadstring"},
	{kind: "write", full: "File.write IO.write Bun.write File.binwrite"},
	{kind: "read", full: "File.read IO.read File.foreach IO.foreach Deno.readTextFile Deno.readTextFileSync Bun.file"},
}

func reportEffect(sh *shell.Shell, kind, arg string, args []string, list bool) {
	switch kind {
	case "run":
		runCommand(sh, arg, args, list)
	case "sql":
		sql.Read(sh, arg)
	case "execute":
		runStatement(sh, arg, args, list)
	case "eval":
		if arg == "" || partial.HasHole(arg) {
			sh.Effect(effect.RunUnknown, shell.OriginOf(partial.Unknown+arg), "")
		}
	case "tree":
		if arg != "" {
			sh.Effect(effect.DeleteTree, "", sh.Path(arg))
		}
	case "unlink":
		if arg != "" {
			sh.Deletes(effect.DeleteFile, "", arg)
		}
	case "open":
		openFile(sh, arg, args)
	case "write":
		if arg != "" {
			sh.Write(arg)
		}
	case "append":
		if arg != "" {
			sh.WriteAs(effect.Append, arg)
		}
	case "empty":
		if arg != "" {
			sh.WriteAs(effect.Truncate, arg)
		}
	case "read":
		if arg != "" {
			sh.Read(arg)
		}
	case "load":
		if strings.Contains(arg, "/") { // a file, and no module
			sh.Read(arg)
		}
	case "move":
		if len(args) > 1 {
			sh.Effect(effect.MoveAway, "", sh.Path(args[0]))
			sh.Write(args[1])
		}
	case "dup":
		sh.Possible(effect.ReverseShell, effect.Socket, "")
	case "kill":
		sh.Possible(effect.KillProcess, "", arg)
	}
}

func runCommand(sh *shell.Shell, arg string, args []string, list bool) {
	switch {
	case arg == "" || len(args) == 0:
	case arg == partial.Unknown:
		// a variable passed to a shell: common in code, and it cannot be read
	case strings.ContainsAny(arg, " \t\n|;&"):
		sh.RunText(strings.TrimPrefix(arg, "!"))
	case list || len(args) > 1:
		sh.Exec(args, nil)
	default:
		sh.RunText(arg)
	}
}

// runStatement reads the text that a program passes to a database, or to a shell
// by a call of the same name.
func runStatement(sh *shell.Shell, arg string, args []string, list bool) {
	n := len(sh.Eval.Effects)
	sql.Read(sh, arg)
	if verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(arg)), " "); len(sh.Eval.Effects) == n &&
		!lex.OneOf(verb,
			"SELECT INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE WITH BEGIN COMMIT PRAGMA SET SHOW EXPLAIN GRANT "+
				"CALL MERGE VACUUM") {
		runCommand(sh, arg, args, list)
	}
}

// openOp returns how a file changes that is opened with a mode for writing.
func openOp(mode string) effect.Op {
	switch {
	case strings.Contains(mode, "a") || mode == ">>":
		return effect.Append
	case strings.Contains(mode, "r"):
		return effect.Edit
	}
	return ""
}

// openFile reports the effect of open(), which writes only if the mode says so.
func openFile(sh *shell.Shell, arg string, args []string) {
	if len(args) > 1 && strings.Contains(args[1], "|") { // perl: behind the file handle
		arg, args = args[1], args[1:]
	}
	switch {
	case arg == "":
	case len(args) > 1 && lex.OneOf(arg, "-| |-"):
		runCommand(sh, args[1], args[1:], len(args) > 2)
	case arg[0] == '|' || strings.HasSuffix(arg, "|"): // perl's pipes
		sh.RunText(strings.Trim(arg, "|"))
		if lex.IsShellName(strings.TrimSpace(arg[1:])) {
			sh.Effect(effect.RunUnknown, effect.Unseen, "")
		}
	case len(args) > 1 && len(args[1]) <= 3 && strings.ContainsAny(args[1], "wax+>"):
		sh.WriteAs(openOp(args[1]), arg)
		if len(args) > 2 && strings.HasPrefix(args[1], ">") { // perl: open(F, ">", name)
			sh.Write(args[2])
		}
	case strings.HasPrefix(arg, ">"):
		sh.Write(strings.TrimLeft(arg, "> "))
	case len(args) == 2 && strings.HasPrefix(args[1], ">"): // perl: open(F, ">name")
		sh.Write(strings.TrimLeft(args[1], "> "))
	default:
		sh.Read(arg)
	}
}
