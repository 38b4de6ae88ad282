package rows

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// LooksLikePath reports whether a word is a pathspec rather than a branch. Git would
// look at the disk. This function looks for dots, globs, a trailing slash or a short
// alphabetic extension.
func LooksLikePath(s string) bool {
	switch {
	case lex.OneOf(s, ". .."), lex.BeginsWith(s, "./ ../ / :"), fspath.HasGlob(s), strings.HasSuffix(s, "/"):
		return true
	}
	ext := s[strings.LastIndexByte(s, '.')+1:]
	switch {
	case ext == "", ext == s, len(ext) > maxExtension, ext == "x": // 1.x is a branch for a version
		return false
	}
	return !strings.ContainsFunc(ext, func(r rune) bool { return r > 0x7f || !lex.IsLetter(byte(r)) })
}

// maxExtension bounds the extension of a file's name.
const maxExtension = 5

// ReportDiscards reports pathspecs whose changes in the work tree an operation loses.
func ReportDiscards(sh *shell.Shell, op effect.Op, paths []string) {
	for _, p := range paths {
		if IsWholeTree(sh, p) {
			sh.Effect(effect.Discard, effect.RestoreAll, sh.Path(p))
		} else {
			sh.Effect(effect.Discard, op, sh.Path(p))
		}
	}
}

// IsWholeTree reports whether a pathspec matches all files.
func IsWholeTree(sh *shell.Shell, p string) bool {
	switch {
	case strings.Trim(p, partial.Holes) == "", lex.OneOf(p, "* ** . ./ ./* :(top) :/ :/*"):
		return true
	}
	return slices.Contains([]string{sh.Place.Cwd, Toplevel(sh)}, sh.Path(p))
}

// Toplevel returns the top of the work tree, as far as it is known.
func Toplevel(sh *shell.Shell) string {
	if p := sh.Eval.Site.Project; p != "" && fspath.Within(sh.Place.Cwd, p) {
		return p
	}
	return sh.Place.Cwd
}

// BranchOf returns the short name of a ref. HEAD and @ mean the current branch.
func BranchOf(ref string) string {
	ref = strings.TrimPrefix(ref, "refs/heads/")
	ref = strings.TrimPrefix(ref, "heads/")
	if lex.OneOf(ref, "HEAD @") {
		return ""
	}
	return ref
}

// DiffHead begins the part of a diff that is about one file. In a reversed diff, b comes first.
const DiffHead = "diff --git "
