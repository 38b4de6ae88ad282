package coreutils

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// FilePrograms are the programs of this file, with what each does.
var FilePrograms = []rows.Table{
	{
		Programs: "rm unlink gunlink grm srm rimraf del trash trash-put rmtrash del-cli wipe",
		Options:  "-recursive -no-preserve-root -force",
		Do:       remove,
	},
	{Programs: "gio", Rows: []rows.Row{
		{Words: "trash|remove", Given: "list restore"},
		{Words: "trash", Given: "empty", As: &emptiesTrash},
		{Words: "trash|remove", Runs: &rows.Start{Program: "trash", Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "trash-empty trash-rm", Rows: []rows.Row{{Without: "h help version dry-run", As: &emptiesTrash}}},
	{Programs: "fdupes jdupes", Options: "o order X exclude-filter G L maxsize minsize", Rows: []rows.Row{
		{Given: "d delete", Also: reportCleaned},
	}},
	{
		Programs: "rdfind",
		Options:  "- deleteduplicates dryrun n outputname makesymlinks makehardlinks minsize ignoreempty",
		Dry:      "dryrun=true n=true",
		Rows:     []rows.Row{{Given: "deleteduplicates=true", Also: reportCleaned}},
	},
	{
		Programs: "czkawka_cli czkawka", Options: "d directories D delete-method e excluded-directories x f",
		Dry: "dry-run",
		Rows: []rows.Row{
			{
				Given: "D= delete-method=", With: "d= directories=",
				Runs: &rows.Start{Program: "fdupes -d", Words: rows.ValueOf("d directories")},
			},
		},
	},
	{Programs: "rmlint", Options: "o output O c config T types", Do: reportCleaner},
	{
		Programs: "mogrify jpegoptim pngquant optipng",
		Options:  "- path d dest resize quality format m max o",
		Rows: []rows.Row{
			{Without: "path d dest n noaction simulate", Does: effect.WriteFile, To: rows.Paths{rows.OperandsFrom(0)}},
		},
	},
	{Programs: "tmpreaper tmpwatch", Options: "protect x exclude", Dry: "t test", Rows: []rows.Row{
		{Words: "*", Also: reportCleaned},
	}},
	// The rmdir of Unix removes only empty directories: nothing is lost.
	{
		Programs: "rmdir",
		Rows:     []rows.Row{{Args: "/s|/S", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(0)}}},
	},
	{Programs: "shred gshred", Options: "n s iterations size random-source", Do: shred},
	{Programs: "mv gmv", Options: "t S target-directory suffix update?", Keeps: keepsOld, Do: move},
	{
		Programs: "cp gcp install ditto pax",
		Options:  "t S m o g target-directory suffix mode owner group update?",
		Keeps:    keepsOld,
		Do:       copyFiles,
	},
	{Programs: "ln gln link", Options: "t S target-directory suffix -symbolic -force", Do: link},
	{Programs: "chmod gchmod chattr setfacl chflags xattr", Options: "reference -recursive", Do: changeMode},
	{Programs: "setcap", Options: "n", Rows: []rows.Row{
		{Does: effect.ChangeMode, Op: effect.Setuid, To: rows.Paths{rows.OperandsFrom(1)}},
	}},
	{Programs: "chown chgrp gchown", Options: "reference from -recursive", Rows: []rows.Row{
		{
			Given: "R recursive", With: "reference=", Does: effect.ChangeMode, Op: effect.OwnerTree,
			To: rows.Paths{rows.OperandsFrom(0)},
		},
		{Given: "R recursive", Does: effect.ChangeMode, Op: effect.OwnerTree, To: rows.Paths{rows.OperandsFrom(1)}},
		{Given: "reference=", Does: effect.ChangeMode, Op: effect.Owner, To: rows.Paths{rows.OperandsFrom(0)}},
		{Does: effect.ChangeMode, Op: effect.Owner, To: rows.Paths{rows.OperandsFrom(1)}},
	}},
	{Programs: "mkdir", Options: "m mode Z", Do: makeFolders},
	{Programs: "touch mkfifo", Options: "d r t m date reference mode", Rows: []rows.Row{
		{Does: effect.WriteFile, Op: effect.Create, To: rows.Paths{rows.OperandsFrom(0)}},
	}},
	{Programs: "truncate fallocate gtruncate", Options: "s r o l size reference offset length", Do: truncate},
}

var emptiesTrash = rows.Act{
	Kind: effect.DeleteTree, Op: effect.Find, To: rows.Paths{rows.Text("~/.local/share/Trash/*")},
}

// reportCleaned reports trees of which a program deletes some files.
func reportCleaned(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, dir := range o.Pos {
		sh.Possible(effect.DeleteTree, effect.Find, sh.Path(dir))
	}
}

// reportCleaner remembers the script with which rmlint deletes the files that it finds.
func reportCleaner(sh *shell.Shell, _ shell.Command, o argv.Options) {
	dirs := append(o.Pos, ".")[:max(1, len(o.Pos))]
	sh.Remember(sh.Path("rmlint.sh"), "fdupes --delete "+shell.QuoteAll(dirs)+"\n")
}

// keepsOld are the options with which a copy overwrites nothing, or keeps what it overwrites.
const keepsOld = "n no-clobber update=none update=none-fail b backup"

// remove reports the files that rm and similar programs delete.
func remove(sh *shell.Shell, c shell.Command, o argv.Options) {
	if o.Given("help version") {
		return
	}
	kind := effect.DeleteFile
	switch {
	case o.Given("r R d recursive"), lex.OneOf(c.Name, "del-cli rimraf rmtrash srm trash trash-put wipe"):
		kind = effect.DeleteTree
	}
	var op effect.Op
	if o.Given("no-preserve-root") {
		op = effect.Named("no-preserve-root")
	}
	for _, p := range o.Pos {
		if lex.OneOf(c.Name, "rm grm") { // the others expand patterns themselves
			p = sh.AsFile(p)
		}
		if p != "" {
			sh.Deletes(kind, op, p)
		}
	}
}

// shred reports files or disks that are overwritten.
func shred(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, p := range o.Pos {
		kind, f := effect.DeleteFile, sh.Path(p)
		if fspath.IsDevice(f) {
			kind = effect.WriteDisk
		}
		sh.Effect(kind, effect.Shred, f)
	}
}

// move reports the sources and the destination of mv.
func move(sh *shell.Shell, c shell.Command, o argv.Options) {
	from, to := rows.OperandsTo(o)
	if to == "" {
		return
	}
	for _, p := range from {
		if to == "/dev/null" {
			sh.Effect(effect.DeleteTree, effect.ToNull, sh.Path(p))
			continue
		}
		sh.Effect(effect.MoveAway, placeOp(sh, p, to), sh.Path(p))
		reportDestination(sh, to, p)
		sh.Moved(p, to)
	}
}

// makeFolders reports directories that mkdir makes. An empty one in a folder of the host changes nothing, but
// in those that the host searches for plugins.
func makeFolders(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, dir := range o.Pos {
		p := sh.Path(dir)
		tail, ofHost := protected.HostFolder(p, sh.Eval.Site.Env)
		if !ofHost || tail == "" || strings.HasSuffix(p, ".json") || fspath.WithinAny(tail, "/plugins /dev-mods") {
			sh.Effect(effect.WriteFile, effect.Create, p)
		}
	}
}

// temporary are the folders whose content does not stay.
const temporary = "/tmp /var/tmp /dev/shm"

// placeOp says whether a move leads to where files do not stay, from where they do.
func placeOp(sh *shell.Shell, from, to string) effect.Op {
	if fspath.WithinAny(sh.Path(to), temporary) && !fspath.WithinAny(sh.Path(from), temporary) {
		return effect.ToTemp
	}
	return ""
}

// reportDestination reports the destination of a file: the path itself, and the file inside it
// in case the path is a directory.
func reportDestination(sh *shell.Shell, to, from string) {
	if from == "/dev/null" {
		sh.Overwrite(to, "")
		return
	}
	if sh.Renames(from, to) {
		return
	}
	if p := sh.Path(to); strings.Contains(p, "/.git/info") {
		sh.Effect(effect.WriteFile, effect.Placed, p+"/")
	}
	dst := sh.Write(to)
	text, known := sh.Files[sh.Path(from)]
	switch {
	case known:
		sh.Remember(dst, text)
	case secret.HoldsSecret(sh, from):
		sh.Remember(dst, partial.UnknownSecret)
	default:
		sh.Copied(dst, from)
	}
	switch base := fspath.Base(strings.TrimSuffix(from, "/")); {
	case lex.OneOf(base, "."), base == "", base == fspath.Base(dst), strings.HasPrefix(dst, "/dev/"):
	default:
		sh.Write(strings.TrimSuffix(to, "/") + "/" + base)
	}
}

// copyFiles reports the sources and the destination of cp.
func copyFiles(sh *shell.Shell, c shell.Command, o argv.Options) {
	from, to := rows.OperandsTo(o)
	if c.In != nil {
		sh.Remember("/dev/stdin", *c.In)
	}
	for _, p := range from {
		if !copiesInside(sh, p, to) {
			sh.Read(p)
		}
		if to == "" {
			continue
		}
		reportDestination(sh, to, p)
		if o.Given("r R a recursive archive") {
			ReportTree(sh, to, p, strings.HasSuffix(p, "/."))
		}
	}
}

// copiesInside reports whether credentials of the project are copied to a folder of the project, such as
// a worktree, under the same name.
func copiesInside(sh *shell.Shell, from, to string) bool {
	project := sh.Eval.Site.Project
	return strings.HasSuffix(to, "/") && sh.Place.Away == "" && project != "" &&
		fspath.Within(sh.Path(from), project) && fspath.Within(sh.Path(to), project) && fspath.IsExact(sh.Path(from))
}

// ReportTree notes that a copied tree, or with inside only what is in it, takes the place of a file
// that the copy would write.
func ReportTree(sh *shell.Shell, to, from string, inside bool) {
	target := strings.TrimSuffix(to, "/")
	below, all := strings.CutSuffix(from, "/*")
	if !inside && !all {
		target += "/" + fspath.Base(strings.TrimSuffix(from, "/"))
	}
	sh.Overlays(sh.Path(target), sh.Path(below))
}

// link reports the targets and the name of a link.
func link(sh *shell.Shell, c shell.Command, o argv.Options) {
	from, to := rows.OperandsTo(o)
	if !o.Given("f force") || o.Given("b backup") {
		defer sh.Creates(len(sh.Eval.Effects))
	}
	symbolic := o.Given("s symbolic")
	for _, p := range from {
		if f := sh.Path(p); rows.IsOwnProgram(sh, f) {
			sh.Effect(effect.ReadFile, "", f)
		}
		if f := sh.Path(to); strings.Contains(f, "/.git/") {
			sh.Effect(effect.WriteFile, effect.Placed, f)
		}
		reportDestination(sh, to, p)
		if symbolic {
			sh.Links(p, to)
		}
	}
}

// changeMode reports files whose mode or attributes change.
func changeMode(sh *shell.Shell, c shell.Command, o argv.Options) {
	mode, files := o.At(0), o.From(1)
	isMode := func(arg string) bool { return lex.IsCluster(arg, "rwxXst") } // that takes rights away
	if i := slices.IndexFunc(c.Args, isMode); i >= 0 {
		mode, files = c.Args[i], o.Pos
	}
	if len(o.Pos) == 1 && !lex.IsNumber(mode) {
		files = o.Pos // the mode is that of another file
	}
	how := effect.Mode
	if lex.OneOf(c.Name, "chmod gchmod") {
		how = modeKind(mode)
	}
	if o.Given("R recursive") {
		how = treeOp(how)
	}
	for _, p := range files {
		path, to := sh.Path(p), how
		if how == effect.Mode && readByOthers(mode) && protected.HoldsSecret(path, sh.Place.Home) {
			to = effect.World
		}
		sh.Effect(effect.ChangeMode, to, path)
	}
}

// readByOthers reports whether a mode lets others read a file.
func readByOthers(mode string) bool {
	number, err := strconv.ParseUint(mode, 8, 16)
	return err == nil && number&0o044 != 0 || lex.OneOf(mode, "+r a+r g+r go+r o+r ugo+r")
}

// modeKind returns the risk of a mode: Setuid, World, or plain Mode.
func modeKind(mode string) effect.Op {
	number, err := strconv.ParseUint(mode, 8, 16)
	switch {
	case err == nil && number&setID != 0, lex.Mentions(mode, "+s u=s"):
		return effect.Setuid
	case number == 0o777, number == 0o666, lex.OneOf(mode, "a+rwx a+w a=rwx o+w ugo+rwx"):
		return effect.World
	}
	return effect.Mode
}

// setID are the bits with which a program runs with the rights of its owner or its group.
const setID = 0o6000

// treeOp returns the Op of a change of mode that applies to a whole tree.
func treeOp(how effect.Op) effect.Op {
	switch how {
	case effect.Setuid:
		return effect.SetuidTree
	case effect.World:
		return effect.WorldTree
	}
	return effect.ModeTree
}

// truncate reports files that are cut or emptied.
func truncate(sh *shell.Shell, c shell.Command, o argv.Options) {
	if c.Name == "truncate" && len(o.Flags) == 0 { // the program needs a size, so this is an SQL statement
		rows.ReadTypedSQL(sh, c)
		return
	}
	for _, p := range o.Pos {
		if f := sh.Path(p); strings.HasSuffix(f, shell.EveryFile) { // every file of the tree loses its content
			sh.Effect(effect.DeleteTree, effect.Find, strings.TrimSuffix(f, shell.EveryFile))
			continue
		}
		sh.Effect(effect.WriteFile, effect.Truncate, sh.Path(p))
	}
}
