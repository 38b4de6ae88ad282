package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command after expansion.
type command struct {
	name string   // lower-case base name of the program
	args []string // without the program
	in   *string  // what it reads; nil = nothing known to be connected
}

// maxCombinations bounds how often one command is judged for the different
// values its words may have.
const maxCombinations = 12

func (sh *shell) call(c *syntax.CallExpr, in *string) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			sh.assignment(a)
		}
		return
	}
	env := sh
	if len(c.Assigns) > 0 {
		env = sh.sub()
		for _, a := range c.Assigns {
			env.assignment(a)
			env.commandVariable(a)
		}
	}
	for _, argv := range oneStep(sh.argvs(c.Args)) {
		env.exec(argv, in)
	}
	if env != sh {
		env.mistaken(c)
	}
	if env != sh {
		sh.place = env.place
	}
}

// mistaken judges what "T=/x rm -rf $T" looks like it does: the shell expands
// the argument before it assigns, but the writer may have meant the new value.
func (sh *shell) mistaken(c *syntax.CallExpr) {
	uses := false
	for _, w := range c.Args {
		syntax.Walk(w, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				_, own := sh.vars[p.Param.Value]
				uses = uses || own
			}
			return !uses
		})
	}
	if !uses {
		return
	}
	n := len(sh.u.effects)
	for _, argv := range sh.sub().argvs(c.Args) {
		sh.sub().exec(argv, nil)
	}
	sh.doubt(n)
}

// oneStep makes one step of a "cd" to one of several directories below: taken
// one after the other they would add up.
func oneStep(lists [][]string) [][]string {
	if len(lists) < 2 {
		return lists
	}
	for _, argv := range lists {
		if len(argv) != 2 || argv[0] != "cd" || argv[1] == "" || strings.Contains(argv[1], "..") || strings.IndexByte("/~-", argv[1][0]) >= 0 {
			return lists
		}
	}
	return [][]string{{"cd", "./" + unknown}}
}

// commandVariable runs the variables that other programs hand to a shell.
func (sh *shell) commandVariable(a *syntax.Assign) {
	if a.Name == nil || !oneOf(a.Name.Value, "GIT_SSH_COMMAND GIT_EDITOR EDITOR VISUAL PAGER GIT_PAGER MANPAGER LESSOPEN PROMPT_COMMAND GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR GIT_ASKPASS BROWSER BASH_ENV ENV GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SUDO_EDITOR MANROFFOPT LESSCLOSE") {
		return
	}
	v, _ := sh.lookup(a.Name.Value)
	text := strings.TrimPrefix(first(v), "|")
	if oneOf(a.Name.Value, "BASH_ENV ENV") {
		sh.sub().scriptNamed(text)
		return
	}
	if strings.Contains(text, " ") {
		sh.run(text, nil)
	}
}

// argvs expands words into the argument lists they may become.
func (sh *shell) argvs(words []*syntax.Word) [][]string {
	lists := [][]string{nil}
	for _, w := range words {
		alts := sh.alternatives(w)
		if !sh.spend(len(lists) * len(alts) / argsPerStep) {
			return nil
		}
		lists = combine(lists, alts)
	}
	return lists
}

// combine appends every alternative to every list; beyond the bound they are
// paired so that each occurs at least once. Lists grow in place.
func combine(lists, alts [][]string) [][]string {
	if len(alts) == 0 {
		return lists
	}
	if len(alts) > 1 && len(lists)*len(alts) <= maxCombinations {
		return multiply(lists, alts)
	}
	for n := len(lists); len(lists) < len(alts); {
		lists = append(lists, slices.Clone(lists[len(lists)%n]))
	}
	for i := range lists {
		lists[i] = append(lists[i], alts[i%len(alts)]...)
	}
	return lists
}

func multiply(lists, alts [][]string) [][]string {
	var out [][]string
	for _, b := range alts {
		for _, a := range lists {
			out = append(out, append(slices.Clone(a), b...))
		}
	}
	return out
}

// exec evaluates one argument list: assignments of a wrapper, a function, or
// a program.
func (sh *shell) exec(argv []string, in *string) {
	if len(argv) == 0 || !sh.spend(perCommand+len(argv)/argsPerStep) {
		return
	}
	if sh.depth >= maxDepth {
		sh.exhausted("over budget")
		return
	}
	if f := sh.function(argv[0]); f != nil && (f.calls == 0 || sh.forked) {
		sh.callFunction(f, argv, in)
		return
	}
	c := command{name: programName(argv[0]), args: argv[1:], in: in}
	via := sh.via
	sh.via = c.name
	sh.depth++
	before, outer := sh.printed(), sh.u.begin(sh, argv)
	p := sh.programNamed(c.name)
	sh.program(p, c, argv[0])
	sh.u.end(outer)
	if sh.printed() == before && !p.silent {
		sh.print(unknown)
	}
	sh.depth--
	sh.via = via
}

func (sh *shell) printed() int {
	if sh.out == nil {
		return 0
	}
	return sh.out.Len()
}

// silent is true of the programs whose empty output is known to be empty.
func silent(name string) bool {
	return oneOf(name, "cd pushd popd export declare local readonly typeset unset alias read set true false : [ test rm mkdir cp mv touch ln chmod chown exit return shift sleep wait "+
		"echo printf tee trap eval source . kill cat head tail sudo env command exec timeout nohup bash sh zsh dash xargs find")
}

func (sh *shell) callFunction(f *function, argv []string, in *string) {
	if f.alias != "" {
		name := f.alias
		f.alias = ""
		sh.run(name+" "+quoteAll(argv[1:]), in)
		f.alias = name
		return
	}
	if f.body == nil {
		return
	}
	if f.calls > 0 {
		sh.effect(ForkBomb, "a function that forks itself", "")
		return
	}
	f.calls++
	child := *sh
	child.params = append([]string{}, argv[1:]...)
	child.src = f.src
	child.depth++
	child.stmt(f.body, in)
	sh.vars, sh.funcs, sh.place = child.vars, child.funcs, child.place
	f.calls--
}

// quoteAll makes words safe to be parsed again.
func quoteAll(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// programName is the name that the tables know a program by.
func programName(arg string) string {
	if i := strings.LastIndexAny(arg, "/\\"); i >= 0 {
		arg = arg[i+1:]
	}
	name := strings.ToLower(arg)
	name = strings.TrimSuffix(name, ".exe")
	trimmed := strings.TrimRight(name, "0123456789.")
	switch trimmed {
	case "python", "pip", "ruby", "perl", "php", "node", "lua", "pypy", "bash", "zsh", "make", "mkfs", "tclsh", "go":
		return trimmed
	}
	return name
}

func (sh *shell) program(p program, c command, full string) {
	if strings.Contains(full, "=") && !strings.HasPrefix(full, "-") && len(c.args) > 0 && p.row == nil {
		sh.exec(c.args, c.in)
		return
	}
	if strings.HasSuffix(full, ")") && strings.Contains(full, "(") {
		sh.unreadable("code of another language", full)
		return
	}
	if p.own {
		sh.own(c, full)
	}
	sh.ownOutput(c)
	if p.prints && printsForEval(c) {
		sh.print(unknownBenign)
		return
	}
	if hasHole(c.name) {
		sh.unknownProgram(c, full)
		return
	}
	if p.shell {
		sh.shellProgram(c)
		return
	}
	if p.secret && sh.showsSecret(c) {
		return
	}
	if p.row != nil {
		if !asksHelp(c) {
			p.row(sh, c)
		}
		return
	}
	if sh.scriptFile(full, c.args) {
		return
	}
	if strings.HasPrefix(c.name, "mkfs.") || strings.HasPrefix(c.name, "newfs_") {
		makeFilesystem(sh, c)
		return
	}
	if containsAny(c.args, "-i -I --in-place --inplace --write -w") {
		sh.ownOperands(c)
	}
	switch {
	case p.controls:
		sh.remoteControl(c)
	case p.sql:
		sh.typedSQL(c)
	default:
		sh.perhapsWrapper(c)
	}
}

// perhapsWrapper follows what a program that is in no table may start: it may
// have a verb or two of its own before the command.
func (sh *shell) perhapsWrapper(c command) {
	for i := range min(3, len(c.args)) {
		if oneOf(programName(c.args[i]), "rm git sudo bash sh dd find kubectl terraform docker aws env eval") {
			n := len(sh.u.effects)
			sh.exec(c.args[i:], c.in)
			sh.doubt(n)
			return
		}
	}
}

// typedSQL is a statement typed where a command belongs: it may be meant for
// a client that is reading the terminal.
func (sh *shell) typedSQL(c command) {
	n := len(sh.u.effects)
	sh.sql(c.name + " " + strings.Join(c.args, " "))
	if c.name == "flushall" || c.name == "flushdb" {
		sh.effect(DropData, "database", c.name)
	}
	sh.doubt(n)
}

// assigned is the value of a variable that the call itself sets.
func (sh *shell) assigned(name string) (string, bool) {
	for s := sh; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return first(v), true
		}
	}
	return "", false
}

// doubt makes the effects from the n-th on merely possible.
func (sh *shell) doubt(n int) {
	for i := n; i < len(sh.u.effects); i++ {
		sh.u.effects[i].Sure = Possible
	}
}

// unknownProgram judges a command whose name is not known: code that came
// from elsewhere is code, and arguments that only make sense for a deletion
// make one possible.
func (sh *shell) unknownProgram(c command, full string) {
	if strings.ContainsAny(full, string(holeNetwork)+string(holeDecoded)) {
		sh.effect(RunUnknown, originOf(full), "")
		return
	}
	o := parseOptions(c.args, "")
	if o.short('r') || o.short('R') {
		for _, p := range o.pos {
			sh.possible(DeleteTree, "", sh.path(p))
		}
	}
	if o.has("hard") {
		sh.possible(Discard, "reset-hard", "")
	}
}

// The programs whose output is meant to be evaluated: some always, some with
// the right arguments.
const (
	evalAlways = "ssh-agent dircolors lesspipe keychain gpg-agent lesspipe.sh"
	evalAsked  = "direnv pyenv rbenv nodenv goenv jenv phpenv plenv tfenv fnm nvm zoxide starship brew minikube docker-machine docker kubectl helm gh opam luarocks conda mamba " +
		"micromamba mise asdf rtx thefuck atuin fzf npm uv poetry pixi rustup just podman vfox proto volta devbox luaver hatch pdm deno op aws-vault saml2aws tmuxifier"
)

func evalPrinter(name string) bool { return oneOf(name, evalAlways) || oneOf(name, evalAsked) }

// printsForEval is true of an evalPrinter with the arguments that make it
// print for it.
func printsForEval(c command) bool {
	if oneOf(c.name, evalAlways) {
		return len(c.args) == 0 || strings.HasPrefix(c.args[0], "-") || c.name == "keychain"
	}
	if c.name == "npm" {
		return first(c.args) == "completion"
	}
	first := c.args[:min(1, len(c.args))]
	if oneOf(c.name, "conda mamba micromamba opam") {
		if containsString(first, "env") && c.name != "opam" {
			return false // there a group with verbs of its own
		}
		first = c.args[:min(2, len(c.args))]
	}
	return containsAny(first, "init hook env shellenv docker-env podman-env completion completions activate shell.bash shell.zsh shell.fish hook-env --bash --zsh --fish --alias -s export generate-shell-completion")
}

// asksHelp is true of a program that only prints its help; wrappers and
// interpreters may pass the flag on.
func asksHelp(c command) bool {
	if wrapperRow(c.name) != nil || codeRow(c.name) != nil || containerRow(c.name) != nil {
		return false
	}
	for _, a := range c.args {
		if a == "--" {
			return false
		}
		if a == "--help" {
			return true
		}
	}
	return false
}

func originOf(text string) string {
	switch {
	case strings.ContainsRune(text, holeNetwork):
		return "network"
	case strings.ContainsRune(text, holeDecoded):
		return "decoded"
	case strings.ContainsRune(text, holeBenign):
		return ""
	}
	return "unknown"
}

// scriptFile runs a file that this very call wrote, with its arguments.
func (sh *shell) scriptFile(full string, args []string) bool {
	if _, searched := sh.assigned("PATH"); !strings.Contains(full, "/") && !searched {
		return false
	}
	text, ok := sh.brought(full)
	if !ok {
		return false
	}
	child := sh.sub()
	child.params = append([]string{}, args...)
	child.runText(text)
	return true
}

// runText runs a text as a shell program; what is not known is reported.
func (sh *shell) runText(text string) { sh.runTextIn(text, nil) }

// runTextIn is runText for a shell whose commands read in.
func (sh *shell) runTextIn(text string, in *string) {
	if origin := opaque(text); origin != "" {
		sh.effect(RunUnknown, origin, "")
		return
	}
	sh.run(text, in)
}

// opaque says where a program text comes from when its commands cannot be
// read: it is one hole, or fetched or decoded text stands in it. A shebang
// line of another interpreter makes it no shell program at all.
func opaque(text string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == unknownBenign {
		return ""
	}
	if strings.ContainsAny(text, string(holeNetwork)+string(holeDecoded)) {
		return originOf(text)
	}
	if strings.Trim(trimmed, holes+" \n") == "" {
		return originOf(text)
	}
	return ""
}
