package understand

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// filePrograms are the programs of this file, with what each does.
var filePrograms = []table{
	{programs: "git", options: gitOptions, leads: true, do: gitProgram},
	{
		programs: "rm grm srm rimraf del trash trash-put rmtrash del-cli wipe",
		options:  "-recursive -no-preserve-root -force",
		do:       remove,
	},
	{programs: "gio", do: func(sh *shell.Shell, c shell.Command, _ shell.Options) {
		if lex.OneOf(lex.First(c.Args), "trash remove") && !lex.ContainsAny(c.Args, "--list --restore --empty") {
			sh.Exec(append([]string{"trash"}, c.Args[1:]...), nil)
		}
	}},
	{programs: "rmdir unlink gunlink", rows: []row{{does: act{effect.DeleteFile, "", eachFile}}}},
	{programs: "shred gshred", do: shred},
	{
		programs: "mv gmv",
		options:  "t S target-directory suffix update?",
		keeps:    keepsOld,
		do:       move,
	},
	{
		programs: "cp gcp install ditto pax",
		options:  "t S m o g target-directory suffix mode owner group update?",
		keeps:    keepsOld,
		do:       copyFiles,
	},
	{programs: "ln gln link", options: "t S target-directory suffix -symbolic", do: link},
	{programs: "chmod gchmod chattr setfacl chflags xattr", options: "reference -recursive", do: changeMode},
	{programs: "setcap", options: "n", rows: []row{{does: act{effect.ChangeMode, effect.Setuid, "@$1*"}}}},
	{programs: "chown chgrp gchown", options: "reference from -recursive", rows: []row{
		{given: "R recursive", with: "reference=", does: act{effect.ChangeMode, effect.OwnerTree, eachFile}},
		{given: "R recursive", does: act{effect.ChangeMode, effect.OwnerTree, "@$1*"}},
		{given: "reference=", does: act{effect.ChangeMode, effect.Owner, eachFile}},
		{does: act{effect.ChangeMode, effect.Owner, "@$1*"}},
	}},
	{programs: "touch mkdir mkfifo", options: "d r t m date reference mode", rows: []row{
		{does: act{effect.WriteFile, effect.Create, eachFile}},
	}},
	{programs: "truncate fallocate gtruncate", options: "s r o l size reference offset length", do: truncate},
	{programs: "tar gtar bsdtar", options: tarOptions, bundled: true, do: printUnknown, rows: []row{
		{given: "checkpoint-action=", goOn: true, also: runsActions},
		{given: "remove-files", goOn: true, also: deletesPacked},
		{given: "c create", with: "f= file=", goOn: true, also: writesArchive},
		{
			given: "x extract",
			with:  "C= directory=",
			does:  act{effect.WriteFile, effect.Unpack, "@$=C,directory"},
			also:  bringsArchive,
		},
		{given: "x extract", also: unpacksHere},
		{given: "t list get"},
		{also: packs},
	}},
	{programs: "zip", options: "b t n x i TT! unzip-command!", do: printUnknown, rows: []row{
		{given: "m move", does: act{effect.DeleteTree, "", "@$1*"}},
		{also: packs},
	}},
	{
		programs: "7z 7za cpio gzip bzip2 xz zstd",
		options:  "f C X T I S directory file exclude rsh-command!",
		do:       printUnknown,
		rows: []row{
			{of: "7z 7za", args: "-sdel", does: act{effect.DeleteTree, "", "@$2*"}},
			{also: packs},
		},
	},
	{programs: "rar", options: "-", do: printUnknown, rows: []row{
		{words: "m|mf", does: act{effect.DeleteTree, "", "@$2*"}},
		{args: "-df|-dr", does: act{effect.DeleteTree, "", "@$2*"}},
	}},
	{programs: "unzip unrar", options: "d x P", rows: []row{
		{given: "d=", does: act{effect.WriteFile, effect.Unpack, "@$=d"}, also: bringsArchive},
	}},
	{programs: "patch gpatch", options: patchOptions, dry: "dry-run C check o output", do: undoesDiff},
}

// keepsOld are the options with which a copy overwrites nothing, or keeps what it overwrites.
const keepsOld = "n no-clobber update=none update=none-fail b backup"

const tarOptions = "f C X T directory file exclude -checkpoint checkpoint-action to-command! use-compress-program! " +
	"I! info-script! new-volume-script! F! rsh-command! rmt-command -extract -get -create -list -append -update"

// remove reports the files that rm and similar programs delete.
func remove(sh *shell.Shell, c shell.Command, o shell.Options) {
	if o.Given("help version") {
		return
	}
	kind := effect.DeleteFile
	switch {
	case o.Given("r R d recursive"), lex.OneOf(c.Name, "rimraf trash trash-put rmtrash del-cli srm wipe"):
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
func shred(sh *shell.Shell, c shell.Command, _ shell.Options) {
	for _, p := range shell.ParseOptions(c.Args, "n s iterations size random-source").Pos {
		if f := sh.Path(p); fspath.IsDevice(f) {
			sh.Effect(effect.WriteDisk, effect.Shred, f)
		} else {
			sh.Effect(effect.DeleteFile, effect.Shred, f)
		}
	}
}

// move reports the sources and the destination of mv.
func move(sh *shell.Shell, c shell.Command, o shell.Options) {
	from, to := operandsTo(o)
	if to == "" {
		return
	}
	for _, p := range from {
		if to == "/dev/null" {
			sh.Effect(effect.DeleteTree, effect.ToNull, sh.Path(p))
			continue
		}
		sh.Effect(effect.MoveAway, "", sh.Path(p))
		sh.Eval.MovesLink(sh.Path(p), sh.Path(to))
		reportDestination(sh, to, p)
	}
}

// operandsTo returns the sources and the destination of mv, cp or ln.
func operandsTo(o shell.Options) ([]string, string) {
	if dir, ok := o.Get("t", "target-directory"); ok {
		return o.Pos, dir
	}
	if len(o.Pos) < 2 {
		return nil, ""
	}
	return o.Pos[:len(o.Pos)-1], o.Pos[len(o.Pos)-1]
}

// reportDestination reports the destination of a file: the path itself, and the file inside it
// in case the path is a directory.
func reportDestination(sh *shell.Shell, to, from string) {
	if from == "/dev/null" {
		sh.Overwrite(to, "")
		return
	}
	dst := sh.Write(to)
	text, known := sh.Files[sh.Path(from)]
	switch {
	case known:
		sh.Remember(dst, text)
	case holdsSecret(sh, from):
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
func copyFiles(sh *shell.Shell, c shell.Command, o shell.Options) {
	from, to := operandsTo(o)
	if c.In != nil {
		sh.Remember("/dev/stdin", *c.In)
	}
	for _, p := range from {
		sh.Read(p)
		if to == "" {
			continue
		}
		reportDestination(sh, to, p)
		if o.Given("r R a recursive archive") {
			copiesTree(sh, to, p, strings.HasSuffix(p, "/."))
		}
	}
}

// copiesTree says of the file that a copy would write that a tree takes its place: the tree
// from, or with inside only what is in it.
func copiesTree(sh *shell.Shell, to, from string, inside bool) {
	target := strings.TrimSuffix(to, "/")
	below, all := strings.CutSuffix(from, "/*")
	if !inside && !all {
		target += "/" + fspath.Base(strings.TrimSuffix(from, "/"))
	}
	sh.Overlays(sh.Path(target), sh.Path(below))
}

// link reports the targets and the name of a link.
func link(sh *shell.Shell, c shell.Command, o shell.Options) {
	from, to := operandsTo(o)
	if !o.Given("f force") || o.Given("b backup") {
		defer sh.Creates(len(sh.Eval.Effects))
	}
	symbolic := o.Given("s symbolic")
	for _, p := range from {
		if symbolic {
			sh.Links(p, to)
		}
		if f := sh.Path(p); ownProgram(sh, f) {
			sh.Effect(effect.ReadFile, "", f)
		}
		reportDestination(sh, to, p)
	}
}

// changeMode reports files whose mode or attributes change.
func changeMode(sh *shell.Shell, c shell.Command, o shell.Options) {
	mode, files := o.At(0), o.From(1)
	if i := slices.IndexFunc(c.Args, isMode); i >= 0 { // "-x" looks like a flag but is a mode
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
		sh.Effect(effect.ChangeMode, how, sh.Path(p))
	}
}

// isMode reports whether an argument takes rights away, as "-x" does.
func isMode(arg string) bool {
	rights, ok := strings.CutPrefix(arg, "-")
	return ok && rights != "" && strings.Trim(rights, "rwxXst") == ""
}

// modeKind returns the risk of a mode: Setuid, World, or plain Mode.
func modeKind(mode string) effect.Op {
	number, err := strconv.ParseUint(mode, 8, 16)
	switch {
	case err == nil && number&setID != 0, lex.Mentions(mode, "+s u=s"):
		return effect.Setuid
	case number == 0o777, number == 0o666, lex.OneOf(mode, "a+rwx ugo+rwx a=rwx o+w a+w"):
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
func truncate(sh *shell.Shell, c shell.Command, o shell.Options) {
	if c.Name == "truncate" && len(o.Flags) == 0 { // the program needs a size, so this is an SQL statement
		typedSQL(sh, c)
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

// runsActions runs the commands that tar starts at its checkpoints.
func runsActions(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, action := range o.All("checkpoint-action") {
		if _, code, ok := strings.Cut(action, "exec="); ok {
			sh.Run(code, nil)
		}
	}
}

// deletesPacked reports the files that tar deletes when it has packed them. They are below the
// directory that -C names.
func deletesPacked(sh *shell.Shell, _ shell.Command, o shell.Options) {
	child := sh.Sub()
	for _, dir := range o.All("C", "directory") {
		child.Place.Cwd = child.Path(dir)
	}
	for _, p := range o.Pos {
		child.Deletes(effect.DeleteTree, "", p)
	}
}

// writesArchive reports the archive that tar makes.
func writesArchive(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if into, _ := o.Get("f", "file"); into != "-" && !shell.IsRemotePath(into) {
		sh.Write(into)
	}
}

// packs reports credentials and files of Afar that go into an archive.
func packs(sh *shell.Shell, c shell.Command, o shell.Options) {
	into, _ := o.Get("f", "file")
	switch c.Name {
	case "zip":
		into = o.At(0)
	case "7z", "7za":
		into = o.At(1)
	}
	for _, p := range o.Pos {
		if sh.IsOwn(sh.Path(p)) {
			sh.Read(p)
		}
		if p != into && strings.ContainsRune(fileText(sh, p), partial.HoleSecret) {
			sh.Print(sh.Read(p))
			sh.Remember(sh.Path(into), partial.UnknownSecret)
		}
	}
}

// unpacksHere reports the directory in which tar unpacks an archive, unless it is the project.
func unpacksHere(sh *shell.Shell, c shell.Command, _ shell.Options) {
	if fspath.Within(sh.Place.Cwd, sh.Eval.Site.Project) {
		takesBack(sh, stdin(c), diffHead+"b/")
		return
	}
	sh.Effect(effect.WriteFile, effect.Unpack, sh.Place.Cwd)
}

// bringsArchive remembers the directory into which an archive from another machine is unpacked.
func bringsArchive(sh *shell.Shell, c shell.Command, o shell.Options) {
	dir, _ := o.Get("C", "directory", "d")
	path := sh.Path(dir)
	switch {
	case !strings.Contains(archiveText(sh, c, o), partial.UnknownNetwork), fspath.Within(sh.Place.Cwd, path):
	case len(sh.Eval.Fetched) < shell.MaxAliases:
		sh.Eval.Fetched = append(sh.Eval.Fetched, path)
	}
}

// archiveText returns what is known of the archive that a program unpacks, or "".
func archiveText(sh *shell.Shell, c shell.Command, o shell.Options) string {
	file, named := o.Get("f", "file")
	if strings.HasPrefix(c.Name, "un") { // unzip, unrar
		file, named = o.At(0), true
	}
	if !named || file == "-" {
		return strings.Join(stdin(c), "")
	}
	text, _ := sh.Brought(file)
	return text
}

// findTests records which files the tests before an action select.
type findTests struct {
	narrowed bool     // a test of this alternative excludes files
	wide     bool     // an earlier alternative excludes nothing
	negated  bool     // the next test is negated
	named    bool     // a test of this alternative gives a name
	names    []string // the name in each alternative; of several in one, a hole
}

// isNarrowed reports whether the tests exclude files.
func (f *findTests) isNarrowed() bool { return f.narrowed && !f.wide }

// test reads one test of an expression. A negated test does not count, because it
// excludes few files. A size or an age that every file has does not count, either.
func (f *findTests) test(name, arg string) {
	if !f.negated && !matchesEverything(name, arg) {
		f.narrowed = true
		if lex.OneOf(name, "-name -iname -path") {
			f.name(namePattern(arg))
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
	return foundPaths(root, f.names)
}

// namePattern returns the pattern of a test as a part of a path. Of a pattern for a
// whole path the stars are holes, because they match slashes too.
func namePattern(arg string) string {
	if strings.Contains(arg, "/") {
		return strings.ReplaceAll(arg, "*", partial.Unknown)
	}
	return arg
}

// matchesEverything reports whether a test excludes nothing.
func matchesEverything(name, arg string) bool {
	switch name {
	case "-perm":
		return strings.Trim(arg, "/-0") == ""
	case "-newermt":
		return lex.BeginsWith(arg, "19 @0")
	}
	return strings.Trim(arg, "*./+") == "" || lex.OneOf(name+arg, "-mtime-0 -size+0 -size+0c -size-0 -mmin+0")
}

// find reports what -delete, -exec and the output options do below the roots. It is no
// table: tests, operators and actions form one expression.
func find(sh *shell.Shell, c shell.Command, o shell.Options) {
	roots, expr := findRoots(c.Args)
	if lex.ContainsAny(c.Args, "-L -H -follow") { // it follows a root that is a link
		roots = throughLinks(roots)
	}
	var tests findTests
	for i := 0; i < len(expr); i++ {
		arg := ""
		if i+1 < len(expr) {
			arg = expr[i+1]
		}
		switch expr[i] {
		case "!", "-not":
			tests.negated = true
		case "-o", "-or":
			tests.or()
		case "-prune":
			if lex.OneOf(arg, "-o -or") { // what has these names is left out
				tests.names, tests.named = nil, false
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-lname",
			"-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-newer", "-newermt",
			"-size", "-user", "-group", "-perm", "-inum", "-samefile":
			tests.test(expr[i], arg)
			i++
		case "-empty":
			tests.test(expr[i], "yes")
		case "-type", "-maxdepth", "-mindepth", "-fstype", "-printf":
			tests.negated = false
			i++
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if arg != "" {
				sh.Write(arg)
			}
			i++
		case "-delete":
			tests.deletes(sh, roots)
		case "-exec", "-execdir", "-ok", "-okdir":
			i = tests.exec(sh, roots, expr, i)
		}
	}
	for _, r := range roots {
		if !tests.isNarrowed() {
			r = strings.TrimSuffix(r, "/") + shell.EveryFile
		}
		sh.Print(strings.Join(tests.paths(r), "\n") + "\n")
	}
}

// findRoots splits the arguments of find into roots and expression.
func findRoots(args []string) (roots, expr []string) {
	for len(args) > 0 && lex.OneOf(args[0], "-H -L -P -E -X -d -s -x -O1 -O2 -O3 -D") {
		args = args[1:]
	}
	for i, a := range args {
		if strings.HasPrefix(a, "-") || lex.OneOf(a, "( !") {
			roots, expr = args[:i], args[i:]
			break
		}
		if i == len(args)-1 {
			roots = args
		}
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	return roots, expr
}

// throughLinks returns the roots with a slash at the end.
func throughLinks(roots []string) []string {
	out := make([]string, len(roots))
	for i, r := range roots {
		out[i] = strings.TrimSuffix(r, "/") + "/"
	}
	return out
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
	return !partial.HasHole(name) || strings.Contains(name, ".git/") || protected.SecretPath(name, "")
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

// exec runs the command of -exec and returns the index of its end.
func (f *findTests) exec(sh *shell.Shell, roots, expr []string, i int) int {
	end := i + 1
	for end < len(expr) && expr[end] != ";" && !(expr[end] == "+" && expr[end-1] == "{}") {
		end++
	}
	f.run(sh, expr[i+1:end], roots)
	return end
}

// run runs a command on what is found below the roots.
func (f *findTests) run(sh *shell.Shell, argv, roots []string) {
	for _, r := range roots[:min(shell.MaxCombinations, len(roots))] {
		for _, found := range f.paths(r) {
			out := replaceAll(argv, "{}", found)
			if !f.isNarrowed() {
				out = forEveryFile(argv, out, r)
			}
			sh.Exec(out, nil)
		}
	}
}

// forEveryFile returns the command that does to the tree root as a whole what argv does to each
// of its files. out is the command for the root itself.
func forEveryFile(argv, out []string, root string) []string {
	switch name := lex.ProgramName(lex.First(out)); {
	case lex.OneOf(name, "chmod chown chgrp setfacl"):
		return append([]string{out[0], "-R"}, out[1:]...)
	case lex.OneOf(name, "rm unlink shred"):
		return slices.Concat([]string{"find"}, shell.ParseOptions(out[1:], "").Pos, []string{"-delete"})
	case lex.OneOf(name, "truncate gtruncate"):
		return replaceAll(argv, "{}", strings.TrimSuffix(root, "/")+shell.EveryFile)
	}
	return out
}

const fdOptions = "e E t d S extension exclude type max-depth min-depth exact-depth size changed-within " +
	"changed-before owner base-directory search-path"

// fd runs the command of -x or -X on the files that it finds, or prints them.
func fd(sh *shell.Shell, c shell.Command, _ shell.Options) {
	at := slices.IndexFunc(c.Args, func(a string) bool { return lex.OneOf(a, "-x -X --exec --exec-batch") })
	if at < 0 {
		at = len(c.Args)
	}
	o := shell.ParseOptions(c.Args[:at], fdOptions)
	roots := append(o.From(1), o.All("search-path", "base-directory")...)
	if len(roots) == 0 {
		roots = []string{"."}
	}
	tests := fdTests(o)
	if at == len(c.Args) {
		for _, r := range roots {
			sh.Print(strings.Join(tests.paths(r), "\n") + "\n")
		}
		return
	}
	argv := c.Args[at+1:]
	if !strings.Contains(strings.Join(argv, " "), "{") {
		argv = append(slices.Clone(argv), "{}")
	}
	tests.run(sh, argv, roots)
}

// fdTests returns which files the pattern and the extensions of fd select.
func fdTests(o shell.Options) (f findTests) {
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
