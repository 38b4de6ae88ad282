package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// These are the programs that always edit their file arguments, the programs that
// do so with a flag, and the programs that talk to sockets.
const (
	inPlaceAlways = "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak patch dos2unix unix2dos " +
		"sd rpl sqlite3 duckdb"
	inPlaceAsked  = "prettier yq dasel gofmt black ruff biome eslint rustfmt clang-format"
	socketClients = "curl nc ncat netcat socat websocat wget http"
)

// ownName reports whether checkOwn has a check for a program.
func ownName(name string) bool {
	return lex.OneOf(name, "afar claude claude-code go") || strings.HasPrefix(name, "hook-") ||
		lex.OneOf(name, inPlaceAlways) ||
		lex.OneOf(name, inPlaceAsked) ||
		lex.OneOf(name, socketClients)
}

// checkOwn reports the effects of a command on Afar or on the host's guard rails.
func checkOwn(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case c.Name == "afar":
		afarCommand(sh, c)
	case strings.HasPrefix(c.Name, "hook-") && (lex.OneOf(c.Name[5:], protected.HookEvents) || sh.IsOwn(sh.Path(full))):
		sh.Effect(effect.SteerAfar, effect.Hook, c.Name)
	case lex.OneOf(c.Name, "claude claude-code"):
		hostCommand(sh, c)
	}
	reportOpened(sh, c)
	if changesInPlace(c) {
		ownOperands(sh, c)
	}
	if c.Name == "go" && len(c.Args) > 1 && c.Args[0] == "run" &&
		(fspath.Base(c.Args[1]) == "afar" || strings.HasPrefix(fspath.Base(c.Args[1]), "hook-")) {
		checkOwn(sh, shell.Command{Name: fspath.Base(c.Args[1]), Args: c.Args[2:]}, c.Args[1])
	}
	if lex.OneOf(c.Name, socketClients) {
		ownSocket(sh, c)
	}
}

// changesInPlace reports whether a command is an editor or a converter that
// overwrites its file arguments.
func changesInPlace(c shell.Command) bool {
	if lex.OneOf(c.Name, inPlaceAlways) {
		return true
	}
	return lex.OneOf(c.Name, inPlaceAsked) &&
		lex.ContainsAny(c.Args, "--write -i -w --in-place --inplace put --fix")
}

// ownOperands reports guarded files among the operands of a program that edits its
// file arguments.
func ownOperands(sh *shell.Shell, c shell.Command) {
	for _, a := range shell.ParseOptions(c.Args, "").Pos {
		if p := sh.Path(a); isGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// ownOutput reports a guarded file that a compiler or another program writes
// because of an output option.
func ownOutput(sh *shell.Shell, c shell.Command) {
	for i, a := range c.Args {
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		name, file, given := strings.Cut(a, "=")
		if !lex.OneOf(name, "-o --output --out -O --outfile --output-file --dest --target-directory") {
			continue
		}
		if !given && i+1 < len(c.Args) {
			file = c.Args[i+1]
		}
		if p := sh.Path(file); isGuarded(sh, p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
}

// ownProgram reports whether a path is one of Afar's binaries, or a link to one in
// the home directory.
func ownProgram(sh *shell.Shell, p string) bool {
	base := fspath.Base(p)
	return protected.LinkedProgram(p) || sh.IsOwn(p) && (base == "afar" || strings.HasPrefix(base, "hook-"))
}

// ownSocket reports arguments that name Afar's web page or one of its sockets.
func ownSocket(sh *shell.Shell, c shell.Command) {
	for _, a := range c.Args {
		for _, page := range [...]string{"127.0.0.1:7357", "localhost:7357", "[::1]:7357"} { // AFAR_WEB_ADDR's default
			if strings.Contains(a, page) || strings.HasPrefix(a, ":7357") {
				sh.Effect(effect.SteerAfar, effect.WebPage, a)
				return
			}
		}
		for _, dir := range sh.Eval.Site.Own {
			if dir != "" && strings.Contains(a, dir) || strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
				sh.Effect(effect.SteerAfar, effect.Socket, a)
				return
			}
		}
		if strings.Contains(a, "afar") && strings.Contains(a, ".sock") {
			sh.Effect(effect.SteerAfar, effect.Socket, a)
			return
		}
	}
}

// afarCommand reports a command of Afar that decides something. Verbs that only read
// or post are allowed. Every other verb is a decision that belongs to the person,
// not to a session.
func afarCommand(sh *shell.Shell, c shell.Command) {
	_, rest := shell.Leading(c.Args, "session since home")
	if len(rest) == 0 {
		return
	}
	verb, sub := rest[0], ""
	if _, more := shell.Leading(rest[1:], "session since"); len(more) > 0 {
		sub = more[0]
	}
	if lex.ContainsAny(rest, "--help -h") {
		return
	}
	if lex.OneOf(verb, "status asks log logs post read topics issue consult doctor version help report grants "+
		"completion demo") {
		return
	}
	if lex.OneOf(verb+"."+sub, "guard.explain guard.rules guard.test loop.show loop.list undo.list audit.verify "+
		"telegram.status undo. telegram. guard. loop. audit. config. away. debug. send.person") {
		return
	}
	sh.Effect(effect.SteerAfar, effect.Named(verb), strings.TrimSpace(verb+" "+sub))
}
