package shell

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"mvdan.cc/sh/v3/syntax"
)

// A call may run files of the disk. Their code is read with the same understanding as
// the call. Only effects that are found there count: a file that cannot be read, or
// only in part, adds nothing.

// Bounds on the files that one call runs.
const (
	maxFileDepth   = 3         // files that run files
	maxFileRuns    = 24        // how often a file is begun
	maxFileBytes   = 512 << 10 // text of all runs
	maxFileEffects = maxEffects / 2
	maxGiven       = 16 // texts that a call hands to a file
)

// disk holds what an evaluation knows of the files on disk.
type disk struct {
	texts  map[string]diskText // by path
	copies map[string]string   // from a copy that this call makes to its original
	longer map[string]bool     // files that this call appends to
	runs   int
	ran    int // bytes
}

// diskText is the text of a file; ok is false if it cannot be read.
type diskText struct {
	text string
	ok   bool
}

// A codeFile is a file of the disk whose code is evaluated.
type codeFile struct {
	path  string
	depth int
	given []string // what the call hands over: arguments and variables
	// line is the line of an offset in its text, see lineAt.
	offset, line int
}

// FileText returns the text of a file on disk that the call may run. It returns
// false for a file of another machine, a credential and an installed program.
func (sh *Shell) FileText(name string) (text string, ok bool) {
	return sh.textAt(sh.Path(name))
}

func (sh *Shell) textAt(path string) (string, bool) {
	u := sh.Eval
	if original, ok := u.copies[path]; ok {
		path = original
	}
	if u.Site.FileText == nil || sh.Place.Away != "" || !sh.mayRead(path) {
		return "", false
	}
	known, ok := u.texts[path]
	if !ok && len(u.texts) < maxFileRuns*4 {
		text, ok := u.Site.FileText(path)
		known = diskText{text: partial.Scrub(text), ok: ok}
		put(&u.texts, path, known)
	}
	return known.text, known.ok
}

// RunCode runs a part of the code in a file that this call wrote or that lies on the disk, see Enter;
// all of it if part is nil. It returns false if the file is neither.
func (sh *Shell) RunCode(name string, given []string, part func(string) string, run func(*Shell, string)) bool {
	if part == nil {
		part = func(text string) string { return text }
	}
	text, ok := sh.Arrived(name)
	if ok {
		if !sh.Opaque(text) {
			run(sh.Sub(), part(text))
		}
		return true
	}
	if text, ok = sh.FileText(name); !ok {
		sh.UnreadHere(sh.Path(name))
		return false
	}
	text = part(text)
	sh.Enter(sh.Path(name), text, given, func(child *Shell) { run(child, text) })
	return true
}

// Names returns the names in a directory of the disk, those of directories with a slash at the end.
func (sh *Shell) Names(dir string) []string {
	names, _ := sh.textAt(strings.TrimSuffix(sh.Path(dir), "/") + "/")
	return strings.Fields(names)
}

// Members returns the names of the files in an archive on the disk.
func (sh *Shell) Members(name string) []string {
	if name == "" || sh.Eval.Site.Members == nil || sh.Place.Away != "" || !sh.mayRead(sh.Path(name)) {
		return nil
	}
	text, _ := sh.Eval.Site.Members(sh.Path(name))
	return strings.FieldsFunc(partial.Scrub(text), func(r rune) bool { return r == '\n' })
}

// Lists reports whether the directory of a path has a file of that name.
func (sh *Shell) Lists(path string) bool {
	names, _ := sh.textAt(strings.TrimSuffix(fspath.Dir(path), "/") + "/")
	return strings.Contains("\n"+names, "\n"+fspath.Base(path)+"\n")
}

// ListsSecret reports whether a directory has a file with credentials in it.
func (sh *Shell) ListsSecret(dir string) bool {
	path := strings.TrimSuffix(sh.Path(dir), "/") + "/"
	names, _ := sh.textAt(path)
	for name := range strings.FieldsSeq(names) {
		if p := path + name; protected.SecretPath(p, sh.Place.Home) && !protected.Committed(p) {
			return true
		}
	}
	return false
}

// systemFolders hold installed programs, or no programs at all.
const systemFolders = "/bin /dev /etc /lib /lib64 /nix /proc /run /sbin /snap /sys /usr /System /Library"

// mayRead reports whether a path is known and leads to code that a session may have
// written.
func (sh *Shell) mayRead(path string) bool {
	switch {
	case !fspath.IsExact(path), path[0] != '/',
		fspath.InMade(path, fspath.Installed),
		protected.SecretPath(path, sh.Place.Home):
		return false
	case fspath.Within(path, fspath.Slashed(sh.Eval.Site.Project)):
		return true
	}
	return !fspath.WithinAny(path, systemFolders)
}

// Copied remembers that this call copies a file of the disk.
func (sh *Shell) Copied(to, from string) { putFew(&sh.Eval.copies, to, sh.Path(from)) }

// extends remembers whether this call appends to a file of the disk or replaces it.
func (sh *Shell) extends(f sink) {
	path := f.path
	if !f.appends {
		delete(sh.Eval.longer, path)
		return
	}
	if _, written := sh.Files[path]; !written {
		putFew(&sh.Eval.longer, path, true)
	}
}

// runArrived runs a file that this call wrote or fetched, after what the file held before this call
// appended to it. It returns false if name is not such a file.
func (sh *Shell) runArrived(name string) bool {
	text, ok := sh.Arrived(name)
	if !ok {
		return false
	}
	if sh.Eval.longer[sh.Path(name)] {
		sh.RunFile(name, sh.params)
	}
	sh.RunText(text)
	return true
}

// RunFile runs a file of the disk as a shell program. It returns false if the file
// cannot be read.
func (sh *Shell) RunFile(name string, args []string) bool {
	text, ok := sh.FileText(name)
	if !ok {
		sh.Unread(name)
		return false
	}
	path := sh.Path(name)
	sh.Enter(path, text, args, func(child *Shell) {
		child.zero = path
		child.vars = map[string]expand.Value{"BASH_SOURCE": {path}}
		child.Run(text, nil)
	})
	return true
}

// RunProgram runs a file of the disk by its path: with the program that its first
// line names, or else as a shell program. It returns false if the file cannot be read.
func (sh *Shell) RunProgram(name string, args []string, in *string) bool {
	text, ok := sh.FileText(name)
	if !ok {
		sh.Unread(name)
		return false
	}
	argv := []string{"sh"}
	first, _, _ := strings.Cut(text, "\n")
	if line, ok := strings.CutPrefix(first, "#!"); ok && strings.TrimSpace(line) != "" {
		argv = strings.Fields(line)
		argv[0] = fspath.Base(argv[0])
	}
	sh.Exec(append(append(argv, sh.Path(name)), args...), in)
	return true
}

// SourceFile runs a file of the disk in this shell. It returns false if the file
// cannot be read.
func (sh *Shell) SourceFile(name string, args []string) bool {
	text, ok := sh.FileText(name)
	if !ok {
		sh.Unread(name)
		return false
	}
	path := sh.Path(name)
	sh.enter(path, text, args, func() {
		old, was := sh.vars["BASH_SOURCE"]
		sh.set("BASH_SOURCE", expand.Value{path})
		sh.Run(text, nil)
		if sh.vars["BASH_SOURCE"] = old; !was {
			delete(sh.vars, "BASH_SOURCE")
		}
	})
	return true
}

// InFile runs code whose text is that of a file that was read before. It returns
// false for any other text.
func (sh *Shell) InFile(text string, run func(child *Shell, text string)) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(sh.Eval.texts) == 0 {
		return false
	}
	here := ""
	if f := sh.file(); f != nil {
		here = f.path
	}
	for path, known := range sh.Eval.texts {
		if known.ok && path != here && strings.TrimSpace(known.text) == text {
			sh.Enter(path, known.text, sh.params, func(child *Shell) { run(child, known.text) })
			return true
		}
	}
	return false
}

// Enter runs code of a file in a child scope. The effects of the code belong to
// that file. It does nothing beyond the bounds on files.
func (sh *Shell) Enter(path, text string, given []string, run func(child *Shell)) {
	child := sh.Sub()
	child.enter(path, text, given, func() { run(child) })
}

func (sh *Shell) enter(path, text string, given []string, run func()) {
	u, f := sh.Eval, &codeFile{path: path, depth: 1}
	if outer := sh.file(); outer != nil {
		f.depth, f.given = outer.depth, outer.given
		if outer.path != path {
			f.depth++
		}
	} else {
		f.given = sh.handed(given)
	}
	switch {
	case f.depth > maxFileDepth, u.runs >= maxFileRuns, u.ran+len(text) > maxFileBytes, u.Budget.Spent:
		sh.Unread(path)
		return
	}
	u.runs++
	u.ran += len(text)
	before, budget := *sh, u.Budget
	whole := sh.Text()
	sh.Src = &Source{Text: text, Whole: whole, file: f, first: 1}
	sh.feeds, sh.line, u.Budget = false, 1, newBudget(len(text))
	sh.doubt, sh.ended = 0, running
	traps := len(u.traps)
	run()
	u.RunTraps(traps)
	sh.Src, sh.Part, sh.line, sh.at, sh.feeds = before.Src, before.Part, before.line, before.at, before.feeds
	sh.doubt, sh.ended, u.Budget = before.doubt, before.ended, budget
}

// handed returns the texts that a call hands to a file: its arguments, and the
// values of the variables that it sets.
func (sh *Shell) handed(args []string) []string {
	given := slices.Clone(args)
	for s := sh; s != nil; s = s.parent {
		for _, v := range s.vars {
			given = append(given, v...)
		}
	}
	return given[:min(len(given), maxGiven)]
}

// InsideFile reports whether the running command stands in a file of the disk.
func (sh *Shell) InsideFile() bool { return sh.file() != nil }

// SourceDir returns the folder of the file whose code runs, or else the working directory.
func (sh *Shell) SourceDir() string {
	if f := sh.file(); f != nil {
		return fspath.Dir(f.path)
	}
	return sh.Place.Cwd
}

// Output runs a text and returns what it prints, without line breaks at the end.
func (sh *Shell) Output(text string) string {
	return strings.TrimRight(sh.capture(func(child *Shell) { child.Run(text, nil) }), "\n")
}

// file returns the file whose code runs, nil for the call itself.
func (sh *Shell) file() *codeFile {
	if sh.at.src != nil {
		return sh.at.src.file
	}
	if sh.Src == nil {
		return nil
	}
	return sh.Src.file
}

// source returns a new source for a text that the running command runs.
func (sh *Shell) source(text string) *Source {
	before := sh.Src
	if before == nil {
		return &Source{Text: text}
	}
	src := &Source{Text: text, file: sh.file()} // code of the shell again
	part := sh.Text()
	if !strings.Contains(part, text) || src.file != nil {
		src.Whole = part
	}
	if src.file == nil {
		return src
	}
	src.first, src.piece = sh.line, before.Text != text
	return src
}

// line returns the line of the file where a statement of the source stands.
func (s *Source) line(st *syntax.Stmt) int {
	switch {
	case s.file == nil:
		return 0
	case s.piece:
		return s.first
	}
	return s.first + int(st.Pos().Line()) - 1
}

// BeginProgram notes that a text is a program of another language, if it is the whole
// text of the file that runs.
func (sh *Shell) BeginProgram(text string) {
	if sh.file() != nil && sh.Src.Text == text && !sh.Src.piece {
		sh.Src.other = true
	}
}

// InProgram reports whether the running code is a program of another language in a file
// of the disk. Such a program is not parsed, so a name alone says little in it.
func (sh *Shell) InProgram() bool { return sh.Src != nil && sh.Src.other }

// AtLine sets the line of the file that runs.
func (sh *Shell) AtLine(line int) {
	if sh.file() != nil {
		sh.line = line
	}
}

// AtOffset sets the line of the file that runs to that of an offset in its text. It
// does nothing for any other text.
func (sh *Shell) AtOffset(text string, offset int) {
	f := sh.file()
	switch {
	case f == nil, sh.Src.file != f, sh.Src.piece, sh.Src.Text != text:
		return
	}
	sh.line = f.lineAt(text, offset)
}

// lineAt returns the line of an offset. Offsets mostly grow, so it counts on from the
// last one.
func (f *codeFile) lineAt(text string, offset int) int {
	if offset < f.offset || f.line == 0 {
		f.offset, f.line = 0, 1
	}
	f.line += strings.Count(text[f.offset:offset], "\n")
	f.offset = offset
	return f.line
}

// tells reports whether an effect of a file says more than that something is not known. In a program
// of another language, it also has to be more than what a name may mean.
func tells(e effect.Effect, inProgram bool) bool {
	switch e.Kind {
	case effect.RunUnknown:
		return e.Op == effect.Network || e.Op == effect.Decoded || e.Op == effect.Outside
	case effect.RunElevated:
		return !partial.HasHole(e.Target)
	case effect.Discard, effect.RewriteRefs, effect.PushForce, effect.PushDelete:
		return !partial.HasHole(e.Dir) // else it is mostly a repository that a test makes
	case effect.ForkBomb, effect.ReverseShell, effect.KillProcess:
		return !inProgram || e.Op == effect.Limits || e.Op == effect.Inside || e.Op == effect.Found
	case effect.DestroyRemote, effect.ChangeRemote, effect.SendOut:
		return !inProgram || e.Target != "" && !partial.HasHole(e.Target)
	}
	return true
}

// given reports whether an effect depends on a text that the call handed over.
func (sh *Shell) given(f *codeFile, e effect.Effect) bool {
	return slices.ContainsFunc(f.given, func(text string) bool {
		switch {
		case text == "":
			return false
		case strings.Contains(e.Target, text), strings.Contains(string(e.Op), text), e.Target == sh.Path(text):
			return true
		}
		return e.Via == lex.ProgramName(text)
	})
}

// maxWrapped bounds the words among which the program of a command is looked for.
const maxWrapped = 12

// runsInput reports whether a statement runs a program that runs what it reads, such
// as "sudo bash" or "docker exec -i db psql".
func (sh *Shell) runsInput(st *syntax.Stmt) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && sh.Eval.Site.FileText != nil &&
		slices.ContainsFunc(call.Args[:min(len(call.Args), maxWrapped)], func(w *syntax.Word) bool {
			name := w.Lit()
			return name != "" && name[0] != '-' && sh.Eval.RunsInput(lex.ProgramName(name))
		})
}
