package guard

// row is what one program does: its arguments become effects and, where it
// matters to the next command, output.
type row func(*shell, command)

// programRow finds the row of a program. The families are functions and not
// one map: nothing is built when the hook starts.
func programRow(name string) row {
	for _, family := range [...]func(string) row{
		wrapperRow, textRow, fileRow, codeRow, diskRow, databaseRow, containerRow,
		serviceRow, networkRow, publishRow, packageRow, secretRow,
	} {
		if r := family(name); r != nil {
			return r
		}
	}
	switch name {
	case "git":
		return gitProgram
	case "jj":
		return jujutsu
	case "hg", "chg":
		return mercurial
	case "svn":
		return subversion
	case "bfg":
		return func(sh *shell, c command) { sh.effect(RewriteRefs, "filter", "") }
	}
	return nil
}

// program is what the tables say about a name.
type program struct {
	row      row
	shell    bool // a shell
	silent   bool // its empty output is known to be empty
	secret   bool // with the right arguments it shows a secret
	prints   bool // with the right arguments it prints what is meant for eval
	own      bool // it may do something to Afar or the host's guard rails
	controls bool // it controls something that is elsewhere
	sql      bool // it is a statement that belongs into a client
}

// maxPrograms is more names than a call that a person wrote has.
const maxPrograms = 2048

// programNamed looks a name up. The names of a long call repeat, and to ask every
// table takes longer than the rest of an ordinary command.
func (sh *shell) programNamed(name string) program {
	u := sh.u
	if p, ok := u.programs[name]; ok {
		return p
	}
	p := program{
		row:      programRow(name),
		shell:    isShellName(name),
		silent:   silent(name),
		secret:   secretCommander(name),
		prints:   evalPrinter(name),
		own:      ownName(name),
		controls: controls(name),
		sql:      oneOf(name, "drop delete alter update grant flushall flushdb"),
	}
	if u.programs == nil {
		u.programs = map[string]program{}
	}
	if len(u.programs) < maxPrograms {
		u.programs[name] = p
	}
	return p
}
