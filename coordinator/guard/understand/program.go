package understand

import (
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A family is a list of tables.
type family struct {
	tables []table
	passes bool // its programs may pass "--help" on to another one
	common bool // a project may give the names of its programs to scripts, as in ./install
}

// families are all programs, those of everyday commands first. They are lists, not a
// map, so nothing is built when the hook starts. No program is listed twice.
var families = [...]family{
	{tables: filePrograms, common: true},
	{tables: textPrograms, common: true},
	{tables: packagePrograms},
	{tables: publishPrograms},
	{tables: wrapperPrograms, passes: true},
	{tables: codePrograms, passes: true},
	{tables: containerPrograms, passes: true},
	{tables: wrappers, passes: true},
	{tables: networkPrograms},
	{tables: scriptPrograms},
	{tables: recipePrograms},
	{tables: diskPrograms},
	{tables: sqlClients},
	{tables: databasePrograms},
	{tables: processPrograms},
	{tables: secretPrograms},
	{tables: machineTables},
	{tables: diskTables},
	{tables: historyTables},
	{tables: storeTables},
	{tables: networkTables},
	{tables: packageTables},
}

// tableOf returns the table that lists a program, and its family. The table is nil if no
// family lists the program.
func tableOf(name string) (*table, *family) {
	for i := range families {
		if t := tableIn(families[i].tables, name); t != nil {
			return t, &families[i]
		}
	}
	return nil, &family{}
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
	table  *table // nil if no table lists it
	passes bool   // it may pass "--help" on to another program
	common bool   // a script of a project may have its name
	shell  bool   // a shell
	silent bool   // its empty output is known to be empty
	secret bool   // with the right arguments it shows a secret
	prints bool   // with the right arguments it prints code for eval
	own    bool   // it may affect Afar or the host's guard rails
	hosted bool   // no table lists it, and it controls a hosted service
	names  bool   // it shows names of files, or its arguments are texts

	emulated *emulated // how it is told that its service is on this machine; nil if it cannot be
}

// maxPrograms bounds the cache. A call that a person wrote has fewer names.
const maxPrograms = 2048

// A dispatcher runs programs as the tables describe them.
type dispatcher struct {
	programs map[string]program // the names that were looked up
	cwd      string             // the directory of the last command
	below    bool               // it may be that of a browser
}

// run runs a program and reports whether its empty output is known to be empty.
func (d *dispatcher) run(sh *shell.Shell, c shell.Command, full string) bool {
	p := d.programNamed(c.Name)
	d.runProgramNamed(sh, p, c, full)
	return p.silent
}

// programNamed returns what the tables say about a name. It caches the answer: the
// names of a long call repeat, and searching every table takes longer than the rest
// of an ordinary command.
func (d *dispatcher) programNamed(name string) program {
	if p, ok := d.programs[name]; ok {
		return p
	}
	t, of := tableOf(name)
	p := program{
		table:  t,
		passes: of.passes,
		common: of.common,
		shell:  lex.IsShellName(name),
		silent: silent(name),
		secret: secretCommander(name),
		prints: evalPrinter(name),
		own:    ownName(name),
		hosted: t == nil && controls(name),
		names:  lex.OneOf(name, namesFiles),

		emulated: emulatedBy(name),
	}
	if d.programs == nil {
		d.programs = map[string]program{}
	}
	if len(d.programs) < maxPrograms {
		d.programs[name] = p
	}
	return p
}
