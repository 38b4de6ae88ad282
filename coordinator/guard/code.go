package guard

import (
	"strconv"
	"strings"
)

func isShellName(name string) bool {
	return oneOf(name, "sh bash zsh dash ksh mksh ash fish rbash tcsh csh yash pdksh elvish xonsh nu bash.bash su-sh")
}

// shellProgram runs "bash -c text", "bash file" and "… | bash".
func (sh *shell) shellProgram(c command) {
	child := sh.sub()
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if a == "--" {
			c.args = append(append([]string{}, c.args[:i]...), c.args[i+1:]...)
			if i >= len(c.args) {
				break
			}
			a = c.args[i]
		}
		switch {
		case (a == "--rcfile" || a == "--init-file") && i+1 < len(c.args):
			child.sub().scriptNamed(c.args[i+1])
			i++
		case a == "-o" || a == "+o" || a == "-O":
			i++
		case a == "--command" || a == "--eval", isClusterWith(a, 'c'):
			child.shellText(c, i)
			return
		case a == "-i" && c.in == nil:
		case isClusterWith(a, 'o') && !isClusterWith(a, 'c'):
			i++ // bash -euo pipefail -c …
		case a == "-n":
			return // only looks whether it can be parsed
		case isClusterWith(a, 's') || a == "-" || a == "/dev/stdin":
			_, child.params = leading(c.args[i+1:], "")
			child.pipedText(c)
			return
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
		default:
			child.params = c.args[i+1:]
			child.scriptNamed(a)
			return
		}
	}
	child.pipedText(c)
}

func isClusterWith(a string, letter byte) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, letter) > 0
}

// shellText runs the text after "-c", past further flags.
func (sh *shell) shellText(c command, i int) {
	rest := c.args[i+1:]
	for len(rest) > 0 && (rest[0] == "--" || len(rest[0]) == 2 && rest[0][0] == '-') {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	if len(rest) > 1 {
		sh.zero, sh.params = rest[1], rest[2:]
	}
	sh.runTextIn(rest[0], c.in)
}

func (sh *shell) pipedText(c command) {
	if c.in != nil {
		sh.runText(*c.in)
	}
}

func (sh *shell) scriptNamed(name string) {
	if text, ok := sh.brought(name); ok {
		sh.runText(text)
		return
	}
	if origin := originOf(name); origin == "network" || origin == "decoded" {
		sh.effect(RunUnknown, origin, "")
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		sh.effect(RunUnknown, "network", name)
	}
}

func codeRow(name string) row {
	switch name {
	case "python", "pypy", "ipython", "jython":
		return interpreter("c", "python")
	case "node", "nodejs", "bun", "deno", "tsx", "ts-node", "qjs":
		return interpreter("e eval p print", "js")
	case "perl":
		return interpreter("e E", "perl")
	case "ruby", "jruby", "irb":
		return interpreter("e", "ruby")
	case "php":
		return interpreter("r B R E", "php")
	case "lua", "luajit", "rscript", "r", "julia", "elixir", "erl", "groovy", "scala", "ghc", "swift", "raku", "crystal":
		return interpreter("e eval E expr", "other")
	case "guile", "sbcl", "racket", "clj", "bb", "csi":
		return interpreter("c e eval", "lisp")
	case "tclsh", "wish", "jimsh":
		return interpreter("e", "tcl")
	case "vim", "nvim", "vi", "ex", "emacs", "ed":
		return editor
	case "gdb", "lldb":
		return debugger
	}
	return nil
}

// interpreter reads the code given on the command line or on stdin. It stays out
// of line: each copy is loaded with every hook.
//
//go:noinline
func interpreter(codeFlags, lang string) row {
	return func(sh *shell, c command) {
		args := c.args
		if oneOf(c.name, "bun deno") && len(args) > 0 && oneOf(args[0], "eval x run install add remove publish upgrade") {
			if args[0] == "eval" && len(args) > 1 {
				sh.code(args[1], lang)
				return
			}
			if c.name == "bun" && oneOf(args[0], "x run") {
				packageRunner(sh, command{name: c.name, args: args[1:], in: c.in})
			}
			_, script := leading(args[1:], "c config import-map lock")
			sh.scriptArgs(c, script)
			if args[0] == "publish" {
				sh.effect(PublishOut, c.name, "registry")
			}
			return
		}
		if c.name == "bun" && len(args) > 1 && !strings.HasPrefix(args[0], "-") && !strings.ContainsAny(args[0], "./") {
			sh.packageProgram(c, args[0])
			return
		}
		sh.interpret(c, codeFlags, lang)
	}
}

func (sh *shell) interpret(c command, codeFlags, lang string) {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		name := strings.TrimLeft(a, "-")
		switch {
		case a == "-m" && i+1 < len(c.args) && lang == "python":
			sh.pythonModule(c.args[i+1:], c.in)
			return
		case a == "-":
			sh.pipedCode(c, lang)
			return
		case strings.HasPrefix(a, "--") && strings.Contains(a, "="):
			flag, code, _ := strings.Cut(name, "=")
			if oneOf(flag, codeFlags) {
				sh.code(code, lang)
				return
			}
		case codeFlag(a, name, codeFlags):
			sh.inPlace(c.args, lang)
			if strings.ContainsAny(name, "np") && (lang == "perl" || lang == "ruby") && len(c.args) > i+2 {
				for _, f := range c.args[i+2:] {
					sh.read(f)
				}
			}
			if i+1 < len(c.args) {
				sh.code(c.args[i+1], lang)
			}
			return
		case len(a) > 2 && a[0] == '-' && a[1] != '-' && oneOf(a[1:2], codeFlags) && lang != "perl" && lang != "ruby":
			sh.code(a[2:], lang)
			return
		case a == "--":
		case len(a) > 1 && a[0] == '-':
			if oneOf(name, "W X r I require import M") && len(name) == 1 && lang != "perl" {
				i++
			}
		default:
			sh.scriptArgs(c, c.args[i:])
			return
		}
	}
	sh.pipedCode(c, lang)
}

// codeFlag is true of "-c", "-pe", "-ne" and the long forms.
func codeFlag(a, name, codeFlags string) bool {
	if len(a) < 2 || a[0] != '-' {
		return false
	}
	if oneOf(name, codeFlags) {
		return true
	}
	return a[1] != '-' && len(name) <= 6 && oneOf(name[len(name)-1:], codeFlags)
}

// inPlace reports the operands that "perl -pi -e" or "ruby -i" overwrite.
func (sh *shell) inPlace(args []string, lang string) {
	if lang != "perl" && lang != "ruby" {
		return
	}
	editing, code := false, 0
	for i, a := range args {
		if len(a) > 1 && a[0] == '-' && strings.Contains(a, "i") && !strings.HasPrefix(a, "--") {
			editing = true
		}
		if codeFlag(a, strings.TrimLeft(a, "-"), "e E") {
			code = i + 1
		}
	}
	if !editing {
		return
	}
	for i := code + 1; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			sh.write(args[i])
		}
	}
}

func (sh *shell) pipedCode(c command, lang string) {
	if c.in != nil {
		sh.code(*c.in, lang)
	}
}

func (sh *shell) scriptArgs(c command, args []string) {
	if len(args) == 0 {
		return
	}
	if text, ok := sh.brought(args[0]); ok {
		sh.code(text, langOf(c.name))
		return
	}
	if baseName(args[0]) == "setup.py" && containsAny(args, "upload register") {
		sh.effect(PublishOut, "python", "registry")
	}
	if base := baseName(args[0]); oneOf(base, "manage.py artisan rails rake console") {
		sh.exec(append([]string{base}, args[1:]...), c.in)
		return
	}
	if strings.HasPrefix(args[0], "https://") || strings.HasPrefix(args[0], "http://") {
		sh.effect(RunUnknown, "network", args[0])
	}
}

func langOf(name string) string {
	switch name {
	case "python", "pypy":
		return "python"
	case "ruby", "perl", "php":
		return name
	case "tclsh", "wish", "jimsh":
		return "tcl"
	}
	return "js"
}

func (sh *shell) pythonModule(args []string, in *string) {
	switch args[0] {
	case "pip", "twine":
		sh.exec(args, in)
	case "awscli":
		sh.exec(append([]string{"aws"}, args[1:]...), in)
	case "json.tool", "base64", "tokenize", "gzip", "zipfile", "tarfile":
		sh.showsFiles(args[1:])
	case "http.server", "SimpleHTTPServer":
	}
}

// code reads a program text of another language: strings that it hands to a
// shell are run as shell text, known file calls become effects.
func (sh *shell) code(text, lang string) {
	if origin := opaque(text); origin != "" {
		sh.effect(RunUnknown, origin, "")
		return
	}
	if !sh.spendSource(text) {
		return
	}
	sh.depth++
	if lang == "tcl" {
		sh.tcl(text)
	} else {
		sh.scriptText(text, lang)
	}
	sh.depth--
	if bareCommand(text, lang) {
		sh.run(text, nil)
	}
}

// tcl reads a text whose every line is a command of words.
func (sh *shell) tcl(text string) {
	sh.tclShells(text)
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;[]", r) }) {
		words := quotedFields(strings.NewReplacer("{", " ", "}", " ").Replace(line))
		if len(words) < 2 {
			continue
		}
		switch rest := words[1:]; {
		case words[0] == "exec":
			sh.exec(rest, nil)
		case words[0] == "file" && oneOf(rest[0], "delete rename"):
			sh.tclFile(rest[0], parseOptions(rest[1:], "").pos)
		case words[0] == "open":
			sh.scriptOpen(rest[0], rest)
		}
	}
}

// tclShells runs what stands in braces behind -c: one word for a shell.
func (sh *shell) tclShells(text string) {
	for sh.spend(1) {
		_, rest, found := strings.Cut(text, "-c {")
		if !found {
			return
		}
		code, n := delimited("{" + rest)
		sh.runText(code)
		text = rest[n-1:]
	}
}

func (sh *shell) tclFile(verb string, files []string) {
	if verb == "rename" {
		move(sh, command{args: files})
		return
	}
	for _, f := range files {
		sh.deletes(DeleteTree, "", f)
	}
}

// bareCommand notices shell text handed to an interpreter by mistake: it is
// no program of that language, but the mistake tells what was meant.
func bareCommand(text, lang string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "rm -") || strings.HasPrefix(t, "git ") && !strings.Contains(t, "(")
}

// editor runs the commands that an editor is started with, or fed.
func editor(sh *shell, c command) {
	o := parseOptions(c.args, "c S u U i cmd eval l f")
	lang := "other"
	if c.name == "emacs" {
		lang = "lisp"
	}
	for _, code := range append(o.all("c", "cmd", "eval", "f"), plusCommands(c.args)...) {
		sh.editorCommand(code, lang)
	}
	if c.in != nil && (c.name == "ed" || c.name == "ex" || o.short('e') || o.short('s')) {
		for _, line := range splitLines(*c.in) {
			sh.editorCommand(line, lang)
		}
	}
	if c.name == "ed" || c.name == "ex" {
		for _, f := range o.pos {
			if !strings.HasPrefix(f, "+") {
				sh.write(f)
			}
		}
	}
}

// editorCommand: an address and a modifier may stand before "!command", "r" and
// "w" take one too.
func (sh *shell) editorCommand(code, lang string) {
	s := strings.TrimLeft(code, ": 0123456789,.$%")
	for _, modifier := range [...]string{"silent! ", "silent ", "sil ", "r ", "w ", "read ", "write ", "terminal "} {
		s = strings.TrimLeft(strings.TrimPrefix(s, modifier), " ")
	}
	if shellCode, ok := strings.CutPrefix(s, "!"); ok {
		sh.runText(shellCode)
		return
	}
	sh.code(code, lang)
}

func plusCommands(args []string) []string {
	var out []string
	for _, a := range args {
		if strings.HasPrefix(a, "+") {
			out = append(out, a[1:])
		}
	}
	return out
}

func debugger(sh *shell, c command) {
	o := parseOptions(c.args, "ex eval-command x o p")
	for _, code := range o.all("ex", "eval-command", "o") {
		if shellCode, ok := strings.CutPrefix(code, "shell "); ok {
			sh.runText(shellCode)
			continue
		}
		sh.code(code, "other")
	}
	sh.exec(after(c.args, "--args", 1), c.in)
}

// sed runs text only through its "e" command; with -i it overwrites files.
func sed(sh *shell, c command) {
	o := parseOptions(c.args, "e f l expression file line-length")
	files := o.pos
	scripts := o.all("e", "expression")
	if len(scripts) == 0 && len(files) > 0 {
		if files[0] == "" && len(files) > 1 { // BSD: sed -i '' script file
			files = files[1:]
		}
		scripts, files = files[:1], files[1:]
	}
	for _, s := range scripts {
		sh.sedScript(s)
	}
	for _, f := range files {
		switch {
		case o.short('i') || o.short('I') || o.has("in-place"):
			if f != "" {
				sh.write(f)
			}
		default:
			sh.print(sh.read(f))
		}
	}
	if len(files) == 0 && c.in != nil {
		sh.print(sedPrint(scripts, *c.in))
	}
}

// sedPrint follows s/a/b/ of literals; any other script gives a hole.
func sedPrint(scripts []string, in string) string {
	if len(scripts) != 1 || len(scripts[0]) < 4 || scripts[0][0] != 's' {
		return unknown
	}
	parts := sedParts(scripts[0])
	if len(parts) != 4 || strings.ContainsAny(parts[1], `.*[]^$\`) || strings.ContainsAny(parts[2], `\&`) {
		return unknown
	}
	if strings.Contains(parts[3], "g") {
		return strings.ReplaceAll(in, parts[1], parts[2])
	}
	return strings.Replace(in, parts[1], parts[2], 1)
}

// sedParts cuts s/a/b/flags at its delimiter, with escaped ones kept.
func sedParts(s string) []string {
	parts, d := []string{""}, s[1]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == d:
			i++
			parts[len(parts)-1] += string(d)
		case s[i] == d:
			parts = append(parts, "")
		default:
			parts[len(parts)-1] += s[i : i+1]
		}
		if len(parts) > 8 || i > 4096 {
			return nil
		}
	}
	return parts
}

// sedScript reports the commands of a script that run or write something. The
// script is also cut at its semicolons; what is cut inside a text is no command.
func (sh *shell) sedScript(script string) {
	parts := strings.FieldsFunc(script, func(r rune) bool { return r == ';' || r == '\n' || r == '{' || r == '}' })
	if len(parts) != 1 || parts[0] != script {
		parts = append(parts, script)
	}
	for i, s := range parts {
		if i > 64 {
			return
		}
		s = sedAddress(s)
		if code, ok := sedShell(s); ok {
			sh.runText(code)
		}
		if f, ok := sedWrites(s); ok {
			sh.write(f)
		}
	}
}

// sedAddress takes the address off a command: numbers, /patterns/, ! and $.
func sedAddress(s string) string {
	for {
		s = strings.TrimLeft(s, "0123456789,$!~+ \t")
		if !strings.HasPrefix(s, "/") {
			return s
		}
		end := strings.IndexByte(s[1:], '/')
		if end < 0 {
			return s
		}
		s = s[end+2:]
	}
}

func sedShell(s string) (string, bool) {
	if code, ok := strings.CutPrefix(s, "e "); ok {
		return code, true
	}
	if len(s) > 2 && s[0] == 's' {
		parts := sedParts(s)
		if len(parts) >= 4 && strings.Contains(parts[3], "e") && strings.Trim(parts[3], "gpIeimM0123456789") == "" {
			return parts[2], true
		}
	}
	return "", false
}

// sedWrites is the file of "w file" and of "s/a/b/w file".
func sedWrites(s string) (string, bool) {
	if f, ok := strings.CutPrefix(s, "w "); ok {
		return strings.TrimSpace(f), true
	}
	if len(s) > 2 && s[0] == 's' {
		if parts := sedParts(s); len(parts) >= 4 {
			_, f, ok := strings.Cut(strings.Join(parts[3:], s[1:2]), "w ")
			return strings.TrimSpace(f), ok
		}
	}
	return "", false
}

func awk(sh *shell, c command) {
	o := parseOptions(c.args, "f F v i file field-separator assign include")
	files := o.pos
	if _, fromFile := o.get("f", "file"); !fromFile && len(files) > 0 {
		sh.code(awkAssigns(o)+files[0], "awk")
		files = files[1:]
	}
	library, _ := o.get("i", "include")
	for _, f := range files {
		switch {
		case strings.Contains(f, "="):
		case library == "inplace":
			sh.write(f)
		default:
			sh.read(f)
		}
	}
	if c.in != nil && strings.HasPrefix(*c.in, "pid:") {
		sh.print(*c.in) // a column of a list of processes
		return
	}
	sh.print(unknown)
}

// awkAssigns writes what -v assigns as statements in front of the program.
func awkAssigns(o options) string {
	var b strings.Builder
	for _, kv := range o.all("v", "assign") {
		if name, text, ok := strings.Cut(kv, "="); ok {
			b.WriteString(name + " = " + strconv.Quote(text) + ";\n")
		}
	}
	return b.String()
}
