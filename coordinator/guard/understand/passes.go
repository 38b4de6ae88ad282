package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/agents"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/build"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/machine"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A visit is one command that is being understood.
type visit struct {
	sh   *shell.Shell
	c    shell.Command
	full string // the program as it is written
	p    *program
	// ends run when the passes are done, the last one first. They mark effects that the command has had since.
	ends []func()
}

// A pass looks at one side of a command. It returns true if nothing else is to be looked at.
type pass struct {
	name string
	run  func(d *dispatcher, v *visit) (done bool)
}

// passes are the order in which a command is understood. The first ones see words that are no program. The next
// ones look at what any program may do, and fall through. Of the last ones one runs the program.
var passes = [...]pass{
	{"an assignment in place of a program", func(_ *dispatcher, v *visit) bool {
		assigns := v.p.table == nil && rows.IsAssignment(v.full) && len(v.c.Args) > 0
		if assigns {
			v.sh.Exec(v.c.Args, v.c.In)
		}
		return assigns
	}},
	{"code of another language", func(_ *dispatcher, v *visit) bool {
		foreign := strings.HasSuffix(v.full, ")") && strings.Contains(v.full, "(")
		if foreign {
			v.sh.Unreadable(effect.ForeignCode, v.full)
		}
		return foreign
	}},
	{"Afar and the guard rails of the host", func(_ *dispatcher, v *visit) bool {
		if v.p.own {
			agents.ReportOwn(v.sh, v.c, v.full)
		}
		return false
	}},
	{"a program outside the session", func(_ *dispatcher, v *visit) bool {
		if v.sh.IsOutside() {
			runOther(v.sh, v.p, v.c, v.full)
		}
		return false
	}},
	{"a search for Afar's processes", func(_ *dispatcher, v *visit) bool {
		machine.ReportSearch(v.sh, v.c)
		return false
	}},
	{"a service on this machine", func(_ *dispatcher, v *visit) bool {
		if v.p.emulated.IsHere(v.sh, v.c) {
			sh, n := v.sh, len(v.sh.Eval.Effects)
			v.ends = append(v.ends, func() { here.MarkEffects(sh, n) })
		}
		return false
	}},
	{"an environment of Python", func(_ *dispatcher, v *visit) bool {
		if lex.OneOf(v.c.Name, "pip pip3 python python3") && strings.Contains(v.full, "/") {
			v.sh = v.sh.Sub()
			build.EnterEnvironment(v.sh, v.full)
		}
		return false
	}},
	{"a database that only the session uses", func(_ *dispatcher, v *visit) bool {
		if v.p.stores {
			o, n := v.p.table.Parse(v.c.Args), len(v.sh.Eval.Effects)
			v.ends = append(v.ends, func() { here.MarkOwn(v.sh, v.c, o, n) })
		}
		return false
	}},
	{"files that it writes", func(_ *dispatcher, v *visit) bool {
		reportGuardedOutput(v.sh, v.c)
		v.p.output.report(v.sh, v.c)
		return false
	}},
	{"fetched files that it runs or passes on", func(_ *dispatcher, v *visit) bool {
		v.p.taker.report(v.sh, v.c)
		reportPassedOn(v.sh, v.c)
		git.ReportBrought(v.sh, v.c)
		return false
	}},
	{"cookies of a browser", func(d *dispatcher, v *visit) bool {
		if !v.p.names {
			d.browsers.Report(v.sh, v.c)
		}
		return false
	}},
	{"code for eval", func(_ *dispatcher, v *visit) bool {
		prints := v.p.prints && printsForEval(v.c)
		if prints {
			v.sh.Print(partial.UnknownBenign)
		}
		return prints
	}},
	{"a name that is not known", func(_ *dispatcher, v *visit) bool {
		unknown := partial.HasHole(v.c.Name)
		if unknown {
			unknownProgram(v.sh, v.c, v.full)
		}
		return unknown
	}},
	{"a shell", func(_ *dispatcher, v *visit) bool {
		if v.p.shell {
			v.sh.Program(v.c)
		}
		return v.p.shell
	}},
	{"a secret that it shows", func(_ *dispatcher, v *visit) bool {
		return v.p.secret && secret.ReportSecret(v.sh, v.c)
	}},
	{"a script of the project", func(_ *dispatcher, v *visit) bool {
		return v.p.common && rows.IsOwnScript(v.full) && runsScript(v.sh, v.c, v.full)
	}},
	{"the rows of a table", func(_ *dispatcher, v *visit) bool {
		if v.p.table != nil {
			v.p.table.Run(v.sh, v.c, v.p.passes)
		}
		return v.p.table != nil
	}},
	{"a program that no table lists", func(_ *dispatcher, v *visit) bool {
		runUnlisted(v.sh, v.p, v.c, v.full)
		return true
	}},
}

// run reports the effects of the command.
func (v *visit) run(d *dispatcher) {
	for i := range passes {
		if passes[i].run(d, v) {
			break
		}
	}
	for _, end := range slices.Backward(v.ends) {
		end()
	}
}
