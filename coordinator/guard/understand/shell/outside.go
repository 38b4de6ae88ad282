package shell

import (
	"strings"
	"unicode"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// A program of the person that runs already, such as the server of tmux, may start a command for the
// session. The command then has no birthmark and a terminal, so it could answer for the person. Code
// that cannot be read is reported there.

// alwaysAsked are the origins of code that are asked about wherever it runs.
var alwaysAsked = []effect.Op{effect.Network, effect.Manifest, effect.Decoded, ""}

// Outside returns a shell whose commands a program of the person starts.
func (sh *Shell) Outside() *Shell {
	child := sh.Sub()
	child.outside = true
	return child
}

// IsOutside reports whether a program of the person starts the commands.
func (sh *Shell) IsOutside() bool { return sh.outside }

// Unread reports a file that runs outside the session, and whose text is not known.
func (sh *Shell) Unread(name string) {
	if sh.outside && sh.Place.Away == "" {
		sh.Effect(effect.RunUnknown, effect.Outside, sh.Path(name))
	}
}

// UnreadHere is Unread for a file that a program reads only if it is there.
func (sh *Shell) UnreadHere(path string) {
	if !sh.outside || !sh.Lists(path) {
		return
	}
	if _, ok := sh.FileText(path); !ok {
		sh.Unread(path)
	}
}

// Found returns the file of a program that is found by its name in a folder where sessions may write: one of
// the PATH, or that of the project's packages. It returns "" for a program of the system, and where nothing
// of it runs outside.
func (sh *Shell) Found(name string) string {
	if !sh.outside || sh.Place.Away != "" || strings.Contains(name, "/") {
		return ""
	}
	assigned, searched := sh.Assigned("PATH")
	folders := strings.FieldsFunc(assigned, func(r rune) bool { return r == ':' })
	for i, folder := range folders {
		folders[i] = sh.Path(folder)
	}
	for _, folder := range append(folders, sh.Eval.Site.Path...) {
		if path := fspath.Slashed(folder) + "/" + name; sh.lists(path) {
			return changeable(path)
		}
	}
	for dir := sh.Place.Cwd; fspath.Within(dir, sh.Eval.Site.Project); dir = fspath.Dir(dir) {
		if path := dir + "/node_modules/.bin/" + name; sh.lists(path) {
			return path
		}
	}
	if searched && len(folders) > 0 { // it may be there when the call runs
		return changeable(folders[0] + "/" + name)
	}
	return ""
}

// changeable returns a path, "" if only root changes it.
func changeable(path string) string {
	if fspath.WithinAny(path, systemFolders) {
		return ""
	}
	return path
}

// lists is Lists for any folder of the disk.
func (sh *Shell) lists(path string) bool {
	if sh.Eval.Site.FileText == nil {
		return false
	}
	names, _ := sh.Eval.Site.FileText(fspath.Dir(path) + "/")
	return strings.Contains("\n"+names, "\n"+fspath.Base(path)+"\n")
}

// RunFound runs the text of a file that Found returned. What it loads is not read.
func (sh *Shell) RunFound(path string, args []string) {
	if sh.Eval.Site.FileText == nil {
		sh.Unread(path)
		return
	}
	text, ok := sh.Eval.Site.FileText(path)
	line, script := strings.CutPrefix(text, "#!")
	if !ok || !script {
		sh.Unread(path)
		return
	}
	line, _, _ = strings.Cut(line, "\n")
	sh.Enter(path, text, args, func(child *Shell) { child.Exec(append(strings.Fields(line), "-"), &text) })
}

// isBinary reports whether a character occurs in no code.
func isBinary(r rune) bool {
	control := unicode.IsControl(r) && r > partial.HoleData && !strings.ContainsRune("\t\n\r\f\v\x1b\x1f", r)
	return control || r == unicode.ReplacementChar
}
