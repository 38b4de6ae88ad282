package git

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/coreutils"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A patch of the work tree's own changes that is applied in reverse takes the changes back, as
// "git restore" does.

const patchOptions = "p i d D B F r V Y z g input directory strip reject-file fuzz prefix suffix output " +
	"-reverse -dry-run"

// printDiff prints the heads of a diff of the work tree, and credentials as ReportCommitted does.
func printDiff(sh *shell.Shell, c shell.Command, o argv.Options) {
	secret.ReportCommitted(sh, c, o)
	paths, commits := diffOperands(o)
	switch {
	case o.Given("cached staged stat numstat name-status no-index"), commits > 1:
		return
	case o.Given("name-only"):
		printBelow(sh, paths)
		return
	}
	head := rows.DiffHead + "a/"
	if o.Given("R") {
		head = rows.DiffHead + "b/"
	}
	for _, p := range paths {
		sh.Print(head + sh.Path(p) + "\n" + partial.Unknown + "\n")
	}
}

// diffOperands returns the paths of a diff, or that of the whole tree, and the number of its commits.
func diffOperands(o argv.Options) (paths []string, commits int) {
	paths = o.Behind
	for _, p := range o.Pos[:len(o.Pos)-len(o.Behind)] {
		switch {
		case strings.Contains(p, "..") && !strings.Contains(p, "../"):
			commits += 2
		case rows.LooksLikePath(p), strings.Contains(p, "/") && !strings.HasPrefix(p, "origin/"):
			paths = append(paths, p)
		default:
			commits++
		}
	}
	return coreutils.OrHere(paths), commits
}

// printTree prints the files of a commit, or remembers them in an archive that may be unpacked.
func printTree(sh *shell.Shell, _ shell.Command, o argv.Options) {
	var b strings.Builder
	for _, p := range coreutils.OrHere(o.From(1)) {
		b.WriteString(rows.DiffHead + "b/" + sh.Path(p) + "\n" + partial.Unknown + "\n")
	}
	if file, ok := o.Get("o", "output"); ok {
		sh.Overwrite(file, b.String())
		return
	}
	sh.Print(b.String())
}

// reportUndone reports the files whose changes a patch takes back.
func reportUndone(sh *shell.Shell, c shell.Command, o argv.Options) {
	texts := rows.Stdin(c)
	for _, name := range append(o.All("i", "input"), o.Pos...) {
		texts = append(texts, sh.Files[sh.Path(name)])
	}
	head := rows.DiffHead + "b/"
	if o.Given("R reverse") {
		head = rows.DiffHead + "a/"
	}
	for _, line := range shell.SplitLines(strings.Join(texts, "\n")) {
		if path, ok := strings.CutPrefix(line, head); ok && path != "" {
			rows.ReportDiscards(sh, effect.RestorePath, []string{path})
		}
	}
}
