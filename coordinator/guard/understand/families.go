package understand

import (
	"github.com/afar-sh/afar/coordinator/guard/understand/agents"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/build"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/coreutils"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/interpreter"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/machine"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/network"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/wrapper"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// A family is a list of tables.
type family struct {
	tables []rows.Table
	passes bool // its programs may pass "--help" on to another one
	common bool // a project may give the names of its programs to scripts, as in ./install
	stores bool // it has the clients of databases
}

// families are all programs, those of everyday commands first. This table is the only place where a family is
// registered. They are lists, not a map, so nothing is built when the hook starts. No program is listed twice.
var families = [...]family{
	{tables: git.Programs, common: true},
	{tables: coreutils.FilePrograms, common: true},
	{tables: coreutils.ArchivePrograms},
	{tables: coreutils.TextPrograms, common: true},
	{tables: build.PublishPrograms},
	{tables: build.FleetPrograms},
	{tables: wrapper.Programs, passes: true},
	{tables: wrapper.ElsewherePrograms, passes: true},
	{tables: wrapper.OutsidePrograms, passes: true},
	{tables: interpreter.Programs, passes: true},
	{tables: machine.ContainerPrograms, passes: true},
	{tables: wrapper.Wrappers, passes: true},
	{tables: network.Programs},
	{tables: build.ScriptPrograms},
	{tables: source.SetupPrograms},
	{tables: build.RecipePrograms},
	{tables: database.Clients, stores: true},
	{tables: database.Programs, stores: true},
	{tables: secret.Programs},
	{tables: hosted.Programs},
	{tables: agents.Programs},
	{tables: machine.MachineTables},
	{tables: machine.ProcessTables},
	{tables: machine.DiskTables},
	{tables: git.HistoryTables},
	{tables: build.PackageTables},
}

// tableOf returns the table that lists a program, and its family. The table is nil if no
// family lists the program.
func tableOf(name string) (*rows.Table, *family) {
	for i := range families {
		if t := rows.TableIn(families[i].tables, name); t != nil {
			return t, &families[i]
		}
	}
	return nil, &family{}
}

// isListed reports whether a family lists a program.
func isListed(name string) bool {
	t, _ := tableOf(name)
	return t != nil
}
