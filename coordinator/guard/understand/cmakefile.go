package understand

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A cmakeFile is a file of CMake that is being read. Its statements become code of the shell, whose
// variables are written alike.
type cmakeFile struct {
	*recipes          // the targets
	acts     bool     // the statements run; else only the targets do
	each     []string // the code of the loops that are open, and the statements in them
	always   []string // the targets that run without being named
}

// cmake runs a script of CMake, one of its tools, the statements of a project or the commands of targets.
func cmake(sh *shell.Shell, c shell.Command, o shell.Options) {
	path, isScript := o.Get("P")
	build, builds := o.Get("build")
	switch {
	case o.Given("E"):
		runRows(sh, cmakeTools, o.Pos, c, o)
		return
	case isScript:
		path = sh.Path(path)
	case builds:
		path, _ = nearest(inFolder(sh, o, "build"), "CMakeLists.txt")
	default:
		source, _ := o.Get("S")
		build, _ = o.Get("B")
		path = sh.Path(cmp.Or(source, o.At(0), ".") + "/CMakeLists.txt")
	}
	runRecipeFile(sh, path, settings(o.All("D")), func(child *shell.Shell, text string) {
		f := &cmakeFile{recipes: newRecipes(child), acts: !builds}
		f.define(path, child.Path(cmp.Or(build, ".")), o.All("D"))
		f.read(text)
		if builds {
			f.runAll(slices.Concat(o.All("t", "target"), o.Pos, f.always))
		}
	})
}

// cmakeTools are the tools of "cmake -E".
var cmakeTools = []row{
	{words: "rm|touch|cat|env|time|tar", runs: operands},
	{words: "remove_directory", runs: "rm -rf $1*"},
	{words: "remove", runs: "rm $1*"},
	{words: "rename", runs: "mv $1*"},
	{words: "copy|copy_if_different", runs: "cp $1*"},
	{words: "copy_directory", runs: "cp -r $1*"},
	{words: "chdir", runs: "env -C $1*"},
}

// cmakeSources are the variables with the folder of a project. Those for its results have BINARY in their names.
const cmakeSources = "CMAKE_SOURCE_DIR CMAKE_CURRENT_SOURCE_DIR PROJECT_SOURCE_DIR"

// define sets the variables that CMake sets, and those of the command.
func (f *cmakeFile) define(path, build string, given []string) {
	f.sh.Assign("CMAKE_COMMAND", shell.Value{"cmake"})
	f.sh.Assign("CMAKE_CURRENT_LIST_DIR", shell.Value{fspath.Dir(path)})
	for _, name := range strings.Fields(cmakeSources) {
		f.sh.Assign(name, shell.Value{fspath.Dir(path)})
		f.sh.Assign(strings.Replace(name, "SOURCE", "BINARY", 1), shell.Value{build})
	}
	for _, set := range given {
		name, value, _ := strings.Cut(set, "=")
		name, _, _ = strings.Cut(name, ":") // its type
		f.sh.Assign(name, shell.Value{value})
	}
}

// read runs the statements of a text, and adds its targets.
func (f *cmakeFile) read(text string) {
	for _, call := range buildCalls(text, `"`) {
		f.sh.AtLine(call.line)
		f.statement(strings.ToLower(call.name), cmakeWords(call.args), call.line)
	}
}

// statement reads a statement.
func (f *cmakeFile) statement(name string, words []string, line int) {
	first, rest := lex.First(words), words[min(1, len(words)):]
	switch {
	case name == "foreach":
		f.each = append(f.each, "for "+first+" in "+cmakeItems(rest)+"; do :")
	case name == "endforeach" && len(f.each) > 0:
		code := strings.Join(f.each, "\n") + "\ndone"
		f.each = nil
		f.does(code)
	case name == "set" && len(rest) > 0:
		f.sh.Run(first+"="+strings.Join(rest, `" "`), nil)
	case lex.OneOf(name, "include add_subdirectory"):
		f.includes(name, first)
	case name == "file":
		f.does(cmakeFileCode(first, rest))
	case name == "execute_process":
		for _, code := range cmakeCodes(words) {
			f.does(code)
		}
	case lex.OneOf(name, "add_custom_target add_custom_command"):
		f.target(name, words, line)
	}
}

// cmakeItems returns what a loop runs over: words, or the items of variables.
func cmakeItems(words []string) string {
	lists := false
	var items []string
	for _, w := range words {
		switch {
		case w == "LISTS":
			lists = true
		case lex.OneOf(w, "IN ITEMS"):
		case lists:
			items = append(items, "${"+w+"}")
		default:
			items = append(items, w)
		}
	}
	return strings.Join(items, " ")
}

// does runs the code of a statement, now or with the loop in which it stands.
func (f *cmakeFile) does(code string) {
	switch {
	case !f.acts, code == "":
	case len(f.each) > 0:
		f.each = append(f.each, code)
	default:
		f.sh.Sub().Run(code, nil)
	}
}

// includes reads another file of the project.
func (f *cmakeFile) includes(name, word string) {
	path := f.sh.Output("printf %s " + word)
	if name == "add_subdirectory" {
		path += "/CMakeLists.txt"
	} else if !strings.HasSuffix(path, ".cmake") {
		path = "cmake/" + path + ".cmake"
	}
	outer := f.sh
	f.include(f.within, []string{fspath.Join(outer.SourceDir(), path)}, func(text string) {
		outer.Enter(f.within.path, text, nil, func(child *shell.Shell) {
			f.sh = child
			f.read(text)
		})
	})
	f.sh = outer
}

// target adds a target with its commands. Those of a rule belong to each build.
func (f *cmakeFile) target(name string, words []string, line int) {
	first := lex.First(words)
	if name == "add_custom_command" || lex.ContainsAny(words, "ALL") {
		f.always = append(f.always, first)
	}
	next := f.open(first)
	for _, code := range cmakeCodes(words) {
		next.lines = append(next.lines, recipeLine{code, line})
	}
	next.needs = append(next.needs, cmakeSection(words, "DEPENDS")...)
}

// cmakeKeys end the words of a command.
const cmakeKeys = "ALL COMMAND ARGS DEPENDS BYPRODUCTS WORKING_DIRECTORY COMMENT VERBATIM USES_TERMINAL SOURCES " +
	"OUTPUT TARGET POST_BUILD PRE_BUILD PRE_LINK MAIN_DEPENDENCY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE " +
	"OUTPUT_VARIABLE ERROR_VARIABLE INPUT_FILE OUTPUT_FILE ERROR_FILE OUTPUT_QUIET ERROR_QUIET " +
	"OUTPUT_STRIP_TRAILING_WHITESPACE " +
	"ERROR_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL COMMAND_ECHO JOB_POOL COMMAND_EXPAND_LISTS"

// cmakeSection returns the words behind a key.
func cmakeSection(words []string, key string) []string {
	from := 1 + slices.Index(words, key)
	if from == 0 {
		return nil
	}
	for i, w := range words[from:] {
		if lex.OneOf(w, cmakeKeys) {
			return words[from : from+i]
		}
	}
	return words[from:]
}

// cmakeCodes returns the code of the commands in a statement.
func cmakeCodes(words []string) (codes []string) {
	cd := ""
	if dir := cmakeSection(words, "WORKING_DIRECTORY"); len(dir) > 0 {
		cd = "cd " + dir[0] + " && "
	}
	for i, word := range words {
		if word == "COMMAND" {
			codes = append(codes, cd+strings.Join(cmakeSection(words[i:], "COMMAND"), " "))
		}
	}
	return codes
}

// cmakeFileCode returns code of the shell that does what file(…) does.
func cmakeFileCode(verb string, words []string) string {
	rest := strings.Join(words, " ")
	switch {
	case len(words) == 0:
	case verb == "REMOVE_RECURSE":
		return "rm -rf " + rest
	case verb == "REMOVE":
		return "rm -f " + rest
	case verb == "RENAME":
		return "mv " + rest
	case lex.OneOf(verb, "WRITE TOUCH"):
		return ": > " + words[0]
	case lex.OneOf(verb, "GLOB GLOB_RECURSE"):
		return words[0] + "=" + strings.Join(words[1:], `" "`)
	}
	return ""
}

// cmakeWords returns the arguments of a statement as words of the shell.
func cmakeWords(args string) (words []string) {
	const blanks = " \t\r\n;"
	for args = strings.TrimLeft(args, blanks); args != ""; args = strings.TrimLeft(args, blanks) {
		end := strings.IndexAny(args, blanks+`"`)
		if end < 0 {
			end = len(args)
		}
		switch {
		case args[0] == '#':
			end = len(lineAt(args))
		case end > 0:
			words = append(words, cmakeEscaped(args[:end], "`'\"&|<>()~"))
		default:
			for end = 1; end < len(args) && args[end] != '"'; end++ {
				end += strings.Count(args[end:end+1], `\`)
			}
			words = append(words, `"`+cmakeEscaped(args[1:min(end, len(args))], "`\"")+`"`)
			end++
		}
		args = args[min(end, len(args)):]
	}
	return words
}

// cmakeEscaped returns a text of CMake as one of the shell, with a backslash before some signs.
func cmakeEscaped(text, signs string) string {
	text = strings.ReplaceAll(text, "$ENV{", "${")
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(signs, text[i]) >= 0 || text[i] == '$' && !strings.HasPrefix(text[i+1:], "{") {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
