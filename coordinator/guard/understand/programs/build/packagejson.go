package build

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// ScriptPrograms run scripts that a file of the project names.
var ScriptPrograms = []rows.Table{
	{Programs: "run-s run-p npm-run-all npm-run-all2", Do: func(sh *shell.Shell, _ shell.Command, o argv.Options) {
		NodeFile.Run(sh, o.Pos, nil)
	}},
	{Programs: "turbo lerna", Options: "filter F scope", Dry: "dry-run dry", Do: inPackages, Rows: []rows.Row{
		{Of: "lerna", Words: "publish", As: &rows.Publishes},
		{Of: "lerna", Words: "exec", Runs: &rows.Start{Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "nx", Options: "t target targets p projects c configuration", Dry: "graph", Do: nxTargets},
	{Programs: "composer", Options: "d working-dir", Do: composerScripts},
	{Programs: "lint-staged", Options: "c config d cwd", Do: func(sh *shell.Shell, _ shell.Command, _ argv.Options) {
		stagedFile.Run(sh, []string{"*"}, nil)
	}},
	{Programs: "poe", Options: "C directory", Leads: true, Do: func(sh *shell.Shell, c shell.Command, o argv.Options) {
		RunProjectScript(sh, c.Name, o.Pos)
	}},
	{Programs: "pre-commit prek", Options: "c config hook-stage hook-type color", Rows: []rows.Row{
		{Words: "run|hook-impl", Also: git.RunPreCommit},
	}},
	{Programs: "lefthook", Rows: []rows.Row{{Words: "run", Also: git.RunLefthook}}},
	{Programs: "devcontainer", Options: "workspace-folder config", Rows: []rows.Row{
		{Words: "up|build|set-up", Also: preparesContainer},
	}},
	{
		Programs: "foreman honcho overmind goreman hivemind",
		Options:  "f procfile e env p port d root c m",
		Rows: []rows.Row{
			{Words: "run *", GoOn: true, Runs: &rows.Start{Words: rows.After("run")}},
			{Words: "start|s|run", Also: git.RunProcfile},
		},
	},
}

// A scriptFile is a file of the project that names commands.
type scriptFile struct {
	names string // of the file
	key   string // of its commands
}

var (
	NodeFile     = scriptFile{"package.json", "scripts"}
	DenoFile     = scriptFile{"deno.json deno.jsonc", "tasks"}
	stagedFile   = scriptFile{"package.json", "lint-staged"}
	composerFile = scriptFile{"composer.json", "scripts"}
	nxFile       = scriptFile{"project.json", "targets"}
)

// parents are the folders that hold the parts of a project.
const parents = "packages apps libs services tools modules"

// packages returns the folders of the parts of the project.
func packages(sh *shell.Shell) (dirs []string) {
	path, _ := recipes.Nearest(sh, NodeFile.names)
	for _, parent := range strings.Fields(parents) {
		for _, name := range sh.Names(fspath.Dir(path) + "/" + parent) {
			if below, folder := strings.CutSuffix(name, "/"); folder && len(dirs) < maxPackages {
				dirs = append(dirs, fspath.Dir(path)+"/"+parent+"/"+below)
			}
		}
	}
	return dirs
}

const maxPackages = 24 // whose scripts are read

// inPackages runs the scripts of these names in the project and in its parts.
func inPackages(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, dir := range append(packages(sh), sh.Place.Cwd) {
		child := rows.ShellIn(sh, dir)
		for _, name := range o.Pos {
			NodeFile.Run(child, around(name), nil)
		}
	}
}

// preparesContainer runs the command of this machine that prepares a container for developing.
func preparesContainer(sh *shell.Shell, _ shell.Command, o argv.Options) {
	child := rows.InFolder(sh, o, "workspace-folder")
	for _, path := range [...]string{".devcontainer/devcontainer.json", ".devcontainer.json"} {
		recipes.RunFile(child, path, nil, func(child *shell.Shell, text string) {
			root, _ := hostjson.Parse(text, hostjson.MaxDepth)
			command := root.Get("initializeCommand")
			child.AtLine(lineOfKey(text, "", "initializeCommand"))
			child.Sub().Run(command.Str(), nil)
			child.Sub().Exec(codesIn(command), nil)
		})
	}
}

// nxTargets runs the targets that a command of nx names, in one part of the project or in all.
func nxTargets(sh *shell.Shell, _ shell.Command, o argv.Options) {
	project, target := o.At(1), o.At(0)
	targets := strings.Split(strings.Join(o.All("t", "target", "targets"), ","), ",")
	switch target {
	case "run":
		project, target, _ = strings.Cut(project, ":")
		target, _, _ = strings.Cut(target, ":")
	case "run-many", "affected":
		project = ""
	}
	dirs := packages(sh)
	if project != "" {
		dirs = []string{workspace(sh, project)}
	}
	for _, dir := range dirs {
		child := rows.ShellIn(sh, dir)
		nxFile.Run(child, append(targets, target), nil)
		NodeFile.Run(child, append(targets, target), nil)
	}
}

// composerScripts runs the scripts of the project that a command of composer runs.
func composerScripts(sh *shell.Shell, c shell.Command, o argv.Options) {
	sh = rows.InFolder(sh, o, "d working-dir")
	verb := o.At(0)
	switch {
	case lex.OneOf(verb, "run run-script"):
		composerFile.Run(sh, []string{o.At(1)}, recipes.HandedOn(c.Args, o.At(1)))
	case verb == "exec":
		sh.Exec(recipes.HandedOn(c.Args, verb), c.In)
	case o.Given("no-scripts"):
	case lex.OneOf(verb, "dump-autoload install remove require update"):
		name := verb + "-cmd"
		composerFile.Run(sh, []string{"pre-" + name, "post-" + name, "post-autoload-dump"}, nil)
	default:
		composerFile.Run(sh, []string{verb}, recipes.HandedOn(c.Args, verb))
	}
}

// workspace returns the folder of a part of the project: a path, or the name of a package.
func workspace(sh *shell.Shell, name string) string {
	if scope, short, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") {
		name = short
	}
	for _, parent := range strings.Fields(". " + parents) {
		dir := sh.Path(parent + "/" + name)
		if _, ok := sh.FileText(dir + "/package.json"); ok {
			return dir
		}
	}
	return sh.Path(name)
}

// installing are the scripts that an installation of the project runs.
var installing = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// RunNodeScripts runs the scripts that a command of npm, pnpm, yarn or bun runs. It returns false if there is none.
func RunNodeScripts(sh *shell.Shell, c shell.Command, o argv.Options) bool {
	child := rows.InFolder(sh, o, "prefix C dir cwd")
	if name, ok := o.Get("w", "workspace", "filter", "F"); ok {
		child.Place.Cwd = workspace(child, name)
	}
	verb := o.At(0)
	name, last := verb, verb
	if o.Given("r recursive workspaces ws") || verb == "workspaces" {
		inPackages(sh, c, o)
	}
	switch {
	case lex.OneOf(verb, "run run-script rum urn"):
		name, last = o.At(1), o.At(1)
	case lex.OneOf(verb, "t tst"):
		name = "test"
	case lex.OneOf(verb, "test start stop restart"):
	case lex.OneOf(verb, "install i ci clean-install") && len(o.Pos) == 1, verb == "" && c.Name == "yarn":
		return !o.Given("ignore-scripts version help") && NodeFile.Run(child, installing, nil)
	case c.Name == "npm", lex.OneOf(verb, nodeVerbs):
		return false
	}
	return name != "" && NodeFile.Run(child, around(name), recipes.HandedOn(c.Args, last))
}

// around returns a script with those that run before and after it.
func around(name string) []string { return []string{"pre" + name, name, "post" + name} }

// Run runs the commands of some names, which may end with a star. It returns false if there are none.
func (f scriptFile) Run(sh *shell.Shell, names, args []string) (found bool) {
	path, _ := recipes.Nearest(sh, f.names)
	recipes.RunTasks(sh, path, args, func(child *shell.Shell, text string) {
		root, _ := hostjson.Parse(text, hostjson.MaxDepth)
		for name, value := range root.Get(f.key).Members() {
			if !slices.ContainsFunc(names, func(n string) bool { return lex.Like(n, name) }) {
				continue
			}
			found = true
			line := lineOfKey(text, f.key, name)
			for _, code := range codesIn(value) {
				recipes.Line{Code: recipes.WithArguments(code, args), Line: line}.Run(child)
			}
		}
	})
	return found
}

// codesIn returns the commands in the value of a script: a text, a list of texts, or an object
// with one. In a list of composer, "@name" is another script.
func codesIn(value hostjson.Value) (codes []string) {
	switch value.Kind() {
	case hostjson.Array:
		for _, item := range value.Items() {
			code, other := strings.CutPrefix(item.Str(), "@")
			if other && !lex.BeginsWith(code, "php composer") {
				code = "composer run " + code
			}
			codes = append(codes, code)
		}
		return codes
	case hostjson.Object:
		for _, other := range value.Get("dependencies").Items() {
			codes = append(codes, "deno task "+other.Str())
		}
		for _, command := range value.Get("options").Get("commands").Items() {
			codes = append(codes, command.Str(), command.Get("command").Str())
		}
		return append(codes, value.Get("command").Str(), value.Get("options").Get("command").Str())
	}
	return []string{value.Str()}
}

// lineOfKey returns the line of a name below a key.
func lineOfKey(text, key, name string) int {
	from := max(strings.Index(text, `"`+key+`"`), 0)
	at := strings.Index(text[from:], `"`+name+`"`)
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(text[:from+at], "\n")
}
