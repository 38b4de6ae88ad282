package powershell

import (
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// PowerShell and cmd are cut into commands and words here; their own commands
// become effects by their verb, and every other program is run as in any shell.

// Program is the row of the programs: what they are told to run.
func Program(sh *shell.Shell, c shell.Command) {
	for i, a := range c.Args {
		l := strings.ToLower(a)
		if lex.OneOf(l, "-c -command /c /k /r -commandwithargs") && i+1 < len(c.Args) {
			Run(sh, strings.Join(c.Args[i+1:], " "))
			return
		}
		if lex.OneOf(l, "-e -ec -enc -encodedcommand") && i+1 < len(c.Args) {
			sh.Effect(effect.RunUnknown, effect.Decoded, "")
			Run(sh, wideText(c.Args[i+1]))
			return
		}
	}
	if c.In != nil && c.Name != "cmd" {
		Run(sh, *c.In)
	}
}

// wideText is the text of an encoded command: base64 of UTF-16, of which the
// commands that matter are ASCII.
func wideText(encoded string) string {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	return partial.Scrub(strings.ReplaceAll(string(raw), "\x00", ""))
}

// powerScript is the state of one text: its variables, and what the last command of
// a pipeline hands on.
type powerScript struct {
	sh    *shell.Shell
	vars  map[string]string
	piped bool   // the command before hands something on
	given string // what: a path, a name, a text; "" = not known
}

// Run runs a text of PowerShell or cmd.
func Run(sh *shell.Shell, text string) {
	p := powerScript{sh: sh, vars: map[string]string{}}
	p.text(text)
}

// text runs a text and returns what its last command hands on.
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

// command reads up to the end of a command: its words, what ended it, the rest.
func (p *powerScript) command(text string) (words []string, end, rest string) {
	var b strings.Builder
	open := false
	flush := func() {
		if open {
			words = append(words, b.String())
		}
		b.Reset()
		open = false
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '`' && i+1 < len(text):
			if text[i+1] != '\n' {
				b.WriteByte(text[i+1])
				open = true
			}
			i += 2
		case c == '\'' || c == '"':
			s, n := p.quoted(text[i:])
			b.WriteString(s)
			open = true
			i += n
		case c == '$':
			s, n := p.variable(text[i:])
			b.WriteString(s)
			open = true
			i += n
		case c == ' ' || c == '\t' || c == ',':
			flush()
			i++
		case c == '#' && !open:
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				n = len(text) - i
			}
			i += n
		case strings.IndexByte(";\n|&(){}", c) >= 0:
			flush()
			return words, text[i : i+1], text[i+1:]
		default:
			b.WriteByte(c)
			open = true
			i++
		}
	}
	flush()
	return words, "", ""
}

// quoted reads the literal at the start of s and returns its text and length.
func (p *powerScript) quoted(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); {
		switch {
		case s[i] == s[0] && i+1 < len(s) && s[i+1] == s[0]:
			b.WriteByte(s[0])
			i += 2
		case s[i] == s[0]:
			return b.String(), i + 1
		case s[0] == '"' && s[i] == '$':
			v, n := p.variable(s[i:])
			b.WriteString(v)
			i += n
		case s[0] == '"' && s[i] == '`' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String(), len(s)
}

// substitution runs the inside of "$(…)" and returns what it hands on.
func (p *powerScript) substitution(s string) (string, int) {
	if !p.sh.Spend(len(s) / shell.TextPerStep) { // the end may be far, or nowhere
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

// variable reads $name, ${name} and $env:name; what is assigned to is kept by
// its name, and what nobody knows is a hole.
func (p *powerScript) variable(s string) (string, int) {
	if len(s) > 1 && s[1] == '(' {
		return p.substitution(s)
	}
	n := 1
	for n < len(s) && (lex.IsNameByte(s[n]) && s[n] != '$' || s[n] == ':' || s[n] == '{' && n == 1 || s[n] == '}' && s[1] == '{') {
		n++
	}
	name := strings.ToLower(strings.Trim(s[1:n], "{}"))
	if n == 1 {
		return partial.Unknown, 1
	}
	if strings.HasPrefix(strings.TrimLeft(s[n:], " "), "=") {
		return "$" + name, n
	}
	if v, ok := p.vars[name]; ok {
		return v, n
	}
	switch {
	case lex.OneOf(name, "home env:userprofile env:home"):
		return p.sh.HomeText(), n
	case lex.OneOf(name, "pwd pwd.path"):
		return p.sh.Place.Cwd, n
	case lex.OneOf(name, "env:temp env:tmp"):
		return "/tmp", n
	case name == "env:systemdrive":
		return "C:", n
	case lex.OneOf(name, "env:systemroot env:windir"):
		return "C:/windows", n
	case lex.OneOf(name, "null true false"):
		return name, n
	}
	return partial.Unknown, n
}

// powerArgs are the words behind a command: its parameters with their values,
// and the rest.
type powerArgs struct {
	flags map[string]string // in small letters, without dash or slash
	pos   []string
}

// powerValues are parameters that take the next word.
const powerValues = "path literalpath include exclude filter destination newname name id inputobject value " +
	"encoding erroraction ea errorvariable stream computername " +
	"credential driveletter disknumber filesystem newfilesystemlabel uri outfile method body infile headers verb " +
	"argumentlist filepath workingdirectory scope executionpolicy " +
	"startuptype status property propertytype resourcegroupname depth tail totalcount pattern processname servicename"

func parsePower(words []string) powerArgs {
	a := powerArgs{flags: map[string]string{}}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' && !(w[0] == '/' && len(w) <= 3) {
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

// has is true if a parameter was given, in full or as an abbreviation of at
// least min letters.
func (a powerArgs) has(name string, min int) bool {
	for n := len(name); n >= min; n-- {
		if _, ok := a.flags[name[:n]]; ok {
			return true
		}
	}
	return false
}

// targets are what a command works on: by name of the parameter, by place, or
// through the pipe.
func (p *powerScript) targets(a powerArgs, names ...string) []string {
	out := a.pos
	for _, n := range names {
		if v, ok := a.flags[n]; ok && v != "" {
			out = append(out, v)
		}
	}
	if len(out) == 0 && p.piped {
		out = []string{p.given}
		if p.given == "" {
			out[0] = partial.Unknown
		}
	}
	return out
}

// path is a word as a path of this place.
func (p *powerScript) path(w string) string { return p.sh.Path(strings.ReplaceAll(w, `\`, "/")) }

// run reports what one command does and returns what it hands on.
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
	switch {
	case name == "rm" && unixFlags(words):
		p.native(words)
	case lex.OneOf(name, "get-childitem gci dir ls get-item gi resolve-path"):
		return p.listed(a)
	case lex.OneOf(name, "where-object where ? foreach-object % sort-object select-object select"):
		if p.given == "" {
			return ""
		}
		return strings.TrimSuffix(p.given, "/*") + "/" + partial.Unknown
	case lex.OneOf(name, "get-process gps get-service gsv"):
		return strings.Join(p.targets(a, "name", "processname", "id"), " ")
	case lex.OneOf(name, "invoke-webrequest iwr invoke-restmethod irm wget curl start-bitstransfer"):
		return p.fetches(words, a)
	case lex.OneOf(name, "get-content gc type cat"):
		for _, f := range p.targets(a, "path", "literalpath") {
			p.sh.Read(p.path(f))
		}
	case lex.OneOf(name, "set-location sl chdir push-location"):
		p.sh.Exec([]string{"cd", p.path(strings.Join(a.pos, " "))}, nil)
	case lex.OneOf(name, "invoke-expression iex invoke-command icm"):
		p.evaluates(a)
	case lex.OneOf(name, "start-process saps start"):
		p.starts(a)
	default:
		if !p.changes(name, a) && !p.system(name, a) && !p.byVerb(name, a) {
			p.native(words)
		}
	}
	return ""
}

// listed is what a listing hands on: all of a directory, or a part of it.
func (p *powerScript) listed(a powerArgs) string {
	dir := strings.Join(p.targets(a, "path", "literalpath"), " ")
	if dir == "" {
		dir = "."
	}
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if a.has("filter", 3) || a.has("include", 3) {
		return dir + "/" + partial.Unknown
	}
	return dir + "/*"
}

// fetches: with a place to write to it is a download; else its text goes on.
func (p *powerScript) fetches(words []string, a powerArgs) string {
	if f, ok := a.flags["outfile"]; ok {
		p.sh.Write(p.path(f))
		return ""
	}
	p.native(append([]string{"curl"}, words[1:]...))
	return partial.UnknownNetwork
}

// evaluates runs the text of Invoke-Expression as far as it is known.
func (p *powerScript) evaluates(a powerArgs) {
	text := strings.Join(p.targets(a, "command"), " ")
	if origin := shell.Opaque(text); origin != "" || text == "" {
		if origin == "" {
			origin = "unknown"
		}
		p.sh.Effect(effect.RunUnknown, origin, "")
		return
	}
	if low := strings.ToLower(text); lex.Mentions(low, "net.webclient new-object") {
		p.sh.Effect(effect.RunUnknown, effect.Network, "")
		return
	}
	Run(p.sh, text)
}

func (p *powerScript) starts(a powerArgs) {
	if strings.EqualFold(a.flags["verb"], "runas") {
		p.sh.Effect(effect.RunElevated, effect.Runas, "")
	}
	words := append(p.targets(a, "filepath"), strings.Fields(a.flags["argumentlist"])...)
	if len(words) > 0 {
		p.native(words)
	}
}

// changes covers what is done to files.
func (p *powerScript) changes(name string, a powerArgs) bool {
	switch {
	case lex.OneOf(name, "remove-item ri rm rmdir rd del erase"):
		kind := effect.DeleteFile
		if a.has("recurse", 1) || a.has("s", 1) || lex.OneOf(name, "rd rmdir") {
			kind = effect.DeleteTree
		}
		for _, w := range p.targets(a, "path", "literalpath") {
			p.deletes(kind, w)
		}
	case lex.OneOf(name, "clear-content clc set-content sc out-file add-content ac"):
		files := p.targets(
			powerArgs{flags: a.flags, pos: a.pos[:min(1, len(a.pos))]},
			"path",
			"filepath",
			"literalpath",
		)
		for _, w := range files {
			p.sh.Write(p.path(w))
		}
	case lex.OneOf(name, "move-item mi move mv rename-item rni ren copy-item cpi copy cp"):
		words := p.targets(a, "path", "literalpath", "destination", "newname")
		for i, w := range words {
			words[i] = p.path(w)
		}
		p.sh.Exec(
			append([]string{map[bool]string{true: "cp", false: "mv"}[strings.HasPrefix(name, "c")]}, words...),
			nil,
		)
	default:
		return false
	}
	return true
}

// deletes: a key of the registry and a variable are no files.
func (p *powerScript) deletes(kind effect.Kind, w string) {
	drive, _, ok := strings.Cut(strings.ToLower(w), ":")
	switch {
	case onRegistry(w):
		p.sh.Effect(effect.ChangeSystem, effect.Registry, w)
	case ok && lex.OneOf(drive, "env variable function alias"):
	default:
		p.sh.Deletes(kind, "", strings.ReplaceAll(w, `\`, "/"))
	}
}

// system covers disks, processes, services and settings of the machine.
func (p *powerScript) system(name string, a powerArgs) bool {
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

// powerRows are the commands with one effect: their names, what it is done to by
// the parameters that name it.
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
	{
		"stop-service spsv remove-service suspend-service set-service",
		effect.StopService,
		effect.Service,
		"name servicename",
	},
	{
		"set-itemproperty sp remove-itemproperty rp new-itemproperty",
		effect.ChangeSystem,
		effect.Registry,
		"path literalpath",
	},
	{"set-executionpolicy", effect.ChangeSystem, effect.ExecutionPolicy, "executionpolicy"},
	{"register-scheduledtask new-service register-scheduledjob", effect.Persist, effect.ScheduledTask, "name"},
	{
		"set-mppreference add-mppreference set-netfirewallprofile clear-recyclebin clear-eventlog",
		effect.ChangeSystem,
		effect.Settings,
		"",
	},
}

// onRegistry is true of a path on a drive of the registry.
func onRegistry(path string) bool {
	drive, _, _ := strings.Cut(strings.ToLower(path), ":")
	return lex.OneOf(drive, "hklm hkcu hkcr hku registry")
}

// byVerb reads a cmdlet by the verb that its name begins with, as PowerShell
// wants it: what nobody listed is still told by it.
func (p *powerScript) byVerb(name string, a powerArgs) bool {
	verb, noun, ok := strings.Cut(name, "-")
	if !ok || strings.ContainsAny(name, "./ ") || !lex.OneOf(verb, "remove clear uninstall disable stop suspend "+
		"reset unregister revoke dismount") {
		return false
	}
	if lex.OneOf(noun, "variable module job pssession event alias host typedata psbreakpoint history psdrive "+
		"transcript eventsubscriber computerrestore") {
		return true
	}
	target := strings.TrimSpace(noun + " " + strings.Join(p.targets(a, "name", "resourcegroupname"), " "))
	switch {
	case lex.OneOf(noun, "package module script appxpackage appxprovisionedpackage windowsfeature"):
		p.sh.Effect(effect.RemovePackage, effect.Powershell, target)
	case verb == "remove" && strings.HasPrefix(noun, "az") && lex.OneOf(noun, "azresourcegroup azvm "+
		"azsqldatabase azsqlserver azstorageaccount azkeyvault azakscluster azcosmosdbaccount azwebapp azdisk"),
		verb == "remove" && lex.OneOf(noun, "vm vhd clustergroup cluster database"):
		p.sh.Effect(effect.DestroyRemote, effect.Teardown, target)
	case lex.OneOf(verb, "remove clear unregister uninstall reset"):
		p.sh.Effect(effect.DestroyRemote, effect.Part, target)
	default:
		p.sh.Effect(effect.ChangeSystem, effect.Named(verb), target)
	}
	return true
}

// native runs a program that is no cmdlet.
func (p *powerScript) native(words []string) {
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

// unixFlags is true of flags as rm has them, and no command of PowerShell: outside
// Windows "rm" is the system's own.
func unixFlags(words []string) bool {
	for _, w := range words {
		if len(w) > 2 && w[0] == '-' && strings.Trim(w[1:], "rRfdiIv") == "" || strings.HasPrefix(w, "--") {
			return true
		}
	}
	return false
}
