// Package understand turns a call into effects. It owns what is done with any call: which tool it is, the order of
// the passes over a command, and programs that no table lists. What each program does belongs to its family in
// programs; families.go lists them. It is bounded:
//
//   - Read to the end are text of a shell, arguments by rows, and scripts of a shell, package.json, makefiles,
//     justfiles, Taskfiles and compose.
//   - Read for what it shows is code of other languages, see package script.
//   - Everything else is unknown. That is asked about where it would decide what runs, and no reason to ask
//     in a file. Do not add a reader for one more tool: docs/guard.md says what the bound is.
package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/agents"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/machine"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// program holds what the tables say about a program name.
type program struct {
	table  *rows.Table // nil if no table lists it
	passes bool        // it may pass "--help" on to another program
	common bool        // a script of a project may have its name
	shell  bool        // a shell
	silent bool        // its empty output is known to be empty
	secret bool        // with the right arguments it shows a secret
	prints bool        // with the right arguments it prints code for eval
	own    bool        // it may affect Afar or the host's guard rails
	hosted bool        // no table lists it, and it controls a hosted service
	stores bool        // it works on a database that it names
	names  bool        // it shows names of files, or its arguments are texts

	emulated *here.Emulated // how it is told that its service is on this machine; nil if it cannot be
	output   *output        // the files that it writes; nil if nothing is known of any
	taker    *taker         // the files that it runs; nil if nothing is known of any
}

// maxPrograms bounds the cache. A call that a person wrote has fewer names.
const maxPrograms = 2048

// A dispatcher runs programs as the tables describe them.
type dispatcher struct {
	programs map[string]*program // the names that were looked up
	browsers agents.BrowserFolders
}

// run runs a program and reports whether its empty output is known to be empty.
func (d *dispatcher) run(sh *shell.Shell, c shell.Command, full string) bool {
	p := d.programNamed(c.Name)
	(&visit{sh: sh, c: c, full: full, p: p}).run(d)
	return p.silent
}

// programNamed returns what the tables say about a name. It caches the answer: the
// names of a long call repeat, and searching every table takes longer than the rest
// of an ordinary command.
func (d *dispatcher) programNamed(name string) *program {
	if p, ok := d.programs[name]; ok {
		return p
	}
	t, of := tableOf(name)
	p := &program{
		table:  t,
		passes: of.passes,
		common: of.common,
		shell:  lex.IsShellName(name),
		silent: silent(name),
		secret: secret.IsCommander(name),
		prints: evalPrinter(name),
		own:    agents.IsChecked(name),
		hosted: t == nil && hosted.IsClient(name),
		stores: of.stores && lex.OneOf(name, here.StoreClients),
		names:  lex.OneOf(name, rows.NamesFiles),

		emulated: here.EmulatorOf(name),
		output:   outputOf(name),
		taker:    takerOf(name),
	}
	if d.programs == nil {
		d.programs = map[string]*program{}
	}
	if len(d.programs) < maxPrograms {
		d.programs[name] = p
	}
	return p
}

// silent reports whether the empty output of a program is known to be empty.
func silent(name string) bool {
	return lex.OneOf(name, ". : [ alias bash cat cd chmod chown command cp dash declare echo env eval exec exit"+
		" export false find head kill ln local mkdir mv nohup popd printf pushd read readonly return rm set sh shift"+
		" sleep source sudo tail tee test timeout touch trap true typeset unset wait xargs zsh")
}

// runUnlisted reports the effects of a program that no table lists.
func runUnlisted(sh *shell.Shell, p *program, c shell.Command, full string) {
	if runsScript(sh, c, full) {
		return
	}
	runFound(sh, c, full)
	if lex.BeginsWith(c.Name, "mkfs. newfs_") {
		rows.TableIn(machine.DiskTables, "mkfs").Run(sh, c, false)
		return
	}
	if lex.ContainsAny(c.Args, "-i -I --in-place --inplace --write -w") {
		agents.ReportOwnOperands(sh, c)
	}
	switch {
	case p.hosted:
		hosted.Report(sh, c, argv.Options{})
	case lex.OneOf(c.Name, "alter delete drop flushall flushdb grant update"):
		rows.ReadTypedSQL(sh, c)
	default:
		reportProjectOutput(sh, c)
		secret.ReportOperands(sh, c, full)
		reportByWord(sh, c, full)
		runPerhapsWrapped(sh, c)
	}
}

// runsScript runs the file that a command names, if its content is known.
func runsScript(sh *shell.Shell, c shell.Command, full string) bool {
	return sh.ScriptFile(full, c.Args) || strings.Contains(full, "/") && sh.RunProgram(full, c.Args, c.In)
}

// runPerhapsWrapped follows a command among the arguments of a program that no table
// lists. Up to two words of the program's own may come before that command, and more before
// "--". Its effects are doubtful.
func runPerhapsWrapped(sh *shell.Shell, c shell.Command) {
	starts := slices.Index(c.Args, "--") + 1
	for i, a := range c.Args {
		if i > 2 && i != starts {
			continue
		}
		if lex.OneOf(lex.ProgramName(a), "aws bash dd docker env eval find git kubectl rm sh sudo terraform") {
			n := len(sh.Eval.Effects)
			sh.Exec(c.Args[i:], c.In)
			sh.Doubt(n)
			return
		}
	}
}

// unknownProgram judges a command whose name is not known. A name that came from
// the network or from a decoder is unknown code. Arguments that only make sense for
// a deletion make a deletion possible.
func unknownProgram(sh *shell.Shell, c shell.Command, full string) {
	if strings.ContainsAny(full, string(partial.HoleNetwork)+string(partial.HoleDecoded)) {
		sh.Effect(effect.RunUnknown, shell.OriginOf(full), "")
		return
	}
	if text, _ := sh.Brought(full); isFetched(text) {
		sh.Effect(effect.RunUnknown, effect.Network, "")
		return
	}
	sh.Unread(full)
	o := argv.ParseOptions(c.Args, "-hard")
	if o.Given("r R") {
		for _, p := range o.Pos {
			sh.Possible(effect.DeleteTree, "", sh.Path(p))
		}
	}
	if o.Given("hard") {
		sh.Possible(effect.Discard, effect.ResetHard, "")
	}
}

// These programs print code for eval: some always, others with the right arguments.
const (
	evalAlways = "dircolors gpg-agent keychain lesspipe lesspipe.sh ssh-agent"
	evalAsked  = "direnv pyenv rbenv nodenv goenv jenv phpenv plenv tfenv fnm nvm zoxide starship brew minikube " +
		"docker-machine docker kubectl helm gh opam luarocks conda mamba " +
		"micromamba mise asdf rtx thefuck atuin fzf npm uv poetry pixi rustup just podman vfox proto volta " +
		"devbox luaver hatch pdm deno op aws-vault saml2aws tmuxifier"
)

// evalPrinter reports whether a program may print code for eval.
func evalPrinter(name string) bool { return lex.OneOf(name, evalAlways+" "+evalAsked) }

// printsForEval reports whether the arguments of an evalPrinter make it print code
// for eval.
func printsForEval(c shell.Command) bool {
	if lex.OneOf(c.Name, evalAlways) {
		return len(c.Args) == 0 || strings.HasPrefix(c.Args[0], "-") || c.Name == "keychain"
	}
	if c.Name == "npm" {
		return lex.First(c.Args) == "completion"
	}
	first := c.Args[:min(1, len(c.Args))]
	if lex.OneOf(c.Name, "conda mamba micromamba opam") {
		if slices.Contains(first, "env") && c.Name != "opam" {
			return false // here "env" is a group with verbs of its own
		}
		first = c.Args[:min(2, len(c.Args))]
	}
	return lex.ContainsAny(first, "init hook env shellenv docker-env podman-env completion completions activate "+
		"shell.bash shell.zsh shell.fish hook-env --bash --zsh --fish --alias -s export "+
		"generate-shell-completion")
}

// runOther runs a file outside the session that has the name of a program of the tables and may be another one.
// It also reports the files among the arguments that look like programs: the command may start them.
func runOther(sh *shell.Shell, p *program, c shell.Command, full string) {
	_, searched := sh.Assigned("PATH")
	switch listed := p.table != nil || p.shell; {
	case listed && strings.Contains(full, "/"):
		runsScript(sh, c, full)
	case listed && searched:
		runFound(sh, c, full)
	}
	for _, a := range c.Args {
		_, file, given := strings.Cut(a, "=")
		if !given {
			file = a
		}
		if strings.Contains(file, "/") && !strings.Contains(fspath.Base(file), ".") {
			sh.UnreadHere(sh.Path(file))
		}
	}
}

// runFound runs a program outside the session that is found by its name where sessions may write.
func runFound(sh *shell.Shell, c shell.Command, full string) {
	switch path := sh.Found(full); {
	case path != "":
		sh.RunFound(path, c.Args)
	case fspath.HasGlob(full):
		sh.Unread(full)
	}
}
