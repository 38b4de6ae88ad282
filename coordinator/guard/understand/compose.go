package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// runsCompose reports the effects of compose on the containers of a project.
func runsCompose(sh *shell.Shell, c shell.Command, _ shell.Options) {
	global, rest := shell.Leading(c.Args, "f p file project-name profile env-file project-directory")
	if len(rest) == 0 || global.Given("dry-run") {
		return
	}
	takesCode(sh, global.All("f", "file"))
	inner := shell.Command{Name: rest[0], Args: rest[1:], In: c.In}
	switch inner.Name {
	case "exec", "run":
		runsService(sh, inner, global)
		return
	case "up":
		startsServices(sh, inner, global)
	}
	runRows(sh, composeRows, rest[:1], inner, shell.ParseOptions(inner.Args, "t timeout"))
}

var composeRows = []row{
	{words: "down|rm", given: "v volumes", does: act{effect.PruneLocal, effect.Volumes, "compose"}},
	{words: "down|rm", given: "rmi=all", does: act{effect.PruneLocal, "image", "compose"}},
	{words: "push", does: act{effect.PublishOut, "compose", "image"}},
}

// A composeService is what the file of a project says about one of its services.
type composeService struct {
	folder                       string // of the file
	volumes, entrypoint, command []string
	line                         int // of the command
}

const composeFiles = "compose.yaml compose.yml docker-compose.yaml docker-compose.yml"

// runsService follows a command into the container of a service, or the one that the file gives it.
// Folders of this machine that the file mounts stay known.
func runsService(sh *shell.Shell, c shell.Command, global shell.Options) {
	path, ok := recipeFile(sh, global, "f file", strings.Fields(composeFiles)...)
	_, rest := shell.Leading(c.Args, containerValues)
	if !ok || len(rest) == 0 {
		containerRun(sh, c.Name, c, composeService{})
		return
	}
	var service composeService
	known := runRecipeFile(sh, path, nil, func(child *shell.Shell, text string) {
		service = readService(child, path, text, rest[0])
		if len(rest) == 1 && c.Name == "run" {
			child.AtLine(service.line)
			containerRun(child, c.Name, c, service)
		}
	})
	if !known || len(rest) > 1 {
		containerRun(sh, c.Name, c, service)
	}
}

// startsServices follows the commands of the services that are named, or of all.
func startsServices(sh *shell.Shell, c shell.Command, global shell.Options) {
	names := shell.ParseOptions(c.Args, "t timeout scale pull wait-timeout exit-code-from attach no-attach").Pos
	if len(names) == 0 {
		path, _ := recipeFile(sh, global, "f file", strings.Fields(composeFiles)...)
		runRecipeFile(sh, path, nil, func(_ *shell.Shell, text string) { names = servicesIn(text) })
	}
	for _, name := range names[:min(len(names), mostServices)] {
		runsService(sh, shell.Command{Name: "run", Args: []string{name}}, global)
	}
}

// servicesIn returns the names of the services in the text of a file of compose.
func servicesIn(text string) (names []string) {
	for _, t := range readYAML(text) {
		if len(t.keys) > 2 && t.keys[0] == "services" {
			names = append(names, t.keys[1])
		}
	}
	return slices.Compact(names)
}

// mostServices bounds the services of one file that are followed.
const mostServices = 32

// readService returns what a file of compose says about a service.
func readService(sh *shell.Shell, path, text, name string) composeService {
	s := composeService{folder: fspath.Dir(path)}
	values := strings.NewReplacer("${HOME}", sh.HomeText(), "$HOME", sh.HomeText(), "${PWD}", s.folder, "$PWD", s.folder)
	for _, t := range readYAML(text) {
		if len(t.keys) < 3 || t.keys[0] != "services" || t.keys[1] != name {
			continue
		}
		words := []string{values.Replace(t.text)}
		if len(t.keys) == 3 {
			words = shell.QuotedFields(words[0])
		}
		switch t.keys[2] {
		case "volumes":
			s.volumes = append(s.volumes, words...)
		case "entrypoint":
			s.entrypoint, s.line = append(s.entrypoint, words...), t.line
		case "command":
			s.command, s.line = append(s.command, words...), t.line
		}
	}
	return s
}

// mounts records the folders of this machine that a service sees. What they allow was decided when
// the file was written.
func (s composeService) mounts(sh, child *shell.Shell) {
	from := sh.Sub()
	from.Place.Cwd = s.folder
	for _, spec := range s.volumes {
		host, inside, _ := strings.Cut(spec, ":")
		mounted(from, child, host, inside)
	}
}
