package guard

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// textRow holds the programs whose output often becomes code or a path in the
// same line, and those that read files out.
func textRow(name string) row {
	switch name {
	case "echo":
		return echo
	case "printf":
		return printf
	case "print":
		return echo
	case "cat", "tac", "nl", "bat", "batcat", "head", "tail", "less", "more", "most", "view", "strings", "xxd", "od", "hexdump", "fold", "cut", "sort", "uniq", "paste", "column", "rev", "pr", "fmt":
		return readOut
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep":
		return search
	case "base64", "base32", "gbase64", "openssl", "uudecode", "gunzip", "zcat", "bzcat", "xzcat", "gpg":
		return decode
	case "tr":
		return translate
	case "tee", "sponge":
		return tee
	case "pwd":
		return func(sh *shell, c command) { sh.print(sh.place.cwd + "\n") }
	case "dirname":
		return func(sh *shell, c command) { eachOperand(sh, c, dirName) }
	case "basename":
		return func(sh *shell, c command) { eachOperand(sh, c, baseName) }
	case "realpath", "readlink", "grealpath":
		return func(sh *shell, c command) { eachOperand(sh, c, sh.path) }
	case "mktemp":
		return func(sh *shell, c command) { sh.print("/tmp/tmp" + unknown + "\n") }
	case "printenv":
		return dumpEnv
	case "set":
		return setParams
	case "shift":
		return shift
	case "whoami", "id", "hostname", "date", "uname", "nproc", "seq", "jot", "wc", "exa", "eza", "tree", "stat", "file", "tldr", "apropos", "whatis", "info", "test", "[", "true", "false", ":":
		return quiet
	case "jq", "yq", "gojq", "jaq":
		return dataQuery
	case "ssh-keygen":
		return keyTool
	case "ls":
		return func(sh *shell, c command) {
			for _, p := range parseOptions(c.args, "I T w ignore").pos {
				if hasGlob(p) { // the shell made names of it, and ls repeats them
					sh.print(p + "\n")
				}
			}
			if !strings.Contains(strings.Join(c.args, " "), "*") {
				sh.print("*\n")
			}
			quiet(sh, c)
		}
	case "man":
		return func(sh *shell, c command) {
			if code, ok := parseOptions(c.args, "P H pager html").get("P", "H", "pager", "html"); ok {
				sh.runText(code)
			}
			quiet(sh, c)
		}
	case "cd", "chdir":
		return changeDir
	case "pushd":
		return changeDir
	case "popd":
		return popDir
	case "read", "mapfile", "readarray":
		return readVariable
	case "alias":
		return alias
	case "export", "declare", "local", "readonly", "typeset":
		return assignWords
	case "unset":
		return func(sh *shell, c command) {
			for _, n := range c.args {
				sh.assign(n, value{""})
			}
		}
	case "sed", "gsed":
		return sed
	case "awk", "gawk", "mawk", "nawk":
		return awk
	case "which", "type", "whence", "where":
		return located
	case "diff", "comm", "colordiff", "sdiff":
		return compared
	case "cmp":
		return quiet
	}
	return nil
}

func quiet(sh *shell, c command) {
	if sh.out != nil {
		sh.print(unknown)
	}
}

// located prints where a program is, so that $(which x) still is x.
func located(sh *shell, c command) {
	for _, p := range parseOptions(c.args, "").pos {
		sh.print("/usr/bin/" + baseName(p) + "\n")
	}
}

func eachOperand(sh *shell, c command, f func(string) string) {
	for _, p := range parseOptions(c.args, "").pos {
		sh.print(f(strings.TrimSuffix(p, "/")) + "\n")
	}
}

func echo(sh *shell, c command) {
	args, escapes := c.args, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	sh.reveals(text)
	if escapes {
		text = scrubEscapes(ansiC(text))
	}
	sh.print(text + "\n")
}

// scrubEscapes keeps the holes of the text that was there before.
func scrubEscapes(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// repeats prints what a program repeats of its input: a token that came from
// elsewhere is shown by it, but for the few bytes of it that "head -c 4" takes.
func (sh *shell) repeats(c command, text string) {
	if oneOf(c.name, "head tail cut") && parseOptions(c.args, "").short('c') {
		text = strings.ReplaceAll(text, unknownKey, unknown)
	}
	if sh.out == nil && strings.Contains(text, unknownKey) {
		sh.effect(RevealSecret, "variable", "")
	}
	sh.print(text)
}

func (sh *shell) reveals(text string) {
	if sh.out == nil && strings.ContainsAny(text, unknownSecret+unknownKey) {
		sh.effect(RevealSecret, "variable", "")
	}
}

// printf formats %s, %b, %d and the escapes of the format; the format is
// used again for left-over arguments.
func printf(sh *shell, c command) {
	args := c.args
	if len(args) > 1 && args[0] == "-v" {
		sh.assign(args[1], value{first(printfText(args[2:]))})
		return
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	text := first(printfText(args))
	sh.reveals(text)
	sh.print(text)
}

func printfText(args []string) value {
	if len(args) == 0 {
		return value{""}
	}
	var b strings.Builder
	format, rest := args[0], args[1:]
	for round := 0; round == 0 || len(rest) > 0; round++ {
		n := len(rest)
		rest = printfOnce(&b, format, rest)
		if len(rest) == n || b.Len() > maxSource {
			break
		}
	}
	return value{b.String()}
}

func printfOnce(b *strings.Builder, format string, args []string) []string {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == '\\' && i+1 < len(format):
			i += decodeEscape(b, format[i+1:])
		case c != '%' || i+1 == len(format):
			b.WriteByte(c)
		case format[i+1] == '%':
			b.WriteByte('%')
			i++
		default:
			for i++; i < len(format) && strings.IndexByte("0123456789.-+# *", format[i]) >= 0; i++ {
			}
			if len(args) > 0 {
				b.WriteString(printfArg(format, i, args[0]))
				args = args[1:]
			}
		}
	}
	return args
}

func printfArg(format string, i int, arg string) string {
	if i < len(format) && format[i] == 'b' {
		return ansiC(arg)
	}
	return arg
}

// readOut prints the content of files: what is not known is a hole.
func readOut(sh *shell, c command) {
	values := "n c lines bytes l language style theme w s f d k t"
	if c.name == "tail" { // its -f is a switch
		values = "n c s lines bytes pid sleep-interval"
	}
	if c.name == "od" { // its -c, -d, -f, -l and -s are formats
		values = "A j N S t w"
	}
	o := parseOptions(c.args, values)
	if len(o.pos) == 0 || containsString(o.pos, "-") {
		sh.printInput(c)
	}
	for _, f := range o.pos {
		if code, ok := strings.CutPrefix(f, "+!"); ok && oneOf(c.name, "less more most view") {
			sh.runText(code)
			continue
		}
		if f == "-" {
			continue
		}
		text := sh.read(f)
		if c.name == "rev" {
			text = reverse(text)
		}
		sh.repeats(c, text)
	}
}

// compared files are shown line by line, unless only their difference counts.
func compared(sh *shell, c command) {
	o := parseOptions(c.args, "U C W I x X F label width ignore-matching-lines exclude exclude-from from-file to-file")
	if o.short('q') || o.exact("brief") {
		return
	}
	for _, f := range o.pos {
		if f != "-" {
			sh.print(sh.read(f))
		}
	}
}

func (sh *shell) printInput(c command) {
	if c.in == nil {
		return
	}
	switch c.name {
	case "head", "tail", "uniq", "cut":
		sh.repeats(c, someOf(*c.in))
	case "rev":
		sh.print(reverse(*c.in))
	case "xxd", "od", "hexdump":
		o := parseOptions(c.args, "l s c g")
		switch {
		case !o.short('r'):
			sh.repeats(c, *c.in)
		case o.short('p') || o.exact("plain", "ps"):
			sh.print(decodeHex(*c.in))
		default:
			sh.print(unknownDecoded)
		}
	default:
		sh.repeats(c, *c.in)
	}
}

func decodeHex(in string) string {
	out, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
	if err != nil {
		return unknownDecoded
	}
	return scrub(string(out))
}

func reverse(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		r := []rune(line)
		for a, b := 0, len(r)-1; a < b; a, b = a+1, b-1 {
			r[a], r[b] = r[b], r[a]
		}
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}

// search reads its files out line by line; the pattern is data.
func search(sh *shell, c command) {
	o := parseOptions(c.args, "e f A B C m g t T glob type include exclude exclude-dir max-count context regexp file")
	files := o.pos
	if _, ok := o.get("e", "regexp", "f", "file"); !ok && len(files) > 0 {
		files = files[1:]
	}
	if o.exact("l", "c", "L", "q", "files-with-matches", "count", "quiet", "files") {
		files = nil
	}
	for _, f := range files {
		sh.read(f)
	}
	pattern := o.at(0)
	if p, ok := o.get("e", "regexp"); ok {
		pattern = p
	}
	if sh.out == nil {
		if c.in != nil && strings.ContainsRune(*c.in, holeSecret) && asksForSecret(pattern) {
			sh.effect(RevealSecret, "variable", pattern)
		}
		return
	}
	switch {
	case c.in != nil && len(files) == 0 && strings.HasPrefix(*c.in, "pid:") && !o.short('v'):
		sh.print("pid:" + pattern + "\n") // of a list of processes, those of that name
	case c.in != nil && len(files) == 0:
		sh.print(someOf(*c.in))
		if strings.Contains(*c.in, unknownSecret) && asksForSecret(pattern) {
			sh.print(unknownKey)
		}
	default:
		sh.print(unknown)
	}
}

// asksForSecret is true of a pattern that finds secrets among variables.
func asksForSecret(pattern string) bool {
	return pattern == "KEY" || secretName(strings.Trim(pattern, "^=.*$"))
}

// someOf are some lines of a text: where one stands for all files of a
// directory, one of them.
func someOf(text string) string {
	if !strings.Contains(text, "*") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		base, everything := globBase(line)
		switch {
		case !everything:
		case strings.HasPrefix(line, "/") || base != "/":
			lines[i] = strings.TrimSuffix(base, "/") + "/" + unknown
		default:
			lines[i] = unknown
		}
	}
	return strings.Join(lines, "\n")
}

// decode turns text into other text. Base64 of known text is followed; every
// other decoding yields decoded text, whose commands nobody can read.
func decode(sh *shell, c command) {
	o := parseOptions(c.args, "in out i w k K pass kfile iv r recipient u local-user")
	if c.name == "openssl" && oneOf(o.at(0), "rsa pkcs12 pkcs8 pkey ec dsa") && !o.exact("pubin", "pubout", "noout", "check", "export") {
		if f, ok := o.get("in"); ok {
			sh.print(sh.read(f))
		}
		return
	}
	if c.name == "gpg" && sh.gpgShows(o) {
		return
	}
	if c.name == "openssl" && !oneOf(o.at(0), "base64 enc aes-256-cbc") {
		return
	}
	plain := c.name == "base64" || c.name == "gbase64"
	decoding := o.exact("d", "D", "decode", "decrypt") || strings.HasSuffix(c.name, "cat") || oneOf(c.name, "gunzip uudecode")
	var in string
	switch {
	case len(o.pos) > 0 && c.name != "openssl" && c.name != "gpg":
		in = sh.read(o.pos[0])
	case c.in != nil:
		in = *c.in
	default:
		if f, ok := o.get("in"); ok {
			in = sh.read(f)
		} else {
			in = unknown
		}
	}
	if f, ok := o.get("out"); ok && c.name == "openssl" {
		sh.write(f)
	}
	if !decoding {
		sh.repeats(c, in)
		return
	}
	if plain || c.name == "openssl" && (o.at(0) == "base64" || o.exact("base64", "a")) && !o.exact("aes-256-cbc") {
		sh.print(decodeBase64(in))
		return
	}
	sh.print(unknownDecoded)
}

// gpgShows reports what gpg shows of a secret. True if all of its output is one.
func (sh *shell) gpgShows(o options) bool {
	if o.has("export-secret-keys", "export-secret-subkeys") && !o.exact("export") {
		sh.effect(RevealSecret, "private key", "")
		sh.print(unknownSecret)
		return true
	}
	if o.exact("d", "decrypt") && !o.exact("o", "output") {
		sh.showsKey("decrypted", "")
	}
	return false
}

func decodeBase64(in string) string {
	in = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n\t\r", r) {
			return -1
		}
		return r
	}, in)
	if hasHole(in) {
		return unknownDecoded
	}
	out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(in, "="))
	if err != nil {
		return unknownDecoded
	}
	return scrub(string(out))
}

// translate follows tr for plain sets and ranges, the usual ways to hide a
// command; anything else of it is decoded text.
func translate(sh *shell, c command) {
	if sh.out == nil || c.in == nil {
		return
	}
	o := parseOptions(c.args, "")
	if o.short('d') && o.at(0) != "" {
		sh.print(deleteRunes(*c.in, o.at(0)))
		return
	}
	from, to := expandSet(ansiC(o.at(0))), expandSet(ansiC(o.at(1)))
	if len(from) == 0 || len(to) == 0 {
		sh.print(*c.in)
		return
	}
	sh.print(strings.Map(func(r rune) rune {
		for i := len(from) - 1; i >= 0; i-- {
			if from[i] == r {
				return to[min(i, len(to)-1)]
			}
		}
		return r
	}, *c.in))
}

func deleteRunes(text, set string) string {
	runes := expandSet(ansiC(set))
	return strings.Map(func(r rune) rune {
		for _, d := range runes {
			if d == r {
				return -1
			}
		}
		return r
	}, text)
}

func expandSet(s string) []rune {
	for class, set := range map[string]string{"[:lower:]": "a-z", "[:upper:]": "A-Z", "[:digit:]": "0-9", "[:space:]": " \t\n"} {
		s = strings.ReplaceAll(s, class, set)
	}
	in := []rune(s)
	var out []rune
	for i := 0; i < len(in) && len(out) < 1024; i++ {
		if i+2 < len(in) && in[i+1] == '-' && in[i] <= in[i+2] && in[i+2] < 128 {
			for r := in[i]; r <= in[i+2]; r++ {
				out = append(out, r)
			}
			i += 2
			continue
		}
		out = append(out, in[i])
	}
	return out
}

func tee(sh *shell, c command) {
	text := unknown
	if c.in != nil {
		text = *c.in
	}
	for _, f := range parseOptions(c.args, "").pos {
		if host, ok := netDevice(sh.path(f)); ok && strings.ContainsRune(text, holeSecret) {
			sh.effect(SendOut, "secret", host)
		}
		sh.remember(sh.write(f), text)
	}
	sh.repeats(c, text)
}

func dumpEnv(sh *shell, c command) {
	o := parseOptions(c.args, "")
	for _, name := range o.pos {
		if secretName(name) {
			sh.print(unknownSecret)
			sh.reveals(unknownSecret)
		}
	}
	if len(c.args) == 0 {
		sh.print(unknownSecret)
	}
}

func setParams(sh *shell, c command) {
	if len(c.args) == 0 {
		sh.print(unknownSecret)
	}
	for i, a := range c.args {
		if a == "--" {
			sh.params = append([]string{}, c.args[i+1:]...)
			return
		}
		if len(a) > 0 && a[0] != '-' && a[0] != '+' && (i == 0 || c.args[i-1] != "-o" && c.args[i-1] != "+o") {
			sh.params = append([]string{}, c.args[i:]...)
			return
		}
	}
}

func shift(sh *shell, c command) {
	n := 1
	if len(c.args) > 0 && isNumber(c.args[0]) && len(c.args[0]) < 4 {
		n, _ = strconv.Atoi(c.args[0])
	}
	sh.params = sh.params[min(n, len(sh.params)):]
}

func changeDir(sh *shell, c command) {
	o := parseOptions(c.args, "")
	here := sh.place.cwd
	defer func() { sh.place.prev = here }()
	if c.name == "pushd" {
		sh.stack = &pushed{sh.place.cwd, sh.stack}
	}
	old, known := sh.lookup("OLDPWD")
	roots, searched := sh.lookup("CDPATH")
	switch {
	case containsString(c.args, "-") && known:
		sh.place.cwd = sh.path(first(old))
	case containsString(c.args, "-") && sh.place.prev != "":
		sh.place.cwd = sh.place.prev
	case searched && len(o.pos) > 0 && strings.IndexByte("/.~", o.pos[0][0]) < 0:
		sh.place.cwd = sh.path(first(roots) + "/" + o.pos[0])
	case containsString(c.args, "-"):
		sh.place.cwd = unknown
	case len(o.pos) == 0:
		sh.place.cwd = sh.homeText()
	default:
		sh.place.cwd = sh.path(o.pos[0])
	}
}

func popDir(sh *shell, c command) {
	if sh.stack == nil {
		sh.place.cwd = unknown
		return
	}
	sh.place.cwd, sh.stack = sh.stack.dir, sh.stack.below
}

func readVariable(sh *shell, c command) {
	o := parseOptions(c.args, "p n t d u i a N C c O s")
	if c.name != "read" && c.in != nil {
		o = parseOptions(c.args, "d n O s u C c")
		sh.assign(o.at(0), value{strings.Join(splitLines(*c.in), string(splitMark))})
		return
	}
	for i, name := range o.pos {
		text := unknown
		if c.in != nil {
			text, _, _ = strings.Cut(*c.in, "\n")
			if len(o.pos) > 1 {
				text = strings.Join(fieldsAt(text, i), " ")
			}
		}
		if old, ok := sh.lookup(name); ok && c.in == nil && sh.maybe > 0 {
			sh.assign(name, old)
			continue
		}
		sh.assign(name, value{text})
	}
}

func fieldsAt(text string, i int) []string {
	all := strings.Fields(text)
	if i >= len(all) {
		return nil
	}
	return all[i : i+1]
}

func alias(sh *shell, c command) {
	for _, a := range c.args {
		if name, text, ok := strings.Cut(a, "="); ok && text != "" {
			sh.define(name, &function{alias: text})
		}
	}
}

func assignWords(sh *shell, c command) {
	for _, a := range c.args {
		if name, text, ok := strings.Cut(a, "="); ok {
			sh.assign(name, value{text})
		}
	}
}
