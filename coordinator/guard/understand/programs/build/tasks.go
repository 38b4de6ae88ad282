package build

import (
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// just runs the recipes that its operands name.
func just(sh *shell.Shell, c shell.Command, o argv.Options) {
	sh.Exec(lex.After(c.Args, "--command", 1), c.In)
	sh.Exec(lex.After(c.Args, "-c", 1), c.In)
	if o.Given("c command l list n dry-run summary show s dump evaluate fmt choose e edit init variables") {
		return
	}
	path, _ := recipes.FileOf(sh, o, "f justfile", "justfile Justfile .justfile JUSTFILE")
	recipes.RunTasks(sh, path, o.From(1), func(child *shell.Shell, text string) {
		r := recipes.New(child)
		r.ReadJust(text)
		r.RunJust(o.Pos, c.Args)
	})
}

// task runs the tasks that its operands name.
func task(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if o.Given("l list a list-all n dry summary status init version") {
		return
	}
	sh = rows.InFolder(sh, o, "d dir")
	path, ok := recipes.FileOf(sh, o, "t taskfile", recipes.TaskFiles)
	if !ok {
		RunProjectScript(sh, "task", o.Pos) // taskipy has a program of this name
		return
	}
	recipes.RunTasks(sh, path, append(recipes.Settings(o.Pos), o.Behind...), func(child *shell.Shell, text string) {
		r := recipes.New(child)
		r.Vars["CLI_ARGS"] = shell.QuoteAll(o.Behind)
		r.ReadTasks(text)
		names := o.Pos[:len(o.Pos)-len(o.Behind)]
		if len(names) == 0 {
			names = []string{"default"}
		}
		for _, name := range names {
			if r.Named[name] == nil {
				name += ":default"
			}
			r.Run(name, nil)
		}
	})
}

// RecipePrograms run recipes. Those that also build or publish stand with their other commands.
var RecipePrograms = []rows.Table{
	{
		Programs: "just",
		Options:  "f d justfile working-directory set! shell-arg shell dotenv-path c? command?",
		Do:       just,
	},
	{Programs: "task go-task", Options: "t d taskfile dir o output C concurrency I interval", Do: task},
	{Programs: "cmake", Options: "D", Leads: true, Dry: "help version", Rows: []rows.Row{
		{First: "-E", Words: "rm|touch|cat|env|time|tar", Runs: &rows.Start{Words: rows.OperandsFrom(0)}},
		{First: "-E", Words: "remove_directory", Runs: &rows.Start{Program: "rm -rf", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "remove", Runs: &rows.Start{Program: "rm", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "rename", Runs: &rows.Start{Program: "mv", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "copy|copy_if_different", Runs: &rows.Start{Program: "cp", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "copy_directory", Runs: &rows.Start{Program: "cp -r", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "chdir", Runs: &rows.Start{Program: "env -C", Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "tox", Options: "c conf e env f factor x override", Rows: []rows.Row{
		{Words: "exec", Runs: &rows.Start{Words: rows.After("--")}},
	}},
}
