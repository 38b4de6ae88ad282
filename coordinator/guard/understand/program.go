package understand

import (
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// passing are the programs that may pass "--help" on to another.
var passing = [...][]table{wrappers, wrapperPrograms, codePrograms, containerPrograms}

// families are the other programs. They are lists, not a map, so nothing is built when
// the hook starts.
var families = [...][]table{
	textPrograms, filePrograms, diskPrograms, sqlClients, databasePrograms, processPrograms, networkPrograms, publishPrograms,
	packagePrograms, secretPrograms, machineTables, diskTables, historyTables, storeTables, networkTables,
	packageTables, scriptPrograms, recipePrograms,
}

// tableOf returns the table that lists a program, or nil. It also returns whether the
// program may pass "--help" on to another one.
func tableOf(name string) (t *table, passes bool) {
	for _, list := range passing {
		if t := tableIn(list, name); t != nil {
			return t, true
		}
	}
	for _, list := range families {
		if t := tableIn(list, name); t != nil {
			return t, false
		}
	}
	return nil, false
}

// tableIn returns the table of a list that lists a program, or nil.
func tableIn(list []table, name string) *table {
	for i := range list {
		if lex.OneOf(name, list[i].programs) {
			return &list[i]
		}
	}
	return nil
}

// program holds what the tables say about a program name.
type program struct {
	table    *table // nil if no table lists it
	passes   bool   // it may pass "--help" on to another program
	shell    bool   // a shell
	silent   bool   // its empty output is known to be empty
	secret   bool   // with the right arguments it shows a secret
	prints   bool   // with the right arguments it prints code for eval
	own      bool   // it may affect Afar or the host's guard rails
	controls bool   // it controls something on another machine or service
	sql      bool   // it is the first word of an SQL statement
}

// maxPrograms bounds the cache. A call that a person wrote has fewer names.
const maxPrograms = 2048

// A dispatcher runs programs as the tables describe them.
type dispatcher struct {
	programs map[string]program // the names that were looked up
}

// run runs a program and reports whether its empty output is known to be empty.
func (d *dispatcher) run(sh *shell.Shell, c shell.Command, full string) bool {
	p := d.programNamed(c.Name)
	runProgramNamed(sh, p, c, full)
	return p.silent
}

// programNamed returns what the tables say about a name. It caches the answer: the
// names of a long call repeat, and searching every table takes longer than the rest
// of an ordinary command.
func (d *dispatcher) programNamed(name string) program {
	if p, ok := d.programs[name]; ok {
		return p
	}
	t, passes := tableOf(name)
	p := program{
		table:    t,
		passes:   passes,
		shell:    lex.IsShellName(name),
		silent:   silent(name),
		secret:   secretCommander(name),
		prints:   evalPrinter(name),
		own:      ownName(name),
		controls: controls(name),
		sql:      lex.OneOf(name, "drop delete alter update grant flushall flushdb"),
	}
	if d.programs == nil {
		d.programs = map[string]program{}
	}
	if len(d.programs) < maxPrograms {
		d.programs[name] = p
	}
	return p
}
