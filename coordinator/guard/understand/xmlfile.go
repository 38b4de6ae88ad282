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
		case tag == "", lex.BeginsWith(tag, "! ?"):
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
		key, more, _ := strings.Cut(rest, "=")
		more = strings.TrimLeft(more, " \n")
		if more == "" {
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
	n.each("delete exec move", func(task *xmlNode) {
		code := ""
		switch from := task.attrs["file"] + task.attrs["dir"]; task.name {
		case "delete":
			files := []string{task.attrs["dir"], task.attrs["file"]}
			task.each("fileset dirset", func(set *xmlNode) {
				files = append(files, set.attrs["dir"]+set.attrs["file"])
			})
			files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
			code = "rm -rf " + shell.QuoteAll(files)
		case "move":
			code = "mv " + shell.QuoteAll([]string{from, task.attrs["tofile"] + task.attrs["todir"]})
		case "exec":
			code = antCommand(task)
		}
		lines = append(lines, recipeLine{code, task.line})
	})
	return lines
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
	runXML(sh, path, o, func(r *recipes, root *xmlNode) {
		names := o.Pos
		root.each("project", func(p *xmlNode) {
			if len(names) == 0 {
				names = strings.Fields(p.attrs["default"])
			}
		})
		root.each("property", func(p *xmlNode) {
			if _, given := r.vars[p.attrs["name"]]; !given {
				r.vars[p.attrs["name"]] = r.filled(p.attrs["value"]+p.attrs["location"], nil)
			}
		})
		root.each("target", func(target *xmlNode) {
			next := r.add(target.attrs["name"])
			next.needs = strings.Fields(strings.ReplaceAll(target.attrs["depends"], ",", " "))
			target.each("antcall", func(call *xmlNode) { next.needs = append(next.needs, call.attrs["target"]) })
			next.lines = antTasks(target)
		})
		r.runAll(names)
	})
}

// runXML runs recipes of a file of XML, with the properties of Ant, of Maven and of the command.
func runXML(sh *shell.Shell, path string, o shell.Options, run func(r *recipes, root *xmlNode)) {
	given := o.All("D")
	runTasks(sh, path, settings(given), func(child *shell.Shell, text string) {
		r := newRecipes(child)
		r.filled = func(text string, own map[string]string) string { return r.filledBetween(text, "${", "}", own) }
		home, dir := child.HomeText(), child.Place.Cwd
		r.vars["user.home"], r.vars["env.HOME"] = home, home
		r.vars["basedir"], r.vars["project.basedir"] = dir, dir
		r.vars["project.build.directory"] = dir + "/target"
		for _, set := range given {
			name, value, _ := strings.Cut(set, "=")
			r.vars[name] = value
		}
		run(r, readXML(text))
	})
}

// mavenCycles are the phases of Maven in their order, in lifecycles that are apart from each other.
var mavenCycles = [...]string{
	"validate initialize generate-sources process-sources generate-resources process-resources compile " +
		"process-classes generate-test-sources process-test-sources generate-test-resources process-test-resources " +
		"test-compile process-test-classes test prepare-package package pre-integration-test integration-test " +
		"post-integration-test verify install deploy",
	"pre-clean clean post-clean",
}

// maven runs what a file binds to the phases and goals of a command. A phase comes with those before it.
func maven(sh *shell.Shell, _ shell.Command, o shell.Options) {
	path, _ := recipeFile(sh, o, "f file", "pom.xml")
	profiles := strings.Split(strings.Join(o.All("P", "activate-profiles"), ","), ",")
	runXML(sh, path, o, func(r *recipes, root *xmlNode) {
		root.each("properties", func(p *xmlNode) {
			for _, set := range p.inside {
				r.vars[set.name] = r.filled(set.text, nil)
			}
		})
		r.addPlugins(root, profiles)
		for _, goal := range o.Pos {
			for _, cycle := range mavenCycles {
				phases := strings.Fields(cycle)
				r.runAll(phases[:1+slices.Index(phases, goal)])
			}
			r.run(goal, nil)
		}
	})
}

// isActive reports whether a profile is one of those that the command names, or is active without that.
func (n *xmlNode) isActive(profiles []string) bool {
	return slices.Contains(profiles, n.at("id")) || n.at("activeByDefault") == "true"
}

// addPlugins adds the plugins below an element, with those of the profiles that are active.
func (r *recipes) addPlugins(n *xmlNode, profiles []string) {
	for _, next := range n.inside {
		switch {
		case next.name == "profile" && !next.isActive(profiles):
		case next.name == "plugin":
			r.addPlugin(next)
		default:
			r.addPlugins(next, profiles)
		}
	}
}

// addPlugin adds the executions of a plugin that runs tasks of Ant or programs.
func (r *recipes) addPlugin(plugin *xmlNode) {
	goal := ""
	switch plugin.at("artifactId") {
	case "maven-antrun-plugin":
		goal = "antrun:run"
	case "exec-maven-plugin":
		goal = "exec:exec"
	default:
		return
	}
	r.add(goal).lines = mavenCommands(plugin)
	plugin.each("execution", func(e *xmlNode) {
		r.add(e.at("phase"), goal+"@"+e.at("id")).lines = mavenCommands(e)
	})
}

// mavenCommands returns the commands of an execution.
func mavenCommands(e *xmlNode) []recipeLine {
	lines := antTasks(e)
	if program := e.at("executable"); program != "" {
		code := shell.QuoteAll([]string{program}) + " " + e.at("commandlineArgs")
		e.each("argument", func(arg *xmlNode) { code += " " + shell.QuoteAll([]string{arg.text}) })
		lines = append(lines, recipeLine{code, e.line})
	}
	return lines
}
