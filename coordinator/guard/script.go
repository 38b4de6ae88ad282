package guard

import "strings"

// Program texts of other languages are not parsed: they are cut into tokens
// (names with their dots, string literals, punctuation), which is the same in
// all the languages that people pass with -c or -e, and calls with literal
// arguments are read off the tokens.

type token struct {
	kind byte // 'n' name, 's' string, 'x' text of a shell quote, or the punctuation itself
	text string
}

// scriptText reports the effects of a program text.
func (sh *shell) scriptText(text, lang string) {
	toks := tokens(text, lang)
	consts := map[string]string{}
	for i := range toks {
		t := toks[i]
		switch t.kind {
		case 'x':
			sh.runText(t.text)
		case 'n':
			if i+2 < len(toks) && toks[i+1].kind == '=' && len(consts) < 256 {
				if v, ok := sh.literal(toks[i+2:], consts); ok {
					consts[t.text] = sh.afford(v)
				}
			}
			sh.scriptCall(toks, i, consts, lang)
		}
	}
	if lang == "awk" {
		sh.awkPipes(toks)
	}
}

// awkPipes handles print | "command" and "command" | getline.
func (sh *shell) awkPipes(toks []token) {
	for i, t := range toks {
		if t.kind != 's' {
			continue
		}
		if i > 0 && toks[i-1].kind == '|' || i+2 < len(toks) && toks[i+1].kind == '|' && toks[i+2].text == "getline" {
			sh.runText(t.text)
		}
		if i > 0 && toks[i-1].kind == '>' {
			sh.write(t.text)
		}
	}
}

func tokens(text, lang string) []token {
	var out []token
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '#' && lang != "js" && lang != "php" || c == '/' && i+1 < len(text) && text[i+1] == '/' && (lang == "js" || lang == "php"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			s, n := quotedString(text[i:], lang)
			out = append(out, token{'s', s})
			i += n
		case c == '`':
			s, n := quotedString(text[i:], lang)
			kind := byte('s')
			if lang == "perl" || lang == "ruby" || lang == "php" {
				kind = 'x'
			}
			out = append(out, token{kind, s})
			i += n
		case shellQuote(text[i:], lang) > 0:
			s, n := delimited(text[i+shellQuote(text[i:], lang):])
			out = append(out, token{'x', s})
			i += n + shellQuote(text[i:], lang)
		case isNameByte(c) || c >= hole && c <= holeKey:
			n := 1
			for i+n < len(text) && (isNameByte(text[i+n]) || text[i+n] == '.' || text[i+n] == ':' && i+n+1 < len(text) && text[i+n+1] == ':' || text[i+n] == ':' && text[i+n-1] == ':') {
				n++
			}
			name := text[i : i+n]
			i += n
			if i < len(text) && (text[i] == '"' || text[i] == '\'') && len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbfu") == "" {
				continue // a string prefix such as r"…"
			}
			out = append(out, token{'n', name})
		default:
			out = append(out, token{c, text[i : i+1]})
			i++
		}
	}
	return out
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || isLetter(c) || c >= 0x80
}

// shellQuote is the length of perl's qx or ruby's %x introducer, or 0.
func shellQuote(s, lang string) int {
	if lang == "perl" && strings.HasPrefix(s, "qx") && len(s) > 2 && !isNameByte(s[2]) {
		return 2
	}
	if lang == "ruby" && strings.HasPrefix(s, "%x") && len(s) > 2 && !isNameByte(s[2]) {
		return 2
	}
	return 0
}

func delimited(s string) (string, int) {
	if s == "" {
		return "", 0
	}
	closing := map[byte]byte{'{': '}', '(': ')', '[': ']', '<': '>'}[s[0]]
	if closing == 0 {
		closing = s[0]
	}
	if i := strings.IndexByte(s[1:], closing); i >= 0 {
		return s[1 : i+1], i + 2
	}
	return s[1:], len(s)
}

// quotedString reads the literal at the start of s and returns its text and
// its length in the source. Interpolated parts become holes.
func quotedString(s, lang string) (string, int) {
	q := s[:1]
	if lang == "python" && strings.HasPrefix(s, q+q+q) {
		q = q + q + q
	}
	var b strings.Builder
	i := len(q)
	for i < len(s) && !strings.HasPrefix(s[i:], q) {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i += 1 + decodeEscape(&b, s[i+1:])
		case (strings.HasPrefix(s[i:], "${") && lang == "js" && q == "`" || strings.HasPrefix(s[i:], "#{") && lang == "ruby") && strings.IndexByte(s[i:], '}') > 0:
			b.WriteString(unknown)
			i += strings.IndexByte(s[i:], '}') + 1
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return strings.ReplaceAll(b.String(), "\x00", ""), min(i+len(q), len(s))
}

// literal reads a constant expression: literals, known names and the calls
// that mean "home directory", joined by + or by commas inside a path join.
func (sh *shell) literal(toks []token, consts map[string]string) (string, bool) {
	var b strings.Builder
	known, joins := false, false
	for i := 0; i < len(toks) && i < 24; i++ {
		t := toks[i]
		if i > 0 && t.kind == 'n' && (toks[i-1].kind == 's' || toks[i-1].kind == 'n') {
			break // the next statement
		}
		switch {
		case t.kind == 's':
			b.WriteString(t.text)
			known = true
		case t.kind == 'n':
			text, ok := sh.constant(t.text, consts)
			if !ok {
				text = unknown
				if strings.HasSuffix(t.text, "join") || strings.HasSuffix(t.text, "Path") || strings.HasSuffix(t.text, "expanduser") || strings.HasSuffix(t.text, "resolve") || strings.HasSuffix(t.text, "String.raw") {
					joins = true
					continue
				}
			}
			b.WriteString(text)
			known = known || ok
		case t.kind == '+' || t.kind == '.' || t.kind == '(' && i < 2 || t.kind == ')' && i > 0 && toks[i-1].kind == '(':
		case t.kind == '/' || t.kind == ',' && joins && b.Len() > 0:
			b.WriteByte('/')
		default:
			return b.String(), known
		}
		if b.Len() > 1<<16 {
			return unknown, true
		}
	}
	return b.String(), known
}

func (sh *shell) constant(name string, consts map[string]string) (string, bool) {
	if v, ok := consts[name]; ok {
		return v, true
	}
	for _, suffix := range [...]string{"Path.home", "homedir", "os.homedir", "Dir.home", "env.HOME"} {
		if strings.HasSuffix(name, suffix) {
			return sh.homeText(), true
		}
	}
	return "", false
}

// callArgs reads the arguments of the call whose name stands at i: the
// literals of the outermost level; a list of literals counts as its items.
func (sh *shell) callArgs(toks []token, i int, consts map[string]string) (args []string, list bool, end int) {
	depth := 0
	if i+1 < len(toks) && toks[i+1].kind != '(' { // ruby, perl: system "text"
		for j := i + 1; j < len(toks) && j < i+24; j++ {
			if j == i+1 && toks[j].text == "glob" || toks[j].kind == '(' && j == i+2 {
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
			fresh = true
		case t.kind == ')' || t.kind == ']' || t.kind == '}':
			if depth--; depth <= 0 {
				return args, list, j
			}
		case t.kind == ',':
			fresh = true
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

// scriptCall reports the effect of the call at token i, if it is one we know.
func (sh *shell) scriptCall(toks []token, i int, consts map[string]string, lang string) {
	name := toks[i].text
	short := name[strings.LastIndexAny(name, ".:")+1:]
	if short == "" || len(short) > 24 {
		return
	}
	kind := callKind(short, name, lang)
	if kind == "" && i+1 < len(toks) && toks[i+1].kind == '(' || kind == "" && lang == "ruby" {
		if w := verbWords(short); len(w) > 1 && oneOf(w[0], "delete destroy drop purge truncate clear flush") && !oneOf(w[1], "interval timeout timer property screen line lines") {
			sh.possible(DestroyRemote, "part", name)
		}
	}
	if kind == "" || i+1 >= len(toks) {
		return
	}
	args, list, _ := sh.callArgs(toks, i, consts)
	arg := ""
	if len(args) > 0 {
		arg = args[0]
	}
	if arg == "" && (kind == "unlink" || kind == "tree" || kind == "write") {
		arg = sh.receiver(toks, i, consts)
	}
	sh.scriptEffect(kind, arg, args, list)
}

// receiver is the literal inside the call before ".name", as in
// Path("x").unlink().
func (sh *shell) receiver(toks []token, i int, consts map[string]string) string {
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
	name := toks[i].text
	if k := strings.IndexByte(name, '.'); k > 0 {
		if v, ok := consts[name[:k]]; ok {
			return v
		}
	}
	return ""
}

func callKind(short, full, lang string) string {
	switch short {
	case "system", "popen", "Popen", "check_call", "check_output", "getoutput", "getstatusoutput", "execSync", "spawnSync", "execFile", "execFileSync", "spawn", "shell_exec", "passthru", "proc_open", "popen2", "popen3", "capture2", "capture3", "capture2e", "create_subprocess_shell", "do_shell_script", "execvp", "execv", "execl", "execlp", "spawnl", "spawnv", "posix_spawn", "shellOut", "cmd", "os_execute", "execute", "execa", "execaSync", "execaCommand", "ProcessBuilder":
		return "run"
	case "run", "call", "exec":
		if short == "exec" && lang == "python" {
			return "eval"
		}
		return "run"
	case "shell", "script":
		return ""
	case "eval", "exec_file", "compile", "__import__", "instance_eval", "loadstring", "assert", "runInThisContext":
		if short == "eval" || short == "loadstring" {
			return "eval"
		}
		return ""
	case "rmtree", "rm_rf", "rm_r", "rmSync", "remove_dir_all", "remove_tree", "rimraf", "rimrafSync", "removeSync", "remove_entry_secure", "emptyDirSync", "deleteDir", "rmdirs", "removedirs", "remove_dir", "remove_entry", "rmdir_recursive", "deltree", "RemoveAll", "rm":
		return "tree"
	case "unlink", "unlinkSync", "removeFile", "remove", "rmdir", "rmdirSync", "delete", "rm_f", "safe_unlink", "delete_file":
		return "unlink"
	case "open":
		return "open"
	case "writeFile", "writeFileSync", "appendFile", "appendFileSync", "file_put_contents", "write_text", "write_bytes", "truncate", "truncateSync", "createWriteStream", "outputFile", "outputFileSync":
		return "write"
	case "readFileSync", "readFile", "read_text", "read_bytes", "file_get_contents", "slurp", "readlines", "createReadStream":
		return "read"
	case "rename", "renameSync", "move", "mv":
		return "move"
	case "chmod", "chmodSync":
		return ""
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
			sh.effect(DeleteFile, "", sh.path(arg))
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
		sh.runText(arg)
	case list || len(args) > 1:
		sh.exec(args, nil)
	default:
		sh.runText(arg)
	}
}

// scriptOpen: open() writes only with a mode that says so.
func (sh *shell) scriptOpen(arg string, args []string) {
	switch {
	case arg == "":
	case len(args) > 1 && len(args[1]) <= 3 && strings.ContainsAny(args[1], "wax+>"):
		sh.write(arg)
		if len(args) > 2 && strings.HasPrefix(args[1], ">") { // perl: open(F, ">", name)
			sh.write(args[2])
		}
	case strings.HasPrefix(arg, ">"):
		sh.write(strings.TrimLeft(arg, "> "))
	default:
		sh.read(arg)
	}
}
