package coreutils

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// findTests records which files the tests before an action select.
type findTests struct {
	narrowed bool     // a test of this alternative excludes files
	wide     bool     // an earlier alternative excludes nothing
	negated  bool     // the next test is negated
	named    bool     // a test of this alternative gives a name
	aged     bool     // a test is about the age, the size or the owner of files
	unread   bool     // a test selects files in a way that is not followed
	names    []string // the name in each alternative; of several in one, a hole
}

// isNarrowed reports whether the tests exclude files.
func (f *findTests) isNarrowed() bool { return f.narrowed && !f.wide }

// test reads one test of an expression. A negated test does not count, because it
// excludes few files. A size or an age that every file has does not count, either.
func (f *findTests) test(name, arg string) {
	if !f.negated && !matchesEverything(name, arg) {
		f.narrowed = true
		switch {
		case lex.OneOf(name, "-iname -ipath -name -path -wholename"):
			f.name(namePattern(arg))
		case lex.OneOf(name, "-empty -inum -iregex -lname -perm -regex -samefile"), lex.OneOf(arg, "-1 -1k 0 0c 0k"):
			f.unread = true
		default:
			f.aged = true
		}
	}
	f.negated = false
}

// name reads a name of the alternative.
func (f *findTests) name(pattern string) {
	if f.named {
		f.names[len(f.names)-1] = partial.Unknown
		return
	}
	f.named = true
	f.names = append(f.names, pattern)
}

// or begins the next alternative.
func (f *findTests) or() {
	f.wide = f.wide || !f.narrowed
	f.narrowed, f.named = false, false
}

// paths returns paths for what is found below a root.
func (f *findTests) paths(root string) []string {
	if !f.isNarrowed() {
		return []string{root}
	}
	if len(f.names) == 0 && f.aged && !f.unread {
		return foundPaths(root, []string{"*"})
	}
	return foundPaths(root, f.names)
}

// namePattern returns the pattern of a test as a part of a path. Of a pattern for a
// whole path the stars are holes, because they match slashes too.
func namePattern(arg string) string {
	folder, all := strings.CutSuffix(arg, "/*")
	if !strings.Contains(arg, "/") {
		return arg
	}
	if folder = strings.ReplaceAll(folder, "*", partial.Unknown); all {
		return folder + "/" + partial.Unknown + "/*"
	}
	return folder
}

// matchesEverything reports whether a test excludes nothing.
func matchesEverything(name, arg string) bool {
	switch name {
	case "-perm":
		return strings.Trim(arg, "/-0") == ""
	case "-newermt":
		return lex.BeginsWith(arg, "19 @0")
	}
	return strings.Trim(arg, "*./+") == "" || lex.OneOf(name+arg, "-mmin+0 -mtime-0 -size+0 -size+0c -size-0")
}

// findTestWords are the tests with a value that may exclude files.
const findTestWords = "-amin -atime -cmin -ctime -group -iname -inum -ipath -iregex -lname -mmin -mtime -name -newer" +
	" -newermt -path -perm -regex -samefile -size -user -wholename"

// Find reports what -delete, -exec and the output options do below the roots. It is no
// table: tests, operators and actions form one expression.
func Find(sh *shell.Shell, c shell.Command, _ argv.Options) {
	roots, expr := findRoots(c.Args)
	if lex.ContainsAny(c.Args, "-L -H -follow") { // it follows a root that is a link
		for i, r := range roots {
			roots[i] = strings.TrimSuffix(r, "/") + "/"
		}
	}
	var tests findTests
	for i := 0; i < len(expr); i++ {
		word, arg := expr[i], lex.First(expr[i+1:])
		switch {
		case lex.OneOf(word, "! -not"):
			tests.negated = true
		case lex.OneOf(word, "-o -or"):
			tests.or()
		case word == "-prune" && lex.OneOf(arg, "-o -or"): // what has these names is left out
			tests.names, tests.named = nil, false
		case lex.OneOf(word, findTestWords):
			tests.test(word, arg)
			i++
		case word == "-empty":
			tests.test(word, "yes")
		case lex.OneOf(word, "-fstype -maxdepth -mindepth -printf -type"):
			tests.negated = false
			i++
		case lex.OneOf(word, "-fprint -fprintf -fls -fprint0"):
			if arg != "" {
				sh.Write(arg)
			}
			i++
		case word == "-delete":
			tests.deletes(sh, roots)
		case lex.OneOf(word, "-exec -execdir -ok -okdir"):
			from := i + 1
			i = from + commandLength(expr[from:])
			tests.run(sh, expr[from:i], roots)
		}
	}
	for _, r := range roots {
		if !tests.isNarrowed() {
			r = strings.TrimSuffix(r, "/") + shell.EveryFile
		}
		tests.prints(sh, []string{r})
	}
}

// commandLength returns how many of the words behind -exec belong to its command.
func commandLength(words []string) int {
	before := ""
	for i, word := range words {
		switch {
		case word == ";", word == "+" && before == "{}":
			return i
		}
		before = word
	}
	return len(words)
}

// findRoots splits the arguments of find into roots and expression.
func findRoots(args []string) (roots, expr []string) {
	for lex.OneOf(lex.First(args), "-D -E -H -L -O1 -O2 -O3 -P -X -d -s -x") {
		args = args[1:]
	}
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") || lex.OneOf(a, "( !") })
	if at < 0 {
		at = len(args)
	}
	return slices.Clone(OrHere(args[:at])), args[at:]
}

// OrHere returns the operands of a program, or the directory of the shell if there are none.
func OrHere(operands []string) []string {
	if len(operands) == 0 {
		return []string{"."}
	}
	return operands
}

// prints prints the paths of what is found below some roots.
func (f *findTests) prints(sh *shell.Shell, roots []string) {
	for _, r := range roots {
		sh.Print(strings.Join(f.paths(r), "\n") + "\n")
	}
}

// foundPaths returns paths for what is found below a root if the tests exclude files. A file
// with an exact name may lie directly below the root.
func foundPaths(root string, names []string) (paths []string) {
	root = strings.TrimSuffix(root, "/") + "/"
	if len(names) == 0 {
		names = []string{partial.Unknown}
	}
	for _, name := range names[:min(shell.MaxCombinations, len(names))] {
		switch {
		case strings.HasPrefix(name, root): // a pattern for the whole path
			paths = append(paths, name)
			continue
		case tells(name):
			paths = append(paths, root+partial.Unknown+"/"+name)
		case !slices.Contains(paths, root+partial.Unknown):
			paths = append(paths, root+partial.Unknown)
		}
		if fspath.IsExact(name) && !strings.Contains(name, "/") {
			paths = append(paths, root+name)
		}
	}
	return paths
}

// tells reports whether a name with holes still says what is found.
func tells(name string) bool {
	return !partial.HasHole(fspath.Base(name)) || strings.Contains(name, ".git/") || protected.SecretPath(name, "")
}

// deletes reports what -delete deletes below the roots.
func (f *findTests) deletes(sh *shell.Shell, roots []string) {
	kind := effect.DeleteTree
	if f.isNarrowed() {
		kind = effect.DeleteFile
	}
	for _, r := range roots {
		for _, found := range f.paths(r) {
			target := sh.Path(found)
			if strings.HasSuffix(found, "/") && target != "/" {
				target += "/" // find follows a root that is a link
			}
			sh.Effect(kind, effect.Find, target)
		}
	}
}

// run runs a command on what is found below the roots.
func (f *findTests) run(sh *shell.Shell, argv, roots []string) {
	for _, r := range roots[:min(shell.MaxCombinations, len(roots))] {
		for _, found := range f.paths(r) {
			out := rows.ReplaceAll(argv, "{}", found)
			if !f.isNarrowed() {
				out = forEveryFile(argv, out, r)
			}
			sh.Exec(out, nil)
		}
		if !f.isNarrowed() && lex.IsShellName(lex.ProgramName(lex.First(argv))) { // code for each of the files
			sh.Exec(rows.ReplaceAll(argv, "{}", strings.TrimSuffix(r, "/")+"/"+partial.Unknown+"/*"), nil)
		}
	}
}

// forEveryFile returns the command that does to the tree root as a whole what words do to each
// of its files. out is the command for the root itself.
func forEveryFile(words, out []string, root string) []string {
	switch name := lex.ProgramName(lex.First(out)); {
	case lex.OneOf(name, "chmod chown chgrp setfacl"):
		return append([]string{out[0], "-R"}, out[1:]...)
	case lex.OneOf(name, "rm unlink shred"):
		return slices.Concat([]string{"find"}, argv.ParseOptions(out[1:], "").Pos, []string{"-delete"})
	case lex.OneOf(name, "truncate gtruncate"):
		return rows.ReplaceAll(words, "{}", strings.TrimSuffix(root, "/")+shell.EveryFile)
	}
	return out
}

const fdOptions = "e E t d S extension exclude type max-depth min-depth exact-depth size changed-within " +
	"changed-before owner base-directory search-path"

// FD runs the command of -x or -X on the files that it finds, or prints them.
func FD(sh *shell.Shell, c shell.Command, _ argv.Options) {
	at := slices.IndexFunc(c.Args, func(a string) bool { return lex.OneOf(a, "-x -X --exec --exec-batch") })
	if at < 0 {
		at = len(c.Args)
	}
	o := argv.ParseOptions(c.Args[:at], fdOptions)
	roots := OrHere(append(o.From(1), o.All("search-path", "base-directory")...))
	tests := fdTests(o)
	if at == len(c.Args) {
		tests.prints(sh, roots)
		return
	}
	argv := c.Args[at+1:]
	if !strings.Contains(strings.Join(argv, " "), "{") {
		argv = append(slices.Clone(argv), "{}")
	}
	tests.run(sh, argv, roots)
}

// fdTests returns which files the pattern and the extensions of fd select.
func fdTests(o argv.Options) (f findTests) {
	for _, extension := range o.All("e", "extension") {
		f.names = append(f.names, "*."+extension)
	}
	if pattern := o.At(0); len(f.names) == 0 && strings.Trim(pattern, ".*") != "" {
		f.names = []string{fdName(pattern)}
	}
	f.narrowed = len(f.names) > 0
	return f
}

// fdName returns the names that a pattern of fd finds, as far as it says that they are secret.
func fdName(pattern string) string {
	name := strings.NewReplacer("^", "", "$", "", `\`, "").Replace(pattern)
	if strings.HasPrefix(pattern, `\.`) {
		name = "*" + name
	}
	if protected.SecretPath(name, "") {
		return name
	}
	return partial.Unknown
}
