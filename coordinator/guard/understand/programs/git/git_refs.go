package git

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// reportDeletedRefs reports the refs that "git push --delete" deletes.
func reportDeletedRefs(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, ref := range o.From(1) {
		sh.Effect(effect.PushDelete, refKind(ref), rows.BranchOf(ref))
	}
}

// gitRefspecs reports the branches of the remote that refspecs delete or overwrite: "+a:b", ":b" and
// "a". A forced push without refspecs overwrites every branch, or the current one.
func gitRefspecs(sh *shell.Shell, _ shell.Command, o argv.Options) {
	remote := cmp.Or(o.At(0), "origin")
	added := remoteSetting(sh, remote, "url")
	switch {
	case isElsewhere(added) && !lex.OneOf(remote, "origin upstream"):
		sh.Effect(effect.SendOut, effect.Named("commits"), added)
	case isElsewhere(remote) && o.Given("all branches"):
		sh.Effect(effect.SendOut, effect.Named("commits"), remote)
	}
	refs, forced := o.From(1), effect.Op("")
	if configured := remoteSetting(sh, remote, "push"); configured != "" && len(refs) == 0 {
		refs = []string{configured}
	}
	switch {
	case o.Given("f force"):
		forced = effect.Force
	case o.Given("force-with-lease force-if-includes"):
		forced = effect.Lease
	}
	for _, r := range refs {
		r, plus := strings.CutPrefix(r, "+")
		from, to, pair := strings.Cut(r, ":")
		if lex.BeginsWith(from, "stash refs/stash") { // it may hold files that git ignores
			sh.Effect(effect.SendOut, effect.CommittedSecret, from)
		}
		if !pair {
			to = from
		}
		switch {
		case from == "" && to != "":
			sh.Effect(effect.PushDelete, refKind(to), rows.BranchOf(to))
		case movesBase(sh, remote, from, to):
		case plus:
			sh.Effect(effect.PushForce, effect.Force, rows.BranchOf(to))
		case forced != "":
			sh.Effect(effect.PushForce, forced, rows.BranchOf(to))
		}
	}
	switch {
	case forced == "":
	case forced == effect.Force && o.Given("tags"):
		sh.Effect(effect.PushForce, effect.Named("tags"), "tags")
	case len(refs) > 0:
	case o.Given("all branches"):
		sh.Effect(effect.PushForce, effect.Everything, "")
	default:
		sh.Effect(effect.PushForce, forced, "")
	}
}

// namesHost reports whether the address of a repository names a machine, perhaps this one.
func namesHost(url string) bool { return shell.IsRemotePath(url) && !strings.HasPrefix(url, "file:") }

// isElsewhere reports whether the address of a repository names another machine.
func isElsewhere(url string) bool { return namesHost(url) && !web.IsLocalHost(url) }

// reportMirrorSetting reports a push whose remote is a mirror.
func reportMirrorSetting(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if lex.OneOf(remoteSetting(sh, cmp.Or(o.At(0), "origin"), "mirror"), "true 1 yes on") {
		sh.Effect(effect.PushForce, effect.Mirror, "")
	}
}

// movesBase reports a ref from which reviews and landings start, and that a command for remotes moves in
// the repository itself: with a remote that is a path, or under the name of another remote. It returns
// false if there is none.
func movesBase(sh *shell.Shell, remote, from, to string) bool {
	url := cmp.Or(remoteSetting(sh, remote, "url"), remote)
	path, branch := strings.TrimPrefix(url, "file://"), rows.BranchOf(to)
	isPath := path != url || lex.BeginsWith(path, ". / ~")
	path = sh.Path(path)
	here := isPath && (fspath.Within(sh.Place.Cwd, path) || fspath.Within(path, rows.Toplevel(sh)))
	ofRemote, tracksIt := strings.CutPrefix(to, "refs/remotes/"+remote+"/")
	renames := lex.OneOf(ofRemote, "main master trunk") && rows.BranchOf(strings.TrimPrefix(from, "+")) != ofRemote
	switch tracked := strings.HasPrefix(to, "refs/remotes/"); {
	case to == "", tracksIt && !isPath && !renames:
		return false
	case tracked, strings.HasPrefix(to, "refs/replace/"):
	case !isPath, lex.BeginsWith(strings.TrimPrefix(from, "+"), "origin/ upstream/ refs/remotes/"):
		return false
	case !here && !lex.OneOf(branch, "main master trunk"):
		return false
	}
	sh.Effect(effect.RewriteRefs, effect.Base, branch)
	return true
}

// rememberRemote remembers the address that a command gives to a remote, and reports a mirror.
func rememberRemote(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.Files[remoteKey(o.At(1), "url")] = o.At(2)
	if mirror, ok := o.Get("mirror"); ok && mirror != "fetch" {
		sh.Files[remoteKey(o.At(1), "mirror")] = "true"
		sh.Effect(effect.GitSettings, "", "remote."+o.At(1)+".mirror")
	}
}

// remoteKey is where a setting of a remote is remembered that a command of the call keeps. It is no path.
func remoteKey(remote, name string) string { return "git remote." + strings.ToLower(remote+"."+name) }

// remoteSetting returns a setting of a remote that the command or one before it gives.
func remoteSetting(sh *shell.Shell, remote, name string) string {
	if v, ok := sh.Lookup("git remote." + remote + "." + name); ok {
		return lex.First(v)
	}
	return sh.Files[remoteKey(remote, name)]
}

// reportMovedHead reports where HEAD is after a checkout, unless it restores files only.
func reportMovedHead(sh *shell.Shell, c shell.Command, o argv.Options) {
	made, isNew := o.Get("b", "B", "c", "C", "create", "force-create", "orphan")
	switch at := o.At(0); {
	case isNew:
		sh.Effect(effect.MoveHead, effect.Op(made), cmp.Or(at, "HEAD"))
	case o.Given("detach d"):
		sh.Effect(effect.MoveHead, "", cmp.Or(at, "HEAD"))
	case at == "-":
		sh.Effect(effect.MoveHead, "", partial.Unknown)
	case len(o.Pos) == 1 && len(o.Behind) == 0 && (c.Name == "switch" || !rows.LooksLikePath(at)):
		sh.Effect(effect.MoveHead, effect.Op(at), at)
	}
}

func refKind(ref string) effect.Op {
	if lex.BeginsWith(ref, "refs/tags/ tags/") {
		return effect.Named("tag")
	}
	return effect.Branch
}
