// Package powershell reads commands of PowerShell as far as their words show what they do.
package powershell

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This package splits PowerShell and cmd code into commands and words. It reports the effects of cmdlets
// and built-in commands, mostly by their verb. Every other program runs as in any shell.

// Program runs the code that a call of powershell, pwsh or cmd is given.
func Program(sh *shell.Shell, c shell.Command, _ argv.Options) {
	for i, a := range c.Args {
		rest, l := c.Args[i+1:], strings.ToLower(a)
		switch {
		case c.Name == "cmd" && lex.BeginsWith(l, "/c /k /r"):
			runWords(sh, append([]string{a[2:]}, rest...))
		case c.Name == "cmd":
			continue
		case lex.OneOf(l, "-c -command -commandwithargs"):
			runWords(sh, rest)
		case lex.OneOf(l, "-e -ec -enc -encodedcommand"):
			sh.Effect(effect.RunUnknown, effect.Decoded, "")
			Run(sh, wideText(lex.First(rest)))
		case lex.OneOf(l, "-f -file"):
			runFile(sh, lex.First(rest))
		case strings.HasSuffix(l, ".ps1"):
			runFile(sh, a)
		case strings.HasPrefix(a, "-"), i > 0 && lex.OneOf(strings.ToLower(c.Args[i-1]), hostValues):
			continue
		case c.Name != "pwsh": // there it is a script
			runWords(sh, c.Args[i:])
		}
		return
	}
	if c.In != nil && c.Name != "cmd" {
		Run(sh, *c.In)
	}
}

// runFile runs a script that this call wrote or that lies on the disk.
func runFile(sh *shell.Shell, name string) {
	sh.RunCode(name, nil, nil, Run)
}

// hostValues are the options of PowerShell itself that take the next word as their value.
const hostValues = "-configurationname -ep -ex -exec -executionpolicy -inputformat -o -outputformat -psconsolefile" +
	" -settingsfile -v -version -w -wd -windowstyle -workingdirectory"

// runWords runs the code that words are.
func runWords(sh *shell.Shell, words []string) {
	if code := strings.TrimSpace(strings.Join(words, " ")); !sh.Opaque(code) {
		Run(sh, code)
	}
}

// wideText returns the text of an encoded command, which is base64 of UTF-16. It
// drops the zero bytes, because the relevant commands are ASCII.
func wideText(encoded string) string {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	return partial.Scrub(strings.ReplaceAll(string(raw), "\x00", ""))
}

// powerScript is the state of one script: its variables, and the output of the previous command of a pipeline.
type powerScript struct {
	sh    *shell.Shell
	vars  map[string]string
	piped bool   // the previous command pipes its output into this one
	given string // that output: a path, a name or a text; "" = unknown
}

// Run runs a script of PowerShell or cmd.
func Run(sh *shell.Shell, text string) {
	p := powerScript{sh: sh, vars: map[string]string{}}
	p.text(text)
}

// text runs a script and returns the output of its last command.
func (p powerScript) text(text string) (given string) {
	if !p.sh.SpendSource(text) {
		return ""
	}
	p.sh.Depth++
	p.piped = false
	for rest := text; rest != ""; {
		var words []string
		var end string
		words, end, rest = p.command(rest)
		if len(words) > 0 && p.sh.Spend(shell.PerCommand+len(words)/shell.ArgsPerStep) {
			given = p.run(words)
		}
		p.piped, p.given = end == "|", given
	}
	p.sh.Depth--
	return given
}

// command reads one command. It returns its words, its terminator and the remaining text.
func (p *powerScript) command(text string) (words []string, end, rest string) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.IndexByte(" \t,", c) >= 0:
			i++
		case c == '#':
			_, text, _ = strings.Cut(text[i:], "\n")
			text, i = "\n"+text, 0
		case strings.IndexByte(separators, c) >= 0:
			return words, text[i : i+1], text[i+1:]
		default:
			word, n := p.word(text[i:])
			if n > 0 {
				words = append(words, word)
			}
			i += max(n, 2)
		}
	}
	return words, "", ""
}

// separators are the characters that end a command.
const separators = ";\n|&(){}"

// word reads the word at the start of a text, and returns it with its length. The length is 0 if a line goes on there.
func (p *powerScript) word(s string) (string, int) {
	if strings.HasPrefix(s, "`\n") {
		return "", 0
	}
	var b strings.Builder
	i := 0
	for i < len(s) && strings.IndexByte(" \t,"+separators, s[i]) < 0 {
		text, n := p.part(s[i:])
		b.WriteString(text)
		i += n
	}
	return b.String(), i
}

// part reads one part of a word: a literal, a variable or a character.
func (p *powerScript) part(s string) (string, int) {
	switch s[0] {
	case '`':
		if len(s) > 1 {
			return strings.TrimPrefix(s[1:2], "\n"), 2
		}
	case '\'', '"':
		return p.quoted(s)
	case '$':
		return p.variable(s)
	case '%':
		return p.percent(s)
	}
	return s[:1], 1
}

// percent reads %name% as cmd writes a variable, and returns its value and length.
func (p *powerScript) percent(s string) (string, int) {
	end := strings.IndexByte(s[1:], '%') + 1
	if end < 2 || strings.ContainsAny(s[1:end], " /\n") {
		return s[:1], 1
	}
	return p.known("env:" + strings.ToLower(s[1:end])), end + 1
}

// quoted reads the literal at the start of s and returns its text and length.
func (p *powerScript) quoted(s string) (string, int) {
	var b strings.Builder
	doubled := s[:1] + s[:1]
	for i := 1; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], doubled):
			b.WriteByte(s[0])
			i += 2
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[0] == '"' && strings.IndexByte("$%`", s[i]) >= 0:
			text, n := p.part(s[i:])
			b.WriteString(text)
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String(), len(s)
}

// substitution runs the code inside "$(…)" and returns its output and length.
func (p *powerScript) substitution(s string) (string, int) {
	if !p.sh.Spend(len(s) / shell.TextPerStep) { // the closing parenthesis may be far away or missing
		return partial.Unknown, len(s)
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return cmp.Or(p.text(s[2:i]), partial.Unknown), i + 1
		}
	}
	return partial.Unknown, 1
}

// variable reads $name, ${name} or $env:name and returns its value and length. The
// target of an assignment keeps its name. An unknown variable becomes a hole.
func (p *powerScript) variable(s string) (string, int) {
	if strings.HasPrefix(s, "$(") {
		return p.substitution(s)
	}
	n := variableLength(s)
	name := strings.ToLower(strings.Trim(s[1:n], "{}"))
	if strings.HasPrefix(strings.TrimLeft(s[n:], " "), "=") {
		return "$" + name, n
	}
	if v, ok := p.vars[name]; ok {
		return v, n
	}
	return p.known(name), n
}

// variableLength returns the length of the $name or ${name} at the start of a text.
func variableLength(s string) int {
	n := 1
	braced := strings.HasPrefix(s, "${")
	if braced {
		n = 2
	}
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c == '}' && braced, c == ':':
		case c == '$', !lex.IsNameByte(c):
			return n
		}
	}
	return n
}

// known returns the value of a variable that every session has, or a hole.
func (p *powerScript) known(name string) string {
	switch name {
	case "home", "env:userprofile", "env:home":
		return p.sh.HomeText()
	case "pwd", "pwd.path":
		return p.sh.Place.Cwd
	case "env:temp", "env:tmp":
		return "/tmp"
	case "env:systemdrive":
		return "C:"
	case "env:systemroot", "env:windir":
		return "C:/windows"
	case "null", "true", "false":
		return name
	}
	return partial.Unknown
}

// powerArgs are the arguments of a command: its parameters with their values, and its positional arguments.
type powerArgs struct {
	flags map[string]string // by lower-case name, without dash or slash
	pos   []string
}

// powerValues are the parameters that take the next word as their value.
const powerValues = "argumentlist body computername credential depth destination disknumber driveletter ea encoding" +
	" erroraction errorvariable exclude executionpolicy filepath filesystem filter headers id include infile" +
	" inputobject literalpath method name newfilesystemlabel newname outfile path pattern processname property" +
	" propertytype resourcegroupname scope servicename startuptype status stream tail totalcount uri value verb" +
	" workingdirectory"

// parsePower splits the words of a command into parameters and positional arguments.
func parsePower(words []string) powerArgs {
	a := powerArgs{flags: map[string]string{}}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !isParameter(w) {
			a.pos = append(a.pos, w)
			continue
		}
		name, v, _ := strings.Cut(strings.ToLower(w[1:]), ":")
		if lex.OneOf(name, powerValues) && i+1 < len(words) {
			i++
			v = words[i]
		}
		a.flags[name] = v
	}
	return a
}

// isParameter reports whether a word is the name of a parameter, or a short switch of cmd such as /s.
func isParameter(word string) bool {
	switch {
	case len(word) < 2:
		return false
	case word[0] == '-':
		return true
	}
	return word[0] == '/' && len(word) <= 3
}

// has reports whether a parameter was given, in full or abbreviated to at least min letters.
func (a powerArgs) has(name string, min int) bool {
	for n := len(name); n >= min; n-- {
		if _, ok := a.flags[name[:n]]; ok {
			return true
		}
	}
	return false
}

// targets returns what a command works on: its positional arguments, the values of
// the named parameters, or the piped input if there are none.
func (p *powerScript) targets(a powerArgs, names ...string) []string {
	out := a.pos
	for _, n := range names {
		if v := a.flags[n]; v != "" {
			out = append(out, v)
		}
	}
	if len(out) == 0 && p.piped {
		out = []string{cmp.Or(p.given, partial.Unknown)}
	}
	return out
}

// path is a word as a path of this place.
func (p *powerScript) path(w string) string { return p.sh.Path(strings.ReplaceAll(w, `\`, "/")) }

// run reports the effects of one command and returns its output.
func (p *powerScript) run(words []string) string {
	name := strings.ToLower(strings.TrimPrefix(words[0], "."))
	if len(words) > 2 && words[1] == "=" && strings.HasPrefix(words[0], "$") {
		p.vars[name[1:]] = p.sh.Afford(words[2])
		return ""
	}
	a := parsePower(words[1:])
	if a.has("whatif", 4) || a.has("wi", 2) {
		return ""
	}
	if output, prints := p.output(name, words, a); prints {
		return output
	}
	switch {
	case name == "rm" && unixFlags(words):
		p.runNative(words)
	case lex.OneOf(name, "get-content gc type cat"):
		for _, f := range p.targets(a, "path", "literalpath") {
			p.sh.Read(p.path(f))
		}
	case lex.OneOf(name, "set-location sl chdir push-location"):
		p.unix("cd", a.pos)
	case lex.OneOf(name, "invoke-expression iex invoke-command icm"):
		p.evaluate(a)
	case lex.OneOf(name, "start-process saps start"):
		p.startProcess(a)
	case p.changeFiles(name, a), p.changeSystem(name, a), p.byVerb(name, a):
		// its effects are reported
	default:
		p.runNative(words)
	}
	return ""
}

// output returns the output of a command, and whether it is one whose output is known.
func (p *powerScript) output(name string, words []string, a powerArgs) (output string, prints bool) {
	switch {
	case lex.OneOf(name, "dir gci get-childitem get-item gi ls resolve-path"):
		return p.listing(a), true
	case lex.OneOf(name, "% ? foreach-object select select-object sort-object where where-object"):
		if p.given == "" {
			return "", true
		}
		return strings.TrimSuffix(p.given, "/*") + "/" + partial.Unknown, true
	case lex.OneOf(name, "get-process gps get-service gsv"):
		return strings.Join(p.targets(a, "name", "processname", "id"), " "), true
	case lex.OneOf(name, "curl invoke-restmethod invoke-webrequest irm iwr start-bitstransfer wget"):
		return p.fetch(words, a), true
	}
	return "", false
}

// listing returns the output of a directory listing: all of a directory, or a part of it.
func (p *powerScript) listing(a powerArgs) string {
	dir := cmp.Or(strings.Join(p.targets(a, "path", "literalpath"), " "), ".")
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if a.has("filter", 3) || a.has("include", 3) {
		return dir + "/" + partial.Unknown
	}
	return dir + "/*"
}

// fetch reports a web request. With -OutFile it writes a file. Otherwise it returns the response as output.
func (p *powerScript) fetch(words []string, a powerArgs) string {
	if f, ok := a.flags["outfile"]; ok {
		p.sh.Write(p.path(f))
		return ""
	}
	p.runNative(append([]string{"curl"}, words[1:]...))
	return partial.UnknownNetwork
}

// evaluate runs the code of Invoke-Expression or Invoke-Command as far as it is known.
func (p *powerScript) evaluate(a powerArgs) {
	text := strings.Join(p.targets(a, "command"), " ")
	switch {
	case p.sh.Opaque(text):
	case text == "":
		p.sh.Effect(effect.RunUnknown, effect.Unseen, "")
	case lex.Mentions(strings.ToLower(text), "net.webclient new-object"):
		p.sh.Effect(effect.RunUnknown, effect.Network, "")
	default:
		Run(p.sh, text)
	}
}

// startProcess runs the program of Start-Process, and reports if it is elevated.
func (p *powerScript) startProcess(a powerArgs) {
	if strings.EqualFold(a.flags["verb"], "runas") {
		p.sh.Effect(effect.RunElevated, effect.Named("runas"), "")
	}
	words := append(p.targets(a, "filepath"), strings.Fields(a.flags["argumentlist"])...)
	if len(words) > 0 {
		p.runNative(words)
	}
}

// changeFiles reports the effects of commands that change files. It returns false for any other command.
func (p *powerScript) changeFiles(name string, a powerArgs) bool {
	switch {
	case lex.OneOf(name, "del erase rd remove-item ri rm rmdir"):
		kind := effect.DeleteFile
		if a.has("recurse", 1) || a.has("s", 1) || lex.OneOf(name, "rd rmdir") {
			kind = effect.DeleteTree
		}
		for _, w := range p.targets(a, "path", "literalpath") {
			p.deleteItem(kind, w)
		}
	case lex.OneOf(name, "ac add-content clc clear-content out-file sc set-content"):
		first := powerArgs{flags: a.flags, pos: a.pos[:min(1, len(a.pos))]}
		for _, w := range p.targets(first, "path", "filepath", "literalpath") {
			p.sh.Write(p.path(w))
		}
	case lex.OneOf(name, "copy copy-item cp cpi mi move move-item mv ren rename-item rni"):
		program := "mv"
		if strings.HasPrefix(name, "c") {
			program = "cp"
		}
		p.unix(program, p.targets(a, "path", "literalpath", "destination", "newname"))
	default:
		return false
	}
	return true
}

// unix runs a program of Unix that does to paths what a cmdlet does.
func (p *powerScript) unix(program string, paths []string) {
	words := []string{program}
	for _, w := range paths {
		words = append(words, p.path(w))
	}
	p.sh.Exec(words, nil)
}

// deleteItem reports the deletion of a file or a registry key. Variables, functions and aliases are ignored.
func (p *powerScript) deleteItem(kind effect.Kind, w string) {
	drive, _, ok := strings.Cut(strings.ToLower(w), ":")
	switch {
	case onRegistry(w):
		p.sh.Effect(effect.ChangeSystem, effect.Registry, w)
	case ok && lex.OneOf(drive, "env variable function alias"):
	default:
		p.sh.Deletes(kind, "", strings.ReplaceAll(w, `\`, "/"))
	}
}

// changeSystem reports the effects of commands on disks, processes, services and machine
// settings. It returns false for any other command.
func (p *powerScript) changeSystem(name string, a powerArgs) bool {
	for _, row := range powerRows {
		if !lex.OneOf(name, row.names) {
			continue
		}
		what := strings.Join(p.targets(a, strings.Fields(row.targets)...), " ")
		op := row.op
		switch {
		case row.kind == effect.KillProcess && strings.Trim(what, "0123456789 ") == "":
			op = effect.ByPID
		case op == effect.Registry && !onRegistry(what),
			op == effect.ExecutionPolicy && strings.EqualFold(a.flags["scope"], "process"),
			name == "set-service" && !strings.EqualFold(a.flags["startuptype"]+a.flags["status"], "disabled") &&
				!strings.EqualFold(a.flags["status"], "stopped"):
			return true
		}
		p.sh.Effect(row.kind, op, what)
		return true
	}
	return false
}

// powerRows are the commands with one effect. targets are the parameters that name what the command works on.
var powerRows = []struct {
	names   string
	kind    effect.Kind
	op      effect.Op
	targets string
}{
	{"format-volume clear-disk initialize-disk remove-partition remove-volume reset-physicaldisk " +
		"remove-physicaldisk format format.com diskpart", effect.WriteDisk, effect.Format, "driveletter disknumber"},
	{"stop-computer restart-computer", effect.Power, "", ""},
	{"stop-process spps kill", effect.KillProcess, effect.ByName, "name id processname"},
	{"stop-service spsv remove-service suspend-service set-service", effect.StopService, effect.Service,
		"name servicename"},
	{"set-itemproperty sp remove-itemproperty rp new-itemproperty", effect.ChangeSystem, effect.Registry,
		"path literalpath"},
	{"set-executionpolicy", effect.ChangeSystem, effect.ExecutionPolicy, "executionpolicy"},
	{"register-scheduledtask new-service register-scheduledjob", effect.Persist, effect.ScheduledTask, "name"},
	{"set-mppreference add-mppreference set-netfirewallprofile clear-recyclebin clear-eventlog",
		effect.ChangeSystem, "settings", ""},
}

// onRegistry reports whether a path is on a drive of the registry.
func onRegistry(path string) bool {
	drive, _, _ := strings.Cut(strings.ToLower(path), ":")
	return lex.OneOf(drive, "hkcr hkcu hklm hku registry")
}

// byVerb reports the effects of a cmdlet by the verb that begins its name. It thus
// covers cmdlets that no table lists. It returns false if the verb is harmless.
func (p *powerScript) byVerb(name string, a powerArgs) bool {
	verb, noun, ok := strings.Cut(name, "-")
	if !ok || strings.ContainsAny(name, "./ ") || !lex.OneOf(verb, "clear disable dismount remove reset revoke stop"+
		" suspend uninstall unregister") {
		return false
	}
	if lex.OneOf(noun, "alias computerrestore event eventsubscriber history host job module psbreakpoint psdrive"+
		" pssession transcript typedata variable") {
		return true
	}
	target := strings.TrimSpace(noun + " " + strings.Join(p.targets(a, "name", "resourcegroupname"), " "))
	switch {
	case lex.OneOf(noun, "appxpackage appxprovisionedpackage module package script windowsfeature"):
		p.sh.Effect(effect.RemovePackage, effect.Named("powershell"), target)
	case verb == "remove" && lex.OneOf(noun, "azakscluster azcosmosdbaccount azdisk azkeyvault azresourcegroup"+
		" azsqldatabase azsqlserver azstorageaccount azvm azwebapp cluster clustergroup database vhd vm"):
		p.sh.Effect(effect.DestroyRemote, effect.Teardown, target)
	case lex.OneOf(verb, "clear remove reset uninstall unregister"):
		p.sh.Effect(effect.DestroyRemote, effect.Part, target)
	default:
		p.sh.Effect(effect.ChangeSystem, effect.Named(verb), target)
	}
	return true
}

// runNative runs a program that is not a cmdlet.
func (p *powerScript) runNative(words []string) {
	for i, w := range words {
		if fspath.IsDrive(w) || strings.HasPrefix(w, `.\`) {
			words[i] = strings.ReplaceAll(w, `\`, "/")
		}
	}
	var in *string
	if p.piped && strings.Contains(p.given, partial.UnknownNetwork) {
		in = &p.given
	}
	p.sh.Exec(words, in)
}

// unixFlags reports whether a command has flags of the Unix rm, which no PowerShell
// command has. Outside Windows, "rm" is the system's own program.
func unixFlags(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		switch {
		case strings.HasPrefix(w, "--"):
			return true
		case len(w) < 3, w[0] != '-':
			return false
		}
		return strings.Trim(w[1:], "rRfdiIv") == ""
	})
}
