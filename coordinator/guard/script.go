package guard

import "strings"

// Program texts of other languages are not parsed: they are cut into tokens
// (names with their dots, string literals, punctuation), which is the same in
// all the languages that people pass with -c or -e, and calls with literal
// arguments are read off the tokens.

// scriptText reports the effects of a program text. A loop over literals is
// read once for each of them.
func (sh *shell) scriptText(text, lang string) {
	toks := tokens(text, lang)
	loops := literalLoops(toks)
	rounds := 1
	for _, items := range loops {
		rounds = max(rounds, min(len(items), maxAlternatives))
	}
	for round := range rounds {
		consts := map[string]string{}
		for name, items := range loops {
			consts[name] = items[min(round, len(items)-1)]
		}
		sh.scriptRound(toks, consts, lang)
	}
	if lang == "awk" {
		sh.awkPipes(toks)
	}
	if opensShell(toks, lang) {
		sh.effect(ReverseShell, "socket", "")
	}
	if forksForever(toks) {
		sh.effect(ForkBomb, "a loop that forks", "")
	}
}

func (sh *shell) scriptRound(toks []token, consts map[string]string, lang string) {
	names := otherNames(toks, lang)
	for i := range toks {
		t := toks[i]
		switch {
		case t.kind == 'x':
			sh.runText(t.text)
		case t.kind == 's' && i+2 < len(toks) && (toks[i+1].kind == ')' || toks[i+1].kind == ']') && toks[i+2].kind == '(':
			sh.scriptCall(t.text, toks, i+1, consts, lang) // getattr(x, "name")(…), x["name"](…)
		case t.kind == 's' && i > 0 && lang == "js" && tagsShell(toks[i-1]):
			if text, ok := sh.literal(toks[i:], consts); ok {
				sh.runText(text)
			}
		case t.kind == '[' && lang == "other":
			sh.executedList(toks, i)
		case t.kind == 's' && lang == "other" && i+2 < len(toks) && toks[i+1].kind == '.' && strings.HasPrefix(toks[i+2].text, "execute"):
			sh.runText(t.text) // groovy: "ls".execute()
		case t.kind == 's' && strings.Contains(t.text, ".sock") && strings.Contains(t.text, "afar"):
			sh.effect(SteerAfar, "socket", t.text)
		case t.kind == 'n' && (strings.HasSuffix(t.text, "TIOCSTI") || t.text == "0x5412" || t.text == "21522"):
			sh.effect(TypeInto, "", "ioctl")
		case t.kind == 'n':
			if i+2 < len(toks) && toks[i+1].kind == '=' && len(consts) < 256 {
				if v, ok := sh.literal(toks[i+2:], consts); ok {
					consts[t.text] = sh.afford(v)
				} else if decodes(toks[i+2]) {
					consts[t.text] = unknownDecoded
				}
			}
			name := t.text
			if other, ok := names[name]; ok {
				name = other
			}
			sh.scriptCall(name, toks, i, consts, lang)
		}
	}
}

// tagsShell is true of a name that hands the template behind it to a shell:
// $`…` of zx and Bun, execa`…`.
func tagsShell(t token) bool {
	short := t.text[strings.LastIndexByte(t.text, '.')+1:]
	return t.kind == 'n' && (short == "$" || short != "exec" && callKind(short, t.text, "js") == "run")
}

// literalLoops finds "for x in [literals]" and "[literals].each { |x|": the
// texts that x takes.
func literalLoops(toks []token) map[string][]string {
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
		case toks[i].kind == 'n' && oneOf(toks[i+1].text, "in of") && (toks[i+2].kind == '[' || toks[i+2].kind == '('):
			name, from = toks[i].text, i+2
		case toks[i].kind != '[':
			continue
		}
		items, end := literalList(toks, from)
		if name == "" && end+1 < len(toks) && oneOf(toks[end+1].text, "each forEach map each_with_index flatMap") {
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

// listedFiles reads a call that lists files: the pattern that they match, and
// how many tokens it takes; 0 if toks begin otherwise.
func listedFiles(toks []token) (string, int) {
	if len(toks) < 4 || toks[0].kind != 'n' || toks[1].kind != '(' && toks[1].kind != '[' || toks[2].kind != 's' {
		return "", 0
	}
	name := unqualified(toks[0].text)
	dir := strings.TrimSuffix(toks[2].text, "/")
	switch {
	case name == "Path" && len(toks) > 7 && toks[3].kind == ')' && toks[4].kind == '.':
		return pathFiles(dir, toks[5:])
	case oneOf(name, "glob iglob globSync") || toks[0].text == "Dir":
		return toks[2].text, 4
	case toks[0].text == "os.walk":
		return dir + "/" + unknown, 4
	case oneOf(name, "listdir scandir readdirSync readdir children entries"):
		return dir + "/*", 4
	}
	return "", 0
}

// pathFiles reads rglob, glob and iterdir of a path whose directory is known.
func pathFiles(dir string, toks []token) (string, int) {
	const before = 5 // Path ( "dir" ) .
	if toks[0].text == "iterdir" {
		return dir + "/*", before + 3
	}
	if len(toks) < 4 || toks[2].kind != 's' || !oneOf(toks[0].text, "glob rglob") {
		return "", 0
	}
	pattern := toks[2].text
	deep := toks[0].text == "rglob" || strings.HasPrefix(pattern, "**")
	switch pattern = strings.TrimPrefix(pattern, "**/"); {
	case deep && strings.Trim(pattern, "*") == "":
		return dir + everyFile, before + 4
	case deep:
		return dir + "/" + unknown + "/" + pattern, before + 4
	}
	return dir + "/" + pattern, before + 4
}

// handsOver reads array_map("unlink", files) and map(os.remove, files): a call
// by its name, once for each of the files.
func (sh *shell) handsOver(toks []token, consts map[string]string, lang string) {
	if len(toks) < 4 || toks[0].kind != '(' || toks[1].kind != 's' && toks[1].kind != 'n' || toks[2].kind != ',' {
		return
	}
	name := toks[1].text
	kind := callKind(unqualified(name), name, lang)
	if text, ok := sh.literal(toks[3:], consts); ok && oneOf(kind, "unlink tree run") {
		sh.scriptEffect(kind, text, []string{text}, false)
	}
}

// loopName is the name that a loop gives to the files listed by the n tokens at
// i: "for x in glob(…)", "glob(…).each { |x|".
func loopName(toks []token, i, n int) string {
	if i > 1 && oneOf(toks[i-1].text, "in of") {
		j := i - 2
		for j > 1 && toks[j-1].kind == ',' { // for root, dirs, files in os.walk(…)
			j -= 2
		}
		return toks[j].text
	}
	if i+n+1 < len(toks) && toks[i+n].kind == '.' && oneOf(toks[i+n+1].text, "each forEach map") {
		return nextName(toks[i+n+2:])
	}
	return ""
}

// literalList reads the texts of the list that opens at from, and where it
// ends.
func literalList(toks []token, from int) ([]string, int) {
	var items []string
	for i := from + 1; i < len(toks); i++ {
		switch toks[i].kind {
		case 's':
			items = append(items, toks[i].text)
		case ',':
		case ']', ')':
			if i+1 < len(toks) && toks[i+1].kind == '.' {
				i++
			}
			return items, i
		default:
			return nil, i
		}
	}
	return nil, from
}

// executedList runs a list of literals as groovy does: ["ls", "-l"].execute().
func (sh *shell) executedList(toks []token, from int) {
	items, end := literalList(toks, from)
	if end+1 < len(toks) && strings.HasPrefix(toks[end+1].text, "execute") {
		sh.exec(items, nil)
	}
}

func nextName(toks []token) string {
	for i := 0; i < len(toks) && i < 6; i++ {
		if toks[i].kind == 'n' && toks[i].text != "do" && toks[i].text != "async" && toks[i].text != "function" {
			return toks[i].text
		}
	}
	return ""
}

// opensShell is true of a program that connects somewhere and starts a bare
// shell.
func opensShell(toks []token, lang string) bool {
	connects, shell := false, false
	for _, t := range toks {
		name := unqualified(t.text)
		switch t.kind {
		case 'n':
			connects = connects || oneOf(name, "connect fsockopen sockaddr_in createConnection create_connection stream_socket_client") || strings.HasPrefix(t.text, "TCPSocket.")
		case 's', 'x':
			prog, rest, _ := strings.Cut(t.text, " ")
			shell = shell || isShellName(programName(prog)) && (rest == "" || strings.HasPrefix(rest, "-i") || strings.Contains(rest, "<&")) || prog == "cmd.exe"
			connects = connects || lang == "awk" && strings.HasPrefix(t.text, "/inet/")
			shell = shell || lang == "awk" && strings.HasPrefix(t.text, "/inet/")
		}
	}
	return connects && shell
}

// forksForever is true of a program that forks in a loop without an end.
func forksForever(toks []token) bool {
	forks, endless := false, false
	for i, t := range toks {
		if t.kind != 'n' {
			continue
		}
		name := unqualified(t.text)
		forks = forks || name == "fork" && (t.text == "fork" || t.text == "os.fork" || t.text == "Process.fork" || t.text == "child_process.fork")
		endless = endless || t.text == "loop" || oneOf(t.text, "while") && oneOf(nextText(toks[i+1:]), "1 True true")
	}
	return forks && endless
}

// nextText is the first token that is no bracket.
func nextText(toks []token) string {
	for i := 0; i < len(toks) && i < 3; i++ {
		if toks[i].kind == 'n' {
			return toks[i].text
		}
	}
	return ""
}

// awkPipes handles print | "command" and "command" | getline.
func (sh *shell) awkPipes(toks []token) {
	for i, t := range toks {
		if t.kind != 's' {
			continue
		}
		var in *string
		if i > 1 && toks[i-1].kind == '|' && toks[i-2].kind == 's' {
			in = &toks[i-2].text
		}
		if i > 0 && toks[i-1].kind == '|' || i+2 < len(toks) && toks[i+1].kind == '|' && toks[i+2].text == "getline" {
			sh.runTextIn(t.text, in)
		}
		if i > 0 && toks[i-1].kind == '>' {
			sh.write(t.text)
		}
	}
}

// callArgs reads the arguments of the call whose name stands at i: the
// literals of the outermost level; a list of literals counts as its items.
func (sh *shell) callArgs(toks []token, i int, consts map[string]string) (args []string, list bool, end int) {
	depth := 0
	if i+1 < len(toks) && toks[i+1].kind != '(' { // ruby, perl: system "text"
		for j := i + 1; j < len(toks) && j < i+24; j++ {
			if j == i+1 && (strings.HasSuffix(toks[j].text, "glob") || toks[i].text == "open" && toks[j].kind == 'n') || toks[j].kind == '(' && j == i+2 {
				continue
			}
			if toks[j].kind != 's' && toks[j].kind != ',' {
				return args, false, j
			}
			if toks[j].kind == 's' {
				args = append(args, toks[j].text)
			}
		}
		return args, false, min(i+24, len(toks))
	}
	fresh := true
	for j := i + 1; j < len(toks) && j < i+256; j++ {
		t := toks[j]
		switch {
		case t.kind == '(' || t.kind == '[' || t.kind == '{':
			list = list || t.kind == '['
			depth++
			fresh = fresh || t.kind == '['
		case t.kind == ')' || t.kind == ']' || t.kind == '}':
			if depth--; depth <= 0 {
				return args, list, j
			}
		case t.kind == ',', t.kind == '=', t.kind == ':':
			fresh = true
		case fresh && t.kind == 'n' && j+1 < len(toks) && (toks[j+1].kind == '=' || toks[j+1].kind == ':'):
			fresh = false // the name of an argument
		case fresh && (t.kind == 's' || t.kind == 'n'):
			if v, ok := sh.literal(toks[j:], consts); ok {
				args = append(args, v)
			} else if depth == 1 && len(args) == 0 {
				args = append(args, unknown)
			}
			fresh = false
		}
	}
	return args, list, len(toks)
}

// scriptCall reports the effect of the call of name at token i, if it is one
// we know.
func (sh *shell) scriptCall(name string, toks []token, i int, consts map[string]string, lang string) {
	short := unqualified(name)
	if short == "" || len(short) > 24 {
		return
	}
	kind := callKind(short, name, lang)
	if short == "delete" && everyRow(toks[:i]) {
		sh.effect(DropData, "rows", name)
	}
	if oneOf(short, "map array_map array_walk call_user_func") {
		sh.handsOver(toks[i+1:], consts, lang)
	}
	if networkCall(short, name) && sendsEnvironment(toks[i+1:]) {
		sh.effect(SendOut, "secret", name)
	}
	if kind == "" && i+1 < len(toks) && toks[i+1].kind == '(' || kind == "" && lang == "ruby" {
		if w := verbWords(short); len(w) > 1 && oneOf(w[0], "delete destroy drop purge truncate clear flush") && !oneOf(w[1], "interval timeout timer property screen line lines") {
			sh.possible(DestroyRemote, "part", name)
		}
	}
	if url := deletedByRequest(short, toks[i:]); url != "" {
		sh.httpMethod("DELETE", url, options{})
		return
	}
	if networkCall(short, name) && sh.sendsSecretFile(toks[i+1:]) {
		sh.effect(SendOut, "secret", name)
	}
	if kind == "" || i+1 >= len(toks) {
		return
	}
	if oneOf(kind, "run eval") && computed(toks[i+1:]) {
		sh.effect(RunUnknown, "decoded", "")
		return
	}
	if kind == "show" {
		sh.showsVariable(toks[i+1:])
		return
	}
	args, list, end := sh.callArgs(toks, i, consts)
	arg := ""
	if len(args) > 0 {
		arg = args[0]
	}
	if arg == "" && (kind == "unlink" || kind == "tree" || kind == "write") || oneOf(short, "write_text write_bytes read_text read_bytes") {
		arg = sh.receiver(toks, i, consts)
	}
	if kind == "unlink" && recursiveCall(toks[i:min(end, len(toks))]) {
		kind = "tree"
	}
	if kind == "run" && len(args) > 1 && (strings.HasPrefix(short, "execv") || strings.HasPrefix(short, "execl") || strings.HasPrefix(short, "spawnl") || strings.HasPrefix(short, "spawnv")) {
		args = withoutZeroth(args)
		arg = args[0]
	}
	if kind == "eval" && arg != "" && !hasHole(arg) {
		sh.code(arg, lang)
		return
	}
	sh.scriptEffect(kind, arg, args, list)
}

// withoutZeroth takes away what the exec and spawn families of C take besides a
// command: how to start it, and its name again.
func withoutZeroth(args []string) []string {
	if args[0] == unknown && len(args) > 2 {
		args = args[1:]
	}
	return append(args[:1:1], args[2:]...)
}

// everyRow is true of tokens that end with the call of an "all" without
// arguments: an object mapper then means the whole table.
func everyRow(toks []token) bool {
	n := len(toks)
	if n > 0 && toks[n-1].kind == '.' {
		n--
	}
	return n > 2 && toks[n-1].kind == ')' && toks[n-2].kind == '(' && strings.HasSuffix("."+toks[n-3].text, ".all")
}

// recursiveCall is true of fs.rmdirSync(x, {recursive: true}).
func recursiveCall(toks []token) bool {
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].text == "recursive" && strings.EqualFold(toks[i+2].text, "true") {
			return true
		}
	}
	return false
}

// receiver is the constant expression before ".name", as in
// Path("x").unlink() and (home / "x").write_text().
func (sh *shell) receiver(toks []token, i int, consts map[string]string) string {
	name := toks[i].text
	if k := strings.IndexByte(name, '.'); k > 0 {
		if v, ok := consts[name[:k]]; ok {
			return v
		}
	}
	if k := opening(toks, i-1); k >= 0 {
		if v, ok := sh.literal(toks[k+1:], consts); ok {
			return v
		}
	}
	for j := i - 1; j >= 0 && j > i-8; j-- {
		if toks[j].kind == 's' {
			return toks[j].text
		}
		if toks[j].kind == 'n' {
			if v, ok := sh.constant(toks[j].text, consts); ok {
				return v
			}
		}
	}
	return ""
}

// opening is the bracket that the one at i, or right before i, closes; -1 if
// none does.
func opening(toks []token, i int) int {
	if i > 0 && toks[i].kind == '.' {
		i--
	}
	depth := 0
	for ; i >= 0; i-- {
		switch toks[i].kind {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth <= 0 {
			break
		}
	}
	if i < 0 || toks[i].kind != '(' {
		return -1
	}
	return i
}

func callKind(short, full, lang string) string {
	switch short {
	case "system", "popen", "Popen", "check_call", "check_output", "getoutput", "getstatusoutput", "execSync", "spawnSync", "execFile", "execFileSync", "spawn", "shell_exec", "passthru", "proc_open", "popen2", "popen3", "capture2", "capture3", "capture2e", "create_subprocess_shell", "do_shell_script", "execvp", "execv", "execl", "execlp", "spawnl", "spawnv", "posix_spawn", "shellOut", "cmd", "os_execute", "execa", "execaSync", "execaCommand", "ProcessBuilder", "shell-command", "shell-command-to-string", "async-shell-command", "call-process", "start-process", "execve", "execle", "execvpe", "spawnlp", "spawnvp", "run-program", "doShellScript", "termopen", "jobstart", "systemlist":
		return "run"
	case "sh":
		if lang == "ruby" {
			return "run"
		}
		return ""
	case "run", "call", "exec":
		if short == "exec" && lang == "python" {
			return "eval"
		}
		return "run"
	case "execute":
		return "execute"
	case "executemany", "executescript", "query", "exec_driver_sql", "raw", "queryRawUnsafe", "executeRawUnsafe", "exec_query", "do", "text":
		return "sql"
	case "shell", "script":
		if full == "System.shell" {
			return "run"
		}
		return ""
	case "Command":
		if full == "Deno.Command" {
			return "run"
		}
		return ""
	case "eval", "exec_file", "compile", "__import__", "instance_eval", "loadstring", "assert", "runInThisContext":
		if short == "eval" || short == "loadstring" {
			return "eval"
		}
		return ""
	case "rmtree", "rm_rf", "rm_r", "rmSync", "remove_dir_all", "remove_tree", "rimraf", "rimrafSync", "removeSync", "remove_entry_secure", "emptyDirSync", "deleteDir", "rmdirs", "removedirs", "remove_dir", "remove_entry", "rmdir_recursive", "deltree", "RemoveAll", "rm", "delete-directory":
		return "tree"
	case "unlink", "unlinkSync", "removeFile", "remove", "rmdir", "rmdirSync", "delete", "rm_f", "safe_unlink", "delete_file", "delete-file":
		return "unlink"
	case "open":
		return "open"
	case "writeFile", "writeFileSync", "appendFile", "appendFileSync", "file_put_contents", "write_text", "write_bytes", "truncate", "truncateSync", "createWriteStream", "outputFile", "outputFileSync":
		return "write"
	case "readFileSync", "readFile", "read_text", "read_bytes", "file_get_contents", "slurp", "readlines", "createReadStream":
		return "read"
	case "writeTextFile", "writeTextFileSync":
		return "write"
	case "write":
		if oneOf(full, "File.write IO.write Bun.write File.binwrite") {
			return "write"
		}
		return ""
	case "read", "foreach", "readTextFile", "readTextFileSync", "file":
		if oneOf(full, "File.read IO.read File.foreach IO.foreach Deno.readTextFile Deno.readTextFileSync Bun.file") || full == "file" && lang == "php" {
			return "read"
		}
	case "rename", "renameSync", "move", "mv":
		return "move"
	case "chmod", "chmodSync":
		return ""
	case "print", "println", "puts", "echo", "console.log", "log", "say":
		return "show"
	case "dup2", "fsockopen":
		return "dup"
	case "kill", "killpg":
		return "kill"
	}
	return ""
}

func (sh *shell) scriptEffect(kind, arg string, args []string, list bool) {
	switch kind {
	case "run":
		sh.scriptRun(arg, args, list)
	case "sql":
		sh.sql(arg)
	case "execute":
		sh.scriptExecute(arg, args, list)
	case "eval":
		if arg == "" || hasHole(arg) {
			sh.effect(RunUnknown, originOf(unknown+arg), "")
		}
	case "tree":
		if arg != "" {
			sh.effect(DeleteTree, "", sh.path(arg))
		}
	case "unlink":
		if arg != "" {
			sh.deletes(DeleteFile, "", arg)
		}
	case "open":
		sh.scriptOpen(arg, args)
	case "write":
		if arg != "" {
			sh.write(arg)
		}
	case "read":
		if arg != "" {
			sh.read(arg)
		}
	case "move":
		if len(args) > 1 {
			sh.effect(MoveAway, "", sh.path(args[0]))
			sh.write(args[1])
		}
	case "dup":
		sh.possible(ReverseShell, "socket", "")
	case "kill":
		sh.possible(KillProcess, "", arg)
	}
}

func (sh *shell) scriptRun(arg string, args []string, list bool) {
	switch {
	case arg == "" || len(args) == 0:
	case arg == unknown:
		// a variable handed to a shell: ordinary in code, nothing to read
	case strings.ContainsAny(arg, " \t\n|;&"):
		sh.runText(strings.TrimPrefix(arg, "!"))
	case list || len(args) > 1:
		sh.exec(args, nil)
	default:
		sh.runText(arg)
	}
}

// scriptExecute reads what a program hands to a database, or to a shell by the
// same name.
func (sh *shell) scriptExecute(arg string, args []string, list bool) {
	n := len(sh.u.effects)
	sh.sql(arg)
	if verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(arg)), " "); len(sh.u.effects) == n && !oneOf(verb, "SELECT INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE WITH BEGIN COMMIT PRAGMA SET SHOW EXPLAIN GRANT CALL MERGE VACUUM") {
		sh.scriptRun(arg, args, list)
	}
}

// scriptOpen: open() writes only with a mode that says so.
func (sh *shell) scriptOpen(arg string, args []string) {
	if len(args) > 1 && strings.Contains(args[1], "|") { // perl: behind the file handle
		arg, args = args[1], args[1:]
	}
	switch {
	case arg == "":
	case len(args) > 1 && oneOf(arg, "-| |-"):
		sh.scriptRun(args[1], args[1:], len(args) > 2)
	case arg[0] == '|' || strings.HasSuffix(arg, "|"): // perl's pipes
		sh.runText(strings.Trim(arg, "|"))
		if isShellName(strings.TrimSpace(arg[1:])) {
			sh.effect(RunUnknown, "unknown", "")
		}
	case len(args) > 1 && len(args[1]) <= 3 && strings.ContainsAny(args[1], "wax+>"):
		sh.write(arg)
		if len(args) > 2 && strings.HasPrefix(args[1], ">") { // perl: open(F, ">", name)
			sh.write(args[2])
		}
	case strings.HasPrefix(arg, ">"):
		sh.write(strings.TrimLeft(arg, "> "))
	case len(args) == 2 && strings.HasPrefix(args[1], ">"): // perl: open(F, ">name")
		sh.write(strings.TrimLeft(args[1], "> "))
	default:
		sh.read(arg)
	}
}
