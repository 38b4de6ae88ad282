package recipes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// Bounds on the reading of a makefile.
const (
	maxMakeNesting = 8        // variables in variables
	mostExpanded   = 16 << 10 // bytes of a text with its variables replaced
)

// A makefile holds the variables and rules of a text.
type makefile struct{ *Set }

const MakeOptions = "f C j? I o W l? file directory eval makefile jobs? include-dir old-file what-if new-file " +
	"assume-new assume-old load-average?"

// MakeRecipes runs the recipes of the targets that a call of make names.
func MakeRecipes(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, set := range o.Pos { // the program that runs every recipe
		if code, ok := strings.CutPrefix(set, "SHELL="); ok && strings.Contains(code, " ") {
			sh.Run(code, nil)
		}
	}
	if o.Given("n q t v just-print dry-run recon question touch version") {
		return
	}
	child := rows.InFolder(sh, o, "C directory")
	run := func(child *shell.Shell, text string) { makeGoals(child, text, o.Pos) }
	given := strings.Join(o.All("eval"), "\n")
	names := o.All("f", "file", "makefile")
	if slices.Contains(names, "-") && c.In != nil {
		sh.Opaque(*c.In)
		given += "\n" + *c.In
	}
	if given != "" {
		run(child, given)
	}
	if len(names) == 0 {
		names = []string{"GNUmakefile", "makefile", "Makefile"}
	}
	for _, name := range names {
		if RunFile(child, child.Path(name), Settings(o.Pos), run) {
			return
		}
	}
}

// makeGoals runs the recipes of the goals among the words, or of the first target.
func makeGoals(sh *shell.Shell, text string, words []string) {
	m := makefile{New(sh)}
	m.filled = func(text string, own map[string]string) string { return m.expand(text, own, 0) }
	m.Vars["MAKE"], m.Vars["RM"], m.Vars["CURDIR"] = "make", "rm -f", sh.Place.Cwd
	m.read(text)
	var goals []string
	for _, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok {
			m.Vars[strings.TrimRight(name, ":?+")] = value
		} else {
			goals = append(goals, w)
		}
	}
	if len(goals) == 0 {
		goals = strings.Fields(m.Vars[".DEFAULT_GOAL"])
	}
	m.RunAll(goals)
}

// read adds the variables and rules of a text.
func (m makefile) read(text string) {
	m.Vars["MAKEFILE_LIST"] = cmp.Or(m.within.path, m.sh.Path("Makefile"))
	lines := logicalLines(text)
	var open *Recipe
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		code := strings.TrimSpace(l.Code)
		word, rest, _ := strings.Cut(code, " ")
		switch {
		case strings.HasPrefix(l.Code, "\t") && open != nil:
			open.lines = append(open.lines, Line{code, l.Line})
		case code == "", code[0] == '#', lex.OneOf(word, "else endif ifdef ifeq ifndef ifneq unexport vpath"):
		case lex.OneOf(word, "include -include sinclude"):
			for _, name := range strings.Fields(m.expand(rest, nil, 0)) {
				for _, path := range Matching(m.sh, name) {
					m.include(m.within, []string{path}, m.read)
				}
			}
		case word == "define":
			i = m.define(rest, lines, i+1)
		case m.assign(code):
			open = nil
		default:
			open = m.rule(code, l.Line)
		}
	}
}

// logicalLines splits a text into lines, and joins those that end with a backslash.
func logicalLines(text string) (out []Line) {
	open := false
	for i, line := range strings.Split(text, "\n") {
		cut, more := strings.CutSuffix(strings.TrimSuffix(line, "\r"), "\\")
		if open {
			last := &out[len(out)-1]
			last.Code += " " + strings.TrimSpace(cut)
		} else {
			out = append(out, Line{cut, i + 1})
		}
		open = more
	}
	return out
}

// define reads the lines of a variable up to "endef", and returns the index of that line.
func (m makefile) define(name string, lines []Line, from int) int {
	var body []string
	i := from
	for ; i < len(lines) && strings.TrimSpace(lines[i].Code) != "endef"; i++ {
		body = append(body, strings.TrimLeft(lines[i].Code, "\t@+- "))
	}
	m.Vars[strings.TrimRight(name, " :=")] = strings.Join(body, "\n")
	return i
}

// assign reads a line that sets a variable. It returns false for any other line.
func (m makefile) assign(code string) bool {
	equals, colon := strings.IndexByte(code, '='), strings.IndexByte(code, ':')
	switch {
	case equals < 1, colon >= 0 && colon < equals-2, colon == equals-2 && code[equals-1] != ':':
		return false
	}
	name := strings.TrimRight(code[:equals], ":?+! \t")
	op := strings.TrimSpace(code[len(name):equals])
	for _, prefix := range [...]string{"export ", "override ", "private "} {
		name = strings.TrimPrefix(name, prefix)
	}
	value := strings.TrimSpace(code[equals+1:])
	if value, _, _ = strings.Cut(value, " #"); lex.OneOf(op, ": ::") {
		value = m.expand(value, nil, 0)
	}
	old, set := m.Vars[name]
	switch {
	case op == "+":
		value = strings.TrimSpace(old + " " + value)
	case op == "!":
		value = m.sh.Output(value)
	case op == "?" && set:
		value = old
	}
	m.Vars[name] = value
	return !strings.ContainsAny(name, " \t")
}

// rule reads the first line of a rule.
func (m makefile) rule(code string, line int) *Recipe {
	targets, needs, _ := strings.Cut(code, ":")
	needs, inline, hasRecipe := strings.Cut(strings.TrimLeft(needs, ":"), ";")
	if i := strings.LastIndexByte(needs, ':'); i >= 0 { // targets: pattern: needs
		needs = needs[i+1:]
	}
	if strings.Contains(needs, "=") { // a variable of this target
		m.assign(strings.TrimSpace(needs))
		needs = ""
	}
	needs, _, _ = strings.Cut(needs, " #")
	names := strings.Fields(m.expand(targets, nil, 0))
	isGoal := func(name string) bool { return !strings.HasPrefix(name, ".") && !strings.Contains(name, "%") }
	if i := slices.IndexFunc(names, isGoal); i >= 0 && m.Vars[".DEFAULT_GOAL"] == "" {
		m.Vars[".DEFAULT_GOAL"] = names[i]
	}
	next := m.Add(names...)
	next.Needs = strings.Fields(strings.ReplaceAll(m.expand(needs, nil, 0), "|", " "))
	if hasRecipe {
		next.lines = []Line{{inline, line}}
	}
	return next
}

// expand replaces the variables in a text. What is not known becomes a hole.
func (m makefile) expand(text string, auto map[string]string, depth int) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "$")
		b.WriteString(before)
		if rest == "" || depth > maxMakeNesting || b.Len() > mostExpanded {
			return b.String()
		}
		name, n := reference(rest)
		if name == "$" {
			b.WriteByte('$')
		} else {
			b.WriteString(m.value(name, auto, depth))
		}
		text = rest[n:]
	}
}

// reference returns the name after a "$" and how long the reference is.
func reference(rest string) (name string, n int) {
	closing := map[byte]byte{'(': ')', '{': '}'}[rest[0]]
	if closing == 0 {
		return rest[:1], 1
	}
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case rest[0]:
			depth++
		case closing:
			depth--
		}
		if depth == 0 {
			return rest[1:i], i + 1
		}
	}
	return rest[1:], len(rest)
}

// value returns the text of a variable or of a function.
func (m makefile) value(name string, auto map[string]string, depth int) string {
	if function, args, called := strings.Cut(name, " "); called {
		return m.function(function, args, auto, depth+1)
	}
	if text, ok := auto[strings.TrimRight(name, "DF")]; ok {
		if strings.HasSuffix(name, "D") {
			return fspath.Dir(text)
		}
		return text
	}
	if text, ok := m.Vars[name]; ok {
		return m.expand(text, auto, depth+1)
	}
	return m.variable(name)
}

// function returns the text of a function of make.
func (m makefile) function(name, text string, auto map[string]string, depth int) string {
	args := append(splitItems(text), "")
	args = args[:max(1, len(args)-1)]
	switch {
	case depth > maxMakeNesting, !m.sh.Spend(1 + len(text)/shell.TextPerStep):
		return partial.Unknown
	case name == "foreach" && len(args) == 3:
		return m.forEach(args, auto, depth)
	case name == "shell":
		return m.sh.Output(m.expand(text, auto, depth))
	}
	for i, a := range args {
		args[i] = m.expand(a, auto, depth)
	}
	if name == "call" { // a variable whose $(1), $(2) … are the arguments
		inner := map[string]string{}
		for i, a := range args[1:] {
			inner[strconv.Itoa(i+1)] = a
		}
		return m.expand(m.Vars[strings.TrimSpace(args[0])], inner, depth)
	}
	return makeWords(name, args)
}

// forEach returns a text once for each of some words, which a variable stands for in it.
func (m makefile) forEach(args []string, auto map[string]string, depth int) string {
	name := strings.TrimSpace(m.expand(args[0], auto, depth))
	old, set := m.Vars[name]
	text := eachWord(m.expand(args[1], auto, depth), func(w string) string {
		m.Vars[name] = w
		return m.expand(args[2], auto, depth)
	})
	if m.Vars[name] = old; !set {
		delete(m.Vars, name)
	}
	return text
}

// makeWords returns the text of a function that works on words, or a hole.
func makeWords(name string, args []string) string {
	first, last := args[0], args[len(args)-1]
	switch name {
	case "strip", "sort", "wildcard", "abspath", "realpath":
		return last
	case "dir":
		return eachWord(last, func(w string) string { return fspath.Dir(w) + "/" })
	case "notdir":
		return eachWord(last, fspath.Base)
	case "firstword":
		return lex.First(strings.Fields(last))
	case "lastword":
		return last[1+strings.LastIndexAny(strings.TrimSpace(last), " "):]
	case "addprefix":
		return eachWord(last, func(w string) string { return first + w })
	case "addsuffix":
		return eachWord(last, func(w string) string { return w + first })
	}
	return partial.Unknown
}

// eachWord returns the words of a text, each changed.
func eachWord(text string, change func(word string) string) (out string) {
	for _, w := range strings.Fields(text) {
		out = expand.Glue(out, change(w)+" ")
	}
	return strings.TrimSuffix(out, " ")
}
