package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// filePrograms are the programs of this file, with what each does.
var filePrograms = []named{
	{names: "git", do: gitProgram},
	{names: "rm grm srm rimraf del trash trash-put rmtrash del-cli wipe", do: remove},
	{names: "gio", do: func(sh *shell.Shell, c shell.Command) {
		if verb := lex.First(c.Args); lex.OneOf(verb, "trash remove") &&
			!lex.OneOf(lex.First(c.Args[1:]), "--list --restore --empty") {
			remove(sh, shell.Command{Name: "trash", Args: c.Args[1:]})
		}
	}},
	{names: "rmdir unlink gunlink", do: removeOne},
	{names: "shred gshred", do: shred},
	{names: "mv gmv", do: move},
	{names: "cp gcp install ditto pax", do: copyFiles},
	{names: "ln gln link", do: link},
	{names: "chmod gchmod chattr setfacl chflags xattr", do: changeMode},
	{names: "setcap", do: func(sh *shell.Shell, c shell.Command) {
		o := shell.ParseOptions(c.Args, "n")
		for _, p := range o.Pos[min(1, len(o.Pos)):] {
			sh.Effect(effect.ChangeMode, effect.Setuid, sh.Path(p))
		}
	}},
	{names: "chown chgrp gchown", do: changeOwner},
	{names: "touch mkdir mkfifo", do: create},
	{names: "truncate fallocate gtruncate", do: truncate},
	{names: "tar gtar bsdtar zip 7z 7za cpio gzip bzip2 xz zstd", do: archive},
	{names: "unzip unrar", do: unpack},
	{names: "patch", do: quiet},
}

func remove(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "")
	if o.Exact("help", "version") {
		return
	}
	tree := o.Has("r", "R", "d", "recursive") || lex.OneOf(c.Name, "rimraf trash trash-put rmtrash del-cli srm wipe")
	kind := effect.DeleteFile
	if tree {
		kind = effect.DeleteTree
	}
	var op effect.Op
	if o.Has("no-preserve-root") {
		op = effect.NoPreserveRoot
	}
	for _, p := range o.Pos {
		sh.Deletes(kind, op, p)
	}
}

func removeOne(sh *shell.Shell, c shell.Command) {
	for _, p := range shell.ParseOptions(c.Args, "").Pos {
		sh.Effect(effect.DeleteFile, "", sh.Path(p))
	}
}

func shred(sh *shell.Shell, c shell.Command) {
	for _, p := range shell.ParseOptions(c.Args, "n s iterations size random-source").Pos {
		if f := sh.Path(p); fspath.IsDevice(f) {
			sh.Effect(effect.WriteDisk, effect.Shred, f)
		} else {
			sh.Effect(effect.DeleteFile, effect.Shred, f)
		}
	}
}

func move(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t S target-directory suffix")
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
		arrive(sh, to, p)
	}
}

// operandsTo splits sources from the destination of mv, cp and ln.
func operandsTo(o shell.Options) ([]string, string) {
	if dir, ok := o.Get("t", "target-directory"); ok {
		return o.Pos, dir
	}
	if len(o.Pos) < 2 {
		return nil, ""
	}
	return o.Pos[:len(o.Pos)-1], o.Pos[len(o.Pos)-1]
}

// arrive reports the destination: the path itself, and the file inside it in
// case it is a directory.
func arrive(sh *shell.Shell, to, from string) {
	dst := sh.Write(to)
	text, known := sh.Files[sh.Path(from)]
	if !known && protected.SecretPath(sh.Path(from), sh.Place.Home) && sh.Place.Away == "" {
		text, known = partial.UnknownSecret, true
	}
	if known {
		sh.Remember(dst, text)
	}
	base := fspath.Base(strings.TrimSuffix(from, "/"))
	if base != "" && base != "." && base != fspath.Base(dst) && !strings.HasPrefix(dst, "/dev/") {
		sh.Write(strings.TrimSuffix(to, "/") + "/" + base)
	}
}

func copyFiles(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t S m o g target-directory suffix mode owner group")
	from, to := operandsTo(o)
	if c.In != nil {
		sh.Remember("/dev/stdin", *c.In)
	}
	for _, p := range from {
		sh.Read(p)
		if to != "" {
			arrive(sh, to, p)
		}
	}
}

func link(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t S target-directory suffix")
	from, to := operandsTo(o)
	symbolic := o.Has("s", "symbolic")
	for _, p := range from {
		if symbolic {
			sh.Links(p, to)
		}
		if f := sh.Path(p); ownProgram(sh, f) {
			sh.Effect(effect.ReadFile, "", f)
		}
		arrive(sh, to, p)
	}
}

func changeMode(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "reference")
	pos := o.Pos
	how := effect.Mode
	if lex.OneOf(c.Name, "chmod gchmod") {
		mode := o.At(0)
		for _, a := range c.Args { // "-x" looks like a flag but is a mode
			if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "rwxXst") == "" {
				mode = a
			}
		}
		if mode == o.At(0) && len(pos) > 0 && !(len(pos) == 1 && strings.ContainsAny(lex.Clip(mode, 1), "/~.")) {
			pos = pos[1:]
		}
		how = modeKind(mode)
	} else if len(pos) > 1 {
		pos = pos[1:]
	}
	if o.Has("R", "recursive") {
		how = treeOp(how)
	}
	for _, p := range pos {
		sh.Effect(effect.ChangeMode, how, sh.Path(p))
	}
}

// modeKind names what is risky about a mode.
func modeKind(mode string) effect.Op {
	digits := strings.TrimLeft(mode, "0")
	switch {
	case lex.IsNumber(mode) && len(digits) == 4 && (digits[0] == '4' || digits[0] == '2' || digits[0] == '6'),
		strings.Contains(mode, "+s"),
		strings.Contains(mode, "u=s"):
		return effect.Setuid
	case lex.OneOf(digits, "777 666") || lex.OneOf(mode, "a+rwx ugo+rwx a=rwx o+w a+w"):
		return effect.World
	}
	return effect.Mode
}

// treeOp returns the Op of a change of mode that goes down a tree.
func treeOp(how effect.Op) effect.Op {
	switch how {
	case effect.Setuid:
		return effect.SetuidTree
	case effect.World:
		return effect.WorldTree
	}
	return effect.ModeTree
}

func changeOwner(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "reference from")
	how := effect.Owner
	if o.Has("R", "recursive") {
		how = effect.OwnerTree
	}
	for i, p := range o.Pos {
		if _, ref := o.Get("reference"); i > 0 || ref {
			sh.Effect(effect.ChangeMode, how, sh.Path(p))
		}
	}
}

func create(sh *shell.Shell, c shell.Command) {
	for _, p := range shell.ParseOptions(c.Args, "d r t m date reference mode").Pos {
		sh.Effect(effect.WriteFile, effect.Create, sh.Path(p))
	}
}

func truncate(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "s r o l size reference offset length")
	if c.Name == "truncate" && len(o.Flags) == 0 { // the program wants a size: a statement is meant
		typedSQL(sh, c)
		return
	}
	for _, p := range o.Pos {
		if f := sh.Path(p); strings.HasSuffix(f, shell.EveryFile) { // what every file of a tree held is gone
			sh.Effect(effect.DeleteTree, effect.Find, strings.TrimSuffix(f, shell.EveryFile))
			continue
		}
		sh.Effect(effect.WriteFile, effect.Truncate, sh.Path(p))
	}
}

func archive(sh *shell.Shell, c shell.Command) {
	if strings.Contains(c.Name, "tar") && len(c.Args) > 0 && !strings.HasPrefix(c.Args[0], "-") {
		c.Args = append([]string{"-" + c.Args[0]}, c.Args[1:]...) // tar czf
	}
	values := "f C X T directory"
	if c.Name == "zip" {
		values = "b t n x i TT"
	}
	o := shell.ParseOptions(c.Args, values+" directory file exclude to-command use-compress-program "+
		"checkpoint-action info-script new-volume-script unzip-command rsh-command I S")
	if code, ok := o.Get("TT", "unzip-command", "rsh-command"); ok {
		sh.Run(code, nil)
	}
	if code, ok := o.Get("to-command", "use-compress-program", "info-script", "new-volume-script", "I"); ok &&
		strings.Contains(c.Name, "tar") {
		sh.Run(code, nil)
	}
	if code, ok := o.Get("checkpoint-action"); ok {
		if _, run, ok := strings.Cut(code, "exec="); ok {
			sh.Run(run, nil)
		}
	}
	if o.Exact("remove-files") || c.Name == "zip" && o.Short('m') || slices.Contains(c.Args, "-sdel") {
		for _, p := range o.Pos {
			sh.Effect(effect.DeleteTree, "", sh.Path(p))
		}
		return
	}
	if dir, ok := o.Get("C", "directory"); ok && (o.Has("x", "extract") || strings.HasPrefix(o.At(0), "x")) {
		sh.Effect(effect.WriteFile, effect.Unpack, sh.Path(dir))
	}
	if o.Short('x') && strings.Contains(c.Name, "tar") && !fspath.Within(sh.Place.Cwd, sh.Eval.Site.Project) &&
		len(o.All("C", "directory")) == 0 {
		sh.Effect(effect.WriteFile, effect.Unpack, sh.Place.Cwd)
	}
	into, _ := o.Get("f", "file")
	switch c.Name {
	case "zip":
		into = o.At(0)
	case "7z", "7za":
		into = o.At(1)
	}
	for _, p := range o.Pos {
		if f := sh.Path(p); sh.IsOwn(f) {
			sh.Read(p)
		}
		if p != into && strings.ContainsRune(fileText(sh, p), partial.HoleSecret) {
			sh.Print(sh.Read(p))
			sh.Remember(sh.Path(into), partial.UnknownSecret)
		}
	}
	sh.Print(partial.Unknown)
}

func unpack(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "d x P")
	if dir, ok := o.Get("d"); ok {
		sh.Effect(effect.WriteFile, effect.Unpack, sh.Path(dir))
	}
}

// findTests is what the tests before an action let through.
type findTests struct {
	narrowed bool     // a test of this alternative leaves things out
	wide     bool     // an earlier alternative leaves nothing out
	negated  bool     // the next test is turned around
	names    []string // what the tests name; a star is a hole
}

func (f *findTests) narrow() bool { return f.narrowed && !f.wide }

// test reads one test of an expression. What a negated test leaves out is
// little against what it lets through, and a size or an age that everything
// has is none.
func (f *findTests) test(name, arg string) {
	if !f.negated && strings.Trim(arg, "*./+") != "" && !matchesEverything(name, arg) {
		f.narrowed = true
		if lex.OneOf(name, "-name -iname -path") {
			f.names = append(f.names, strings.ReplaceAll(arg, "*", partial.Unknown))
		}
	}
	f.negated = false
}

// matchesEverything is true of tests that let everything through.
func matchesEverything(name, arg string) bool {
	switch name {
	case "-perm":
		return strings.Trim(arg, "/-0") == ""
	case "-newermt":
		return lex.BeginsWith(arg, "19 @0")
	}
	return lex.OneOf(name+arg, "-mtime-0 -size+0 -size+0c -size-0 -mmin+0")
}

// or begins another alternative.
func (f *findTests) or() {
	f.wide = f.wide || !f.narrowed
	f.narrowed = false
}

// find walks roots; -delete and -exec act on what its tests let through.
func find(sh *shell.Shell, c shell.Command) {
	roots, expr := findRoots(c.Args)
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
		case "-name",
			"-iname",
			"-path",
			"-ipath",
			"-wholename",
			"-regex",
			"-iregex",
			"-mtime",
			"-mmin",
			"-ctime",
			"-cmin",
			"-atime",
			"-amin",
			"-size",
			"-newer",
			"-newermt",
			"-user",
			"-group",
			"-perm",
			"-inum",
			"-samefile",
			"-lname":
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
			findDeletes(sh, roots, tests.narrow(), tests.names)
		case "-exec", "-execdir", "-ok", "-okdir":
			i = findExec(sh, roots, tests.narrow(), tests.names, expr, i)
		}
	}
	for _, r := range roots {
		if !tests.narrow() {
			r = strings.TrimSuffix(r, "/") + shell.EveryFile
		}
		sh.Print(foundPath(r, tests.narrow(), tests.names) + "\n")
	}
}

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

// foundPath stands for what find yields below a root: the root itself unless
// a test narrows it.
func foundPath(root string, narrowed bool, names []string) string {
	if !narrowed {
		return root
	}
	name := partial.Unknown
	if len(names) == 1 &&
		(!partial.HasHole(names[0]) || protected.SecretPath(names[0], "") || strings.Contains(names[0], ".git/")) {
		name = partial.Unknown + "/" + names[0]
	}
	return strings.TrimSuffix(root, "/") + "/" + name
}

// nearest is the path of an exact name right below a root, or "".
func nearest(root string, names []string) string {
	if len(names) != 1 || partial.HasHole(names[0]) || fspath.HasGlob(names[0]) || strings.Contains(names[0], "/") {
		return ""
	}
	return strings.TrimSuffix(root, "/") + "/" + names[0]
}

func findDeletes(sh *shell.Shell, roots []string, narrowed bool, names []string) {
	for _, r := range roots {
		kind := effect.DeleteTree
		if narrowed {
			kind = effect.DeleteFile
		}
		found := foundPath(r, narrowed, names)
		target := sh.Path(found)
		if strings.HasSuffix(found, "/") && target != "/" {
			target += "/" // find follows the link that its root is
		}
		sh.Effect(kind, effect.Find, target)
		if p := nearest(r, names); p != "" {
			sh.Effect(kind, effect.Find, sh.Path(p))
		}
	}
}

func findExec(sh *shell.Shell, roots []string, narrowed bool, names, expr []string, i int) int {
	end := i + 1
	for end < len(expr) && expr[end] != ";" && !(expr[end] == "+" && expr[end-1] == "{}") {
		end++
	}
	argv := expr[i+1 : end]
	for n, r := range roots {
		if n == shell.MaxCombinations {
			break
		}
		out := replaceAll(argv, "{}", foundPath(r, narrowed, names))
		if len(out) > 0 && lex.OneOf(lex.ProgramName(out[0]), "rm unlink shred") && !narrowed {
			findRemoves(sh, out)
			continue
		}
		if len(out) > 0 && !narrowed && lex.OneOf(lex.ProgramName(out[0]), "truncate gtruncate") {
			out = replaceAll(argv, "{}", strings.TrimSuffix(r, "/")+shell.EveryFile)
		}
		if len(out) > 1 && !narrowed && lex.OneOf(lex.ProgramName(out[0]), "chmod chown chgrp setfacl") {
			out = append([]string{out[0], "-R"}, out[1:]...) // one by one it comes to the same
		}
		sh.Exec(out, nil)
		if p := nearest(r, names); p != "" {
			sh.Exec(replaceAll(argv, "{}", p), nil)
		}
	}
	return end
}

// findRemoves handles "-exec rm -f {}": without -r each file goes, which for
// an unnarrowed find is the whole tree.
func findRemoves(sh *shell.Shell, argv []string) {
	for _, p := range shell.ParseOptions(argv[1:], "").Pos {
		sh.Effect(effect.DeleteTree, effect.Find, sh.Path(p))
	}
}

func fd(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "e E t d x X extension exclude type max-depth min-depth exec exec-batch size "+
		"changed-within changed-before owner base-directory")
	for i, a := range c.Args {
		if !lex.OneOf(a, "-x -X --exec --exec-batch") || i+1 == len(c.Args) {
			continue
		}
		argv := c.Args[i+1:]
		before := shell.ParseOptions(c.Args[:i], "e E t d extension exclude type max-depth size")
		narrowed := before.Exact("e", "extension") || strings.Trim(before.At(0), ".*") != ""
		root := "."
		if len(before.Pos) > 1 {
			root = before.Pos[1]
		}
		target := foundPath(root, narrowed, nil)
		if !strings.Contains(strings.Join(argv, " "), "{") {
			argv = append(append([]string{}, argv...), target)
		}
		sh.Exec(replaceAll(argv, "{}", target), nil)
		return
	}
	sh.Print(foundPath(".", o.At(0) != "", nil))
}
