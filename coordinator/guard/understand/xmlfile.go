package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the targets of Ant and the executions of Maven.

// An xmlNode is an element of a file of XML, with what stands in it.
type xmlNode struct {
	name   string
	attrs  map[string]string
	text   string
	line   int
	inside []*xmlNode
}

// Bounds on the elements that stand in each other, and on the text of one.
const (
	maxXMLDepth = 24
	maxXMLText  = 8 << 10
)

// readXML returns an element that holds those of a text.
func readXML(text string) *xmlNode {
	open, line := []*xmlNode{{}}, 1
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		last := open[len(open)-1]
		last.add(before)
		line += strings.Count(before, "\n")
		end := ">"
		switch {
		case !found:
			return open[0]
		case strings.HasPrefix(rest, "!--"):
			end = "-->"
		case strings.HasPrefix(rest, "![CDATA["):
			end = "]]>"
		}
		tag, after, _ := strings.Cut(rest, end)
		body, single := strings.CutSuffix(tag, "/")
		switch {
		case strings.HasPrefix(tag, "![CDATA["):
			last.add(tag[len("![CDATA["):])
		case tag == "" || strings.IndexByte("!?", tag[0]) >= 0:
		case tag[0] == '/':
			open = open[:max(1, len(open)-1)]
		default:
			next := xmlElement(body, line)
			if last.inside = append(last.inside, next); !single && len(open) < maxXMLDepth {
				open = append(open, next)
			}
		}
		line += strings.Count(tag, "\n")
		text = after
	}
	return open[0]
}

// add adds a part of the text of an element.
func (n *xmlNode) add(text string) {
	if text = strings.TrimSpace(text); len(n.text) < maxXMLText {
		n.text += xmlPlain(text)
	}
}

// xmlElement reads the name and the attributes of a tag.
func xmlElement(tag string, line int) *xmlNode {
	end := strings.IndexAny(tag+" ", " \t\r\n")
	n := &xmlNode{name: tag[:end], attrs: map[string]string{}, line: line}
	for rest := tag[end:]; ; {
		key, more, ok := strings.Cut(rest, "=")
		more = strings.TrimLeft(more, " \n")
		if !ok || more == "" {
			return n
		}
		value, after, _ := strings.Cut(more[1:], more[:1])
		n.attrs[strings.TrimSpace(key)] = xmlPlain(value)
		rest = after
	}
}

// xmlPlain returns a text with the signs that XML writes with names.
func xmlPlain(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return strings.NewReplacer("&quot;", `"`, "&apos;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

// each calls do for each element of some names below this one.
func (n *xmlNode) each(names string, do func(*xmlNode)) {
	for _, next := range n.inside {
		if lex.OneOf(next.name, names) {
			do(next)
		}
		next.each(names, do)
	}
}

// at returns the text of the first element of a name below this one.
func (n *xmlNode) at(name string) (text string) {
	n.each(name, func(found *xmlNode) {
		if text == "" {
			text = found.text
		}
	})
	return text
}

// antTasks returns the commands of the shell that do what the tasks below an element do.
func antTasks(n *xmlNode) (lines []recipeLine) {
	n.each("delete exec move antcall", func(task *xmlNode) {
		var words []string
		switch task.name {
		case "delete":
			words = append([]string{"rm", "-rf"}, antFiles(task)...)
		case "move":
			words = []string{"mv", task.attrs["file"] + task.attrs["dir"], task.attrs["tofile"] + task.attrs["todir"]}
		case "exec":
			lines = append(lines, recipeLine{antCommand(task), task.line})
			return
		}
		lines = append(lines, recipeLine{shell.QuoteAll(words), task.line})
	})
	return lines
}

// antFiles returns the files and folders that a task names.
func antFiles(task *xmlNode) (files []string) {
	files = append(files, task.attrs["dir"], task.attrs["file"])
	task.each("fileset dirset", func(set *xmlNode) { files = append(files, set.attrs["dir"]+set.attrs["file"]) })
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// antCommand returns the command of an exec task.
func antCommand(task *xmlNode) string {
	code := shell.QuoteAll([]string{task.attrs["executable"]})
	task.each("arg", func(arg *xmlNode) {
		if line, ok := arg.attrs["line"]; ok {
			code += " " + line
			return
		}
		code += " " + shell.QuoteAll([]string{arg.attrs["value"] + arg.attrs["path"] + arg.attrs["file"]})
	})
	if dir := task.attrs["dir"]; dir != "" {
		code = "cd " + shell.QuoteAll([]string{dir}) + " && " + code
	}
	return code
}

// ant runs the targets that a command names.
func ant(sh *shell.Shell, _ shell.Command, o shell.Options) {
	path, _ := recipeFile(sh, o, "f file buildfile", "build.xml")
	runTasks(sh, path, settings(o.All("D")), func(child *shell.Shell, text string) {
		r := newRecipes(child)
		names := o.Pos
		r.setProperties(o.All("D"))
		root := readXML(text)
		root.each("project", func(p *xmlNode) {
			if len(names) == 0 {
				names = strings.Fields(p.attrs["default"])
			}
		})
		root.each("property", func(p *xmlNode) {
			if _, given := r.vars[p.attrs["name"]]; !given {
				r.vars[p.attrs["name"]] = r.property(p.attrs["value"] + p.attrs["location"])
			}
		})
		root.each("target", r.addAnt)
		for _, name := range names {
			r.run(name, nil)
		}
	})
}

// setProperties sets the properties that Ant and Maven know, and those of the command.
func (r *recipes) setProperties(given []string) {
	home, dir := r.sh.HomeText(), r.sh.Place.Cwd
	for _, pair := range [...][2]string{
		{"user.home", home}, {"env.HOME", home}, {"basedir", dir}, {"project.basedir", dir},
		{"project.build.directory", dir + "/target"},
	} {
		r.vars[pair[0]] = pair[1]
	}
	for _, set := range given {
		name, value, _ := strings.Cut(set, "=")
		r.vars[name] = value
	}
}

// property returns a text with the values of the properties in it.
func (r *recipes) property(text string) string { return r.filledBetween(text, "${", "}", nil) }

// addAnt adds a target of Ant.
func (r *recipes) addAnt(target *xmlNode) {
	next := r.add(target.attrs["name"])
	next.needs = strings.FieldsFunc(target.attrs["depends"], func(c rune) bool { return c == ',' || c == ' ' })
	target.each("antcall", func(call *xmlNode) { next.needs = append(next.needs, call.attrs["target"]) })
	for _, line := range antTasks(target) {
		next.lines = append(next.lines, recipeLine{r.property(line.code), line.line})
	}
}

// mavenPhases are the phases of Maven in their order. The lifecycles are apart from each other.
const (
	mavenPhases = "validate initialize generate-sources process-sources generate-resources process-resources compile " +
		"process-classes generate-test-sources process-test-sources generate-test-resources process-test-resources " +
		"test-compile process-test-classes test prepare-package package pre-integration-test integration-test " +
		"post-integration-test verify install deploy"
	mavenCleaning = "pre-clean clean post-clean"
)

// maven runs the commands that a file of Maven binds to the phases and goals of a command.
func maven(sh *shell.Shell, _ shell.Command, o shell.Options) {
	path, ok := recipeFile(sh, o, "f file", "pom.xml")
	if !ok {
		return
	}
	profiles := strings.Split(strings.Join(o.All("P", "activate-profiles"), ","), ",")
	runTasks(sh, path, settings(o.All("D")), func(child *shell.Shell, text string) {
		r := newRecipes(child)
		r.setProperties(o.All("D"))
		root := readXML(text)
		root.each("properties", func(p *xmlNode) {
			for _, set := range p.inside {
				r.vars[set.name] = r.property(set.text)
			}
		})
		for _, project := range root.inside {
			r.mavenPlugins(project, profiles, o.Pos)
		}
	})
}

// mavenPlugins runs the plugins below an element, with those of the profiles that are active.
func (r *recipes) mavenPlugins(n *xmlNode, profiles, goals []string) {
	for _, next := range n.inside {
		switch {
		case next.name == "profile" && !slices.Contains(profiles, next.at("id")) && next.at("activeByDefault") != "true":
		case next.name == "plugin":
			r.mavenPlugin(next, goals)
		default:
			r.mavenPlugins(next, profiles, goals)
		}
	}
}

// mavenPlugin runs the commands of a plugin that runs tasks of Ant or programs.
func (r *recipes) mavenPlugin(plugin *xmlNode, goals []string) {
	kind := ""
	switch plugin.at("artifactId") {
	case "maven-antrun-plugin":
		kind = "antrun:run"
	case "exec-maven-plugin":
		kind = "exec:exec"
	default:
		return
	}
	if slices.Contains(goals, kind) {
		r.mavenCommands(plugin)
		return
	}
	plugin.each("execution", func(e *xmlNode) {
		if reaches(goals, e.at("phase"), kind+"@"+e.at("id")) {
			r.mavenCommands(e)
		}
	})
}

// reaches reports whether one of the goals is that of an execution, or a phase that comes with or
// after its phase.
func reaches(goals []string, phase, goal string) bool {
	return slices.ContainsFunc(goals, func(g string) bool {
		for _, cycle := range [...]string{mavenPhases, mavenCleaning} {
			phases := strings.Fields(cycle)
			if at := slices.Index(phases, phase); at >= 0 && slices.Index(phases, g) >= at {
				return true
			}
		}
		return g == goal
	})
}

// mavenCommands runs the commands of an execution.
func (r *recipes) mavenCommands(e *xmlNode) {
	lines := antTasks(e)
	if program := e.at("executable"); program != "" {
		code := shell.QuoteAll([]string{program}) + " " + e.at("commandlineArgs")
		e.each("argument", func(arg *xmlNode) { code += " " + shell.QuoteAll([]string{arg.text}) })
		lines = append(lines, recipeLine{code, e.line})
	}
	for _, line := range lines {
		recipeLine{r.property(line.code), line.line}.run(r.sh)
	}
}
