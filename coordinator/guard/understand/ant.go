package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// antTasks runs the tasks of ant in the file of a build: those that delete, and those that start a
// program. Maven runs them, too.
func antTasks(sh *shell.Shell, c shell.Command, o shell.Options) {
	name := "pom.xml"
	if c.Name == "ant" {
		name = "build.xml"
	}
	path, _ := recipeFile(sh, o, "f file buildfile", name)
	runRecipeFile(sh, path, nil, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		parts := strings.Split(text, "<profile>")
		for i, part := range parts {
			id, _, _ := strings.Cut(part, "</id>")
			id = id[strings.LastIndexByte(id, '>')+1:]
			profile, rest, _ := strings.Cut(part, "</profile>")
			if i > 0 && !strings.Contains(strings.Join(c.Args, " "), id) {
				profile = rest
			}
			runsElements(child, profile)
		}
	})
}

// runsElements runs the tasks among the elements of a text.
func runsElements(sh *shell.Shell, text string) {
	var words []string // of a program that starts when its element ends
	for _, element := range strings.Split(text, "<") {
		tag, after, _ := strings.Cut(element, ">")
		name, _, _ := strings.Cut(strings.TrimRight(tag, "/ \n"), " ")
		switch name {
		case "delete":
			for _, file := range attributes(sh, tag, "dir file") {
				sh.Exec([]string{"rm", "-rf", file}, nil)
			}
		case "exec":
			words = attributes(sh, tag, "executable")
		case "executable":
			words = []string{property(sh, after)}
		case "argument":
			words = append(words, property(sh, after))
		case "arg":
			words = append(words, strings.Fields(strings.Join(attributes(sh, tag, "value line"), " "))...)
		case "/exec", "/configuration":
			sh.Exec(words, nil)
			words = nil
		}
	}
}

// attributes returns the values of some attributes of an element.
func attributes(sh *shell.Shell, tag, names string) (values []string) {
	for rest := tag; ; {
		name, behind, ok := strings.Cut(rest, `="`)
		if !ok {
			return values
		}
		value, more, _ := strings.Cut(behind, `"`)
		if lex.OneOf(name[strings.LastIndexAny(name, " \t\n")+1:], names) {
			values = append(values, property(sh, value))
		}
		rest = more
	}
}

// property returns a text with the properties of a build in place.
func property(sh *shell.Shell, text string) string {
	text = strings.NewReplacer("${user.home}", sh.HomeText(), "${env.HOME}", sh.HomeText(),
		"${project.basedir}", sh.Place.Cwd, "${basedir}", sh.Place.Cwd,
		"${project.build.directory}", sh.Place.Cwd+"/target").Replace(text)
	for {
		before, behind, ok := strings.Cut(text, "${")
		if !ok {
			return strings.TrimSpace(text)
		}
		_, behind, _ = strings.Cut(behind, "}")
		text = before + partial.Unknown + behind
	}
}
