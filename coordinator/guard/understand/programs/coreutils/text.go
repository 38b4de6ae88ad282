package coreutils

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// TextPrograms are the programs whose output often becomes code or a path in the
// same line, and the programs that print files.
var TextPrograms = []rows.Table{
	{Programs: "echo print", Do: echo},
	{Programs: "printf", Do: printf},
	{Programs: "cat tac nl head less more most view strings hexdump fold cut paste column rev pr fmt",
		Options: printedOptions, Do: readOut},
	{Programs: "uniq xxd", Options: printedOptions, Do: func(sh *shell.Shell, c shell.Command, o argv.Options) {
		o.Pos = o.Pos[:min(1, len(o.Pos))] // the second one is the output
		readOut(sh, c, o)
	}},
	{Programs: "bat batcat", Options: printedOptions + " pager!", Do: readOut},
	{Programs: "sort gsort", Options: printedOptions + " o output compress-program!", Do: readOut, Rows: []rows.Row{
		{Given: "o= output=", Does: effect.WriteFile, To: rows.Paths{rows.ValueOf("o output")}},
	}},
	{Programs: "tail", Options: "n c s lines bytes pid sleep-interval", Do: readOut},
	{Programs: "od", Options: "A j N S t w", Do: readOut},
	{
		Programs: "grep egrep fgrep rg ag ack zgrep",
		Options: "e f A B C m g t T glob type include exclude exclude-dir max-count context regexp file pre! " +
			"hostname-bin! pager!",
		Do: search,
	},
	{Programs: "base64 base32 gbase64 uudecode gunzip zcat bzcat xzcat", Options: "i w", Do: decode, Rows: []rows.Row{
		{Of: "gunzip", Given: "f force", Without: "c stdout", Also: reportExpanded},
	}},
	{Programs: "openssl", Options: "- in out k K pass kfile iv", Do: cipher},
	{
		Programs: "gpg gpg2",
		Options:  "r recipient u local-user o output -export -export-secret-keys -export-secret-subkeys -decrypt",
		Do:       decrypt,
		Rows: []rows.Row{{
			Given: "delete-secret-keys delete-secret-key delete-secret-and-public-keys delete-secret-and-public-key",
			Does:  effect.ChangeSystem, Op: effect.Keychain, To: rows.OperandsFrom(0),
		}},
	},
	{Programs: "tr", Do: translate},
	{Programs: "split gsplit", Options: "a b C l n t bytes lines number filter additional-suffix", Do: split},
	{Programs: "csplit", Do: hosted.Report},
	{Programs: "date gdate", Options: "d date f file r reference s set", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Given: "s= set=", As: &rows.ChangesSystem},
	}},
	{Programs: "fzf sk", Options: "preview! q query f filter d delimiter nth with-nth bind", Do: rows.PrintUnknown},
	{Programs: "tee sponge", Options: "-append", Do: tee},
	{Programs: "pwd dirname basename realpath readlink grealpath mktemp", Do: printPaths},
	{Programs: "locate plocate mlocate mdfind", Do: func(sh *shell.Shell, _ shell.Command, _ argv.Options) {
		sh.Print("/" + partial.Unknown + "\n")
	}},
	{Programs: "stat gstat", Options: "c f t format printf", Rows: []rows.Row{
		{Mention: "%n", Also: printPaths},
		{Also: rows.PrintUnknown},
	}},
	{Programs: "printenv", Do: dumpEnv},
	{Programs: "set", Do: shell.SetParams},
	{Programs: "shift", Do: shell.Shift},
	{Programs: "whoami id hostname uname nproc seq jot wc exa eza tree file tldr apropos " +
		"whatis info cmp", Do: rows.PrintUnknown},
	{Programs: "test [ true false : shellcheck shfmt hadolint actionlint yamllint jsonlint"},
	{
		Programs: "jq yq gojq jaq", Options: "f L indent from-file arg argjson slurpfile rawfile p o",
		Do: secret.DataQuery,
	},
	{Programs: "ssh-keygen", Options: "f t b C N P m I n V O", Do: secret.KeyTool},
	{Programs: "ls", Options: "I T w ignore", Do: func(sh *shell.Shell, _ shell.Command, o argv.Options) {
		for _, p := range o.Pos {
			if fspath.HasGlob(p) { // the shell expands it, and ls prints the names
				sh.Print(p + "\n")
			}
		}
		if !strings.Contains(strings.Join(o.Pos, " "), "*") {
			sh.Print("*\n")
		}
		sh.Print(partial.Unknown)
	}},
	{Programs: "man", Options: "P! H! pager! html!", Do: rows.PrintUnknown},
	{Programs: "cd chdir pushd", Do: shell.ChangeDir},
	{Programs: "popd", Do: shell.PopDir},
	{Programs: "read mapfile readarray getopts", Options: "p n t d u i a N C c O s", Do: shell.ReadVariable},
	{Programs: "alias", Do: shell.Alias},
	{Programs: "export declare local readonly typeset", Do: shell.AssignWords},
	{Programs: "unset", Do: func(sh *shell.Shell, c shell.Command, _ argv.Options) {
		for _, n := range c.Args {
			sh.Assign(n, expand.Value{""})
		}
	}},
	{Programs: "sed gsed", Options: "e f l expression file line-length -in-place", Do: sed},
	{Programs: "awk gawk mawk nawk", Options: "f F v i file field-separator assign include", Do: awk},
	{Programs: "which type whence where", Do: PrintLocation},
	{
		Programs: "diff comm colordiff sdiff",
		Options:  "U C W I x X F label width ignore-matching-lines exclude exclude-from from-file to-file",
		Dry:      "q brief",
		Do:       readOut,
	},
}

const printedOptions = "n c lines bytes l language style theme w s f d k t"

// split runs the filter of split with the text that it splits.
func split(sh *shell.Shell, c shell.Command, o argv.Options) {
	code, ok := o.Get("filter")
	if !ok {
		hosted.Report(sh, c, o)
		return
	}
	text := rows.InputOf(c)
	if len(o.Pos) > 0 && o.Pos[0] != "-" {
		text = sh.Read(o.Pos[0])
	}
	sh.Run(code, &text)
}

// PrintLocation prints the path of a program, so that $(which x) still names x.
func PrintLocation(sh *shell.Shell, c shell.Command, _ argv.Options) {
	for _, p := range argv.ParseOptions(c.Args, "").Pos {
		sh.Print("/usr/bin/" + fspath.Base(p) + "\n")
	}
}

// printPaths prints the path that a program makes of each operand, or a path of its own.
func printPaths(sh *shell.Shell, c shell.Command, o argv.Options) {
	change := sh.Path
	switch c.Name {
	case "pwd":
		sh.Print(sh.Place.Cwd + "\n")
		return
	case "mktemp":
		sh.Print("/tmp/tmp" + partial.Unknown + "\n")
		return
	case "dirname":
		change = fspath.Dir
	case "basename":
		change = fspath.Base
	}
	for _, p := range o.Pos {
		sh.Print(change(strings.TrimSuffix(p, "/")) + "\n")
	}
}

// echo prints its arguments and follows their escapes with -e.
func echo(sh *shell.Shell, c shell.Command, _ argv.Options) {
	args, letters := c.Args, ""
	for lex.IsCluster(lex.First(args), "neE") {
		args, letters = args[1:], letters+args[0]
	}
	text := strings.Join(args, " ")
	secret.ReportRevealed(sh, text)
	if strings.Contains(letters, "e") {
		text = strings.ReplaceAll(expand.AnsiC(text), "\x00", "")
	}
	if !strings.Contains(letters, "n") {
		text += "\n"
	}
	sh.Print(text)
}

// printf formats %s, %b, %d and the escapes of the format. It reuses the format for
// the remaining arguments.
func printf(sh *shell.Shell, c shell.Command, _ argv.Options) {
	args := c.Args
	switch lex.First(args) {
	case "-v":
		if len(args) > 1 {
			sh.Assign(args[1], expand.Value{printfText(args[2:])})
		}
		return
	case "--":
		args = args[1:]
	}
	text := printfText(args)
	secret.ReportRevealed(sh, text)
	sh.Print(text)
}

// printfText returns the output of printf.
func printfText(args []string) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	format, rest := args[0], args[1:]
	for more := true; more; {
		n := len(rest)
		rest = printfOnce(&b, format, rest)
		more = 0 < len(rest) && len(rest) < n && b.Len() <= expand.MaxSource
	}
	return b.String()
}

// printfOnce applies the format once and returns the remaining arguments.
func printfOnce(b *strings.Builder, format string, args []string) []string {
	for i := 0; i < len(format); i++ {
		if n := plainLength(format[i:]); n > 0 {
			b.WriteString(format[i : i+n])
			i += n - 1
			continue
		}
		switch {
		case i+1 == len(format):
			b.WriteByte(format[i])
		case format[i] == '\\':
			i += expand.DecodeEscape(b, format[i+1:])
		case format[i+1] == '%':
			b.WriteByte('%')
			i++
		default:
			i = len(format) - len(strings.TrimLeft(format[i+1:], "0123456789.-+# *"))
			if len(args) == 0 {
				continue
			}
			text := args[0]
			if strings.HasPrefix(format[i:], "b") {
				text = expand.AnsiC(text)
			}
			b.WriteString(text)
			args = args[1:]
		}
	}
	return args
}

// plainLength returns the length of the beginning of a format that printf prints as it is.
func plainLength(format string) int {
	if n := strings.IndexAny(format, `%\`); n >= 0 {
		return n
	}
	return len(format)
}

// readOut prints the content of files. Unknown content becomes a hole.
func readOut(sh *shell.Shell, c shell.Command, o argv.Options) {
	if len(o.Pos) == 0 || slices.Contains(o.Pos, "-") {
		printInput(sh, c)
	}
	for _, f := range o.Pos {
		code, runs := strings.CutPrefix(f, "+!")
		switch {
		case f == "-":
		case runs && lex.OneOf(c.Name, "less more most view"):
			sh.RunText(code)
		case c.Name == "rev":
			rows.PrintRepeated(sh, c, reverse(sh.Read(f)))
		case c.Name == "cut":
			rows.PrintRepeated(sh, c, cutLines(c.Args, sh.Read(f)))
		default:
			rows.PrintRepeated(sh, c, sh.Read(f))
		}
	}
}

// printInput prints the standard input as the program shows it.
func printInput(sh *shell.Shell, c shell.Command) {
	if c.In == nil {
		return
	}
	switch c.Name {
	case "head", "tail", "uniq":
		rows.PrintRepeated(sh, c, sampleLines(*c.In))
	case "cut":
		rows.PrintRepeated(sh, c, cutLines(c.Args, *c.In))
	case "rev":
		sh.Print(reverse(*c.In))
	case "xxd", "od", "hexdump":
		o := argv.ParseOptions(c.Args, "l s c g")
		switch {
		case !o.Given("r"):
			rows.PrintRepeated(sh, c, *c.In)
		case o.Given("p plain ps"):
			sh.Print(decoded(*c.In, hex.DecodeString))
		default:
			sh.Print(partial.UnknownDecoded)
		}
	default:
		rows.PrintRepeated(sh, c, *c.In)
	}
}

// decoded decodes a text as far as it is known.
func decoded(in string, decode func(string) ([]byte, error)) string {
	out, err := decode(strings.Join(strings.Fields(in), ""))
	if err != nil { // or the text has holes
		return partial.UnknownDecoded
	}
	return partial.Scrub(string(out))
}

// reverse returns the text with each line reversed.
func reverse(text string) string {
	return eachLine(text, func(line string) string {
		r := []rune(line)
		slices.Reverse(r)
		return string(r)
	})
}

// search prints matching lines of its files. The pattern itself is data.
func search(sh *shell.Shell, c shell.Command, o argv.Options) {
	files, pattern := o.Pos, o.At(0)
	if p, ok := o.Get("e", "regexp"); ok {
		pattern = p
	}
	if !o.Given("e= regexp= f= file=") {
		files = o.From(1)
	}
	switch {
	case o.Given("l c L q files-with-matches count quiet files"):
		files = nil
	case len(files) == 0 && c.In == nil:
		files = []string{"."}
	}
	for _, f := range files {
		sh.Read(f)
		for _, name := range includes(c, o) {
			if !strings.HasPrefix(name, "!") {
				secret.ReportFiles(sh, []string{f + "/" + name})
			}
		}
		if searchesHome(sh, f) && hunts(pattern) {
			sh.Effect(effect.RevealSecret, effect.Named("copy of a credential"), sh.Path(f))
		}
	}
	if c.In == nil || len(files) > 0 {
		sh.Print(partial.Unknown)
		return
	}
	switch {
	case strings.Contains(*c.In, partial.UnknownSecret) && namesSecret(pattern):
		rows.PrintRepeated(sh, c, sampleLines(*c.In)+partial.UnknownKey)
	case *c.In == shell.AList:
		sh.Print(*c.In)
	case strings.HasPrefix(*c.In, shell.FoundMark) && !o.Given("v"):
		sh.Print(shell.FoundMark + pattern + "\n") // the processes of that name
	case o.Given("v"):
		sh.Print(sampleLines(*c.In))
	default:
		sh.Print(matchingLines(pattern, *c.In))
	}
}

// includes returns the names of the files that a search of a folder reads. Without an option rg
// leaves out what git ignores.
func includes(c shell.Command, o argv.Options) []string {
	switch {
	case lex.OneOf(c.Name, "grep egrep fgrep zgrep"):
		return o.All("include")
	case o.Given("hidden u no-ignore"):
		return o.All("g", "glob")
	}
	return nil
}

// searchesHome reports whether a search begins at the home, or where its tools keep settings.
func searchesHome(sh *shell.Shell, root string) bool {
	if sh.Place.Away != "" {
		return false
	}
	home := sh.HomeText()
	return slices.Contains([]string{"/", "/home", "/Users", home, home + "/.config"}, sh.Path(root))
}

// hunts reports whether a pattern finds secrets by their names or by their form.
func hunts(pattern string) bool {
	return lex.Mentions(strings.ToLower(pattern), "password passwd secret token api_key apikey private key akia ghp_ "+
		"github_pat sk- sk_live xoxb glpat aiza")
}

// namesSecret reports whether a pattern finds secrets among variables.
func namesSecret(pattern string) bool {
	return protected.SecretName(strings.Trim(pattern, "^=.*$")) || pattern == "KEY"
}

// decode prints the output of a decoder.
func decode(sh *shell.Shell, c shell.Command, o argv.Options) {
	in := rows.InputOf(c)
	if len(o.Pos) > 0 {
		in = sh.Read(o.Pos[0])
	}
	if lex.OneOf(c.Name, "bzcat gunzip uudecode xzcat zcat") {
		sh.Print(partial.UnknownDecoded)
		return
	}
	printDecoded(sh, c, o, in, lex.OneOf(c.Name, "base64 gbase64"))
}

// printDecoded prints a text, or what is decoded from it if an option says so. Only base64 is
// decoded. Any other decoding yields text that is marked as decoded, because its content is unknown.
func printDecoded(sh *shell.Shell, c shell.Command, o argv.Options, text string, isBase64 bool) {
	switch {
	case !o.Given("d D decode decrypt"):
		rows.PrintRepeated(sh, c, text)
	case isBase64:
		sh.Print(decoded(strings.TrimRight(text, "=\n"), base64.RawStdEncoding.DecodeString))
	default:
		sh.Print(partial.UnknownDecoded)
	}
}

// cipher prints what openssl decodes, and reports a key that it shows.
func cipher(sh *shell.Shell, c shell.Command, o argv.Options) {
	in, file := rows.InputOf(c), ""
	if name, ok := o.Get("in"); ok {
		file = name
	}
	switch verb := o.At(0); {
	case lex.OneOf(verb, "dsa ec pkcs12 pkcs8 pkey rsa"):
		if file != "" && !o.Given("pubin pubout noout check export") {
			sh.Print(sh.Read(file))
		}
		return
	case !lex.OneOf(verb, "base64 enc aes-256-cbc"):
		return
	}
	if file != "" && c.In == nil {
		in = sh.Read(file)
	}
	if out, ok := o.Get("out"); ok {
		sh.Write(out)
	}
	isBase64 := o.At(0) == "base64" || o.Given("base64 a")
	printDecoded(sh, c, o, in, isBase64 && !o.Given("aes-256-cbc"))
}

// decrypt prints what gpg decrypts, and reports a secret that it shows.
func decrypt(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case o.Given("export-secret-keys export-secret-subkeys") && !o.Given("export"):
		sh.Effect(effect.RevealSecret, effect.Named("private key"), "")
		sh.Print(partial.UnknownSecret)
		return
	case o.Given("d decrypt") && !o.Given("o output"):
		secret.ReportKey(sh, "decrypted", "")
	}
	o.Pos = nil
	decode(sh, c, o)
}

// translate follows tr for plain sets, ranges and -d, which are the usual ways to
// hide a command. Without usable sets it prints the input unchanged.
func translate(sh *shell.Shell, c shell.Command, o argv.Options) {
	from, to := expandSet(expand.AnsiC(o.At(0))), expandSet(expand.AnsiC(o.At(1)))
	deletes := o.Given("d") && len(from) > 0
	switch {
	case sh.Out == nil, c.In == nil:
		return
	case !deletes && (len(from) == 0 || len(to) == 0):
		sh.Print(*c.In)
		return
	}
	sh.Print(strings.Map(func(r rune) rune {
		i := len(from) - 1
		for i >= 0 && from[i] != r {
			i--
		}
		switch {
		case i < 0:
			return r
		case deletes:
			return -1
		}
		return to[min(i, len(to)-1)]
	}, *c.In))
}

// expandSet returns the characters of a set of tr, with its ranges expanded.
func expandSet(s string) []rune {
	classes := strings.NewReplacer("[:lower:]", "a-z", "[:upper:]", "A-Z", "[:digit:]", "0-9", "[:space:]", " \t\n")
	in := []rune(classes.Replace(s))
	var out []rune
	for i := 0; i < len(in) && len(out) < 1024; i++ {
		if beginsWithRange(in[i:]) {
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

// beginsWithRange reports whether a set of tr begins with a range, such as "a-z".
func beginsWithRange(set []rune) bool {
	switch {
	case len(set) < 3, set[1] != '-', set[2] >= 128:
		return false
	}
	return set[0] <= set[2]
}

// tee writes its input to files and prints it.
func tee(sh *shell.Shell, c shell.Command, o argv.Options) {
	text := rows.InputOf(c)
	for _, f := range o.Pos {
		if host, ok := shell.NetDevice(sh.Path(f)); ok && strings.ContainsRune(text, partial.HoleSecret) {
			sh.Effect(effect.SendOut, effect.Secret, host)
		}
		if o.Given("a append") {
			sh.Remember(sh.WriteAs(effect.Append, f), text)
		} else {
			sh.Overwrite(f, text)
		}
	}
	rows.PrintRepeated(sh, c, text)
}

// dumpEnv prints the environment, or the variables that it is asked for.
func dumpEnv(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, name := range o.Pos {
		if protected.SecretName(name) {
			sh.Print(partial.UnknownSecret)
			secret.ReportRevealed(sh, partial.UnknownSecret)
		}
	}
	if len(c.Args) == 0 {
		sh.Print(partial.UnknownSecret)
	}
}
