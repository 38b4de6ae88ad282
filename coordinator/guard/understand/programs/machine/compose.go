// Package machine has the programs that control services, processes, disks, accounts and containers.
package machine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// This file reads the files of compose, whose services may work in folders of the person, and the
// workflows that run on this machine.

// A service is one of a file of compose: the lists of texts below its keys.
type service struct {
	name   string
	line   int
	fields map[string][]string
}

// composeFile is the variable with the names of other files than the usual one.
const composeFile = "COMPOSE_FILE"

// runCompose reports the effects of compose on the containers of a project.
func runCompose(sh *shell.Shell, c shell.Command, _ argv.Options) {
	global, rest := argv.Leading(c.Args, "f p file project-name profile env-file project-directory")
	if len(rest) == 0 || global.Given("dry-run") {
		return
	}
	source.ReportTaken(sh, global.All("f", "file"))
	if files := global.All("f", "file"); len(files) > 0 {
		sh = sh.Sub()
		sh.Assign(composeFile, expand.Value{strings.Join(files, ":")})
	}
	o := argv.ParseOptions(rest[1:], "t timeout scale exit-code-from attach no-attach pull wait-timeout")
	rows.Run(sh, ComposeRows, rest[:1], shell.Command{Name: rest[0], Args: rest[1:], In: c.In}, o)
}

var ComposeRows = []rows.Row{
	{Words: "down|rm", Given: "v volumes", Does: effect.PruneLocal, Op: effect.Volumes, To: rows.Text("compose")},
	{Words: "down|rm", Given: "rmi=all", Does: effect.PruneLocal, Op: "image", To: rows.Text("compose")},
	{Words: "exec|run", Also: runService},
	{Words: "up|watch", Also: startServices},
	{Words: "push", Does: effect.PublishOut, Op: "compose", To: rows.Text("image")},
}

// startServices runs the commands of the services that "up" starts: those it names, or those of no profile.
func startServices(sh *shell.Shell, _ shell.Command, o argv.Options) {
	eachService(sh, func(child *shell.Shell, services []service) {
		r, names := recipes.New(child), o.Pos
		for _, s := range services {
			next := r.Add(s.name)
			next.Needs = s.fields["depends_on"]
			next.Does = func(child *shell.Shell) { s.start(child, shell.Command{}, s.words(nil)) }
			if len(o.Pos) == 0 && len(s.fields["profiles"]) == 0 {
				names = append(names, s.name)
			}
		}
		r.RunAll(names)
	})
}

// runService follows a command into the container of a service, with what the file says of that.
func runService(sh *shell.Shell, c shell.Command, _ argv.Options) {
	o, rest := argv.Leading(c.Args, containerValues)
	given, known := c.Args[:len(c.Args)-len(rest)], false
	eachService(sh, func(child *shell.Shell, services []service) {
		i := slices.IndexFunc(services, func(s service) bool { return s.name == lex.First(rest) })
		if i < 0 || known {
			return
		}
		known = true
		s, words := &services[i], rest[1:]
		if c.Name != "exec" && !o.Given("entrypoint=") {
			words = s.words(words)
		}
		s.start(child, shell.Command{Name: c.Name, Args: given, In: c.In}, words)
	})
	if !known {
		containerRun(sh, c.Name, c)
	}
}

// eachService calls do with the services of each file of compose.
func eachService(sh *shell.Shell, do func(child *shell.Shell, services []service)) {
	path, _ := recipes.Nearest(sh, "compose.yaml compose.yml docker-compose.yml docker-compose.yaml")
	paths := []string{path}
	if given, ok := sh.Lookup(composeFile); ok {
		paths = strings.Split(lex.First(given), ":")
	}
	for _, path := range paths {
		recipes.RunTasks(sh, sh.Path(path), nil, func(child *shell.Shell, text string) { do(child, readServices(text)) })
	}
}

// readServices returns the services in the text of a file of compose.
func readServices(text string) (services []service) {
	for _, y := range recipes.ReadYAML(text) {
		k := y.Keys
		if !rows.BeginWith(k, "services * *") {
			continue
		}
		if n := len(services); n == 0 || services[n-1].name != k[1] {
			services = append(services, service{k[1], y.Line, map[string][]string{}})
		}
		s := &services[len(services)-1]
		field := y.Field(2)
		isWords := lex.OneOf(field, "command entrypoint")
		if isWords && len(k) == 3 {
			s.fields[field] = expand.QuotedFields(y.Text)
			continue
		}
		s.fields[field] = append(s.fields[field], y.Text)
		if isWords {
			s.line = y.Line
		}
	}
	return services
}

// words returns the words that a service runs: those of a command, or else those of its file.
func (s *service) words(command []string) []string {
	if len(command) == 0 {
		command = s.fields["command"]
	}
	return slices.Concat(s.fields["entrypoint"], command)
}

// start starts some words in a container of the service, without the mounts that it may only read.
func (s *service) start(sh *shell.Shell, c shell.Command, words []string) {
	volumes := slices.Clone(s.fields["volumes"])
	for i, source := range s.fields["volumes.source"] {
		if targets := s.fields["volumes.target"]; i < len(targets) {
			volumes = append(volumes, source+":"+targets[i])
		}
	}
	child := sh.Sub()
	for _, spec := range volumes {
		host, inside, _ := strings.Cut(sh.Output(`printf %s "`+strings.ReplaceAll(spec, `"`, "")+`"`), ":")
		if !lex.Mentions(spec, ":ro") {
			mounted(sh, child, host, inside)
		}
	}
	args := slices.Clone(c.Args)
	for _, dir := range s.fields["working_dir"] {
		args = append(args, "-w", dir)
	}
	args = append(args, s.name)
	for _, word := range words {
		args = append(args, strings.ReplaceAll(word, "$$", "$"))
	}
	child.AtLine(s.line)
	containerRun(child, cmp.Or(c.Name, "run"), shell.Command{Args: args, In: c.In})
}
