package guard

import "strings"

func fileRow(name string) row {
	switch name {
	case "rm", "grm", "srm", "rimraf", "del", "trash", "trash-put", "rmtrash", "del-cli", "wipe":
		return remove
	case "gio":
		return func(sh *shell, c command) {
			if verb := first(c.args); oneOf(verb, "trash remove") && !oneOf(first(c.args[1:]), "--list --restore --empty") {
				remove(sh, command{name: "trash", args: c.args[1:]})
			}
		}
	case "rmdir", "unlink", "gunlink":
		return removeOne
	case "shred", "gshred":
		return shred
	case "mv", "gmv":
		return move
	case "cp", "gcp", "install", "ditto", "pax":
		return copyFiles
	case "ln", "gln", "link":
		return link
	case "chmod", "gchmod", "chattr", "setfacl", "chflags", "xattr":
		return changeMode
	case "setcap":
		return func(sh *shell, c command) {
			o := parseOptions(c.args, "n")
			for _, p := range o.pos[min(1, len(o.pos)):] {
				sh.effect(ChangeMode, "setuid", sh.path(p))
			}
		}
	case "chown", "chgrp", "gchown":
		return changeOwner
	case "touch", "mkdir", "mkfifo":
		return create
	case "truncate", "fallocate", "gtruncate":
		return truncate
	case "tar", "gtar", "bsdtar", "zip", "7z", "7za", "cpio", "gzip", "bzip2", "xz", "zstd":
		return archive
	case "unzip", "unrar":
		return unpack
	case "patch":
		return quiet
	}
	return nil
}

func remove(sh *shell, c command) {
	o := parseOptions(c.args, "")
	if o.exact("help", "version") {
		return
	}
	tree := o.short('r') || o.short('R') || o.short('d') || o.has("recursive") ||
		oneOf(c.name, "rimraf trash trash-put rmtrash del-cli srm wipe")
	kind := DeleteFile
	if tree {
		kind = DeleteTree
	}
	op := ""
	if o.has("no-preserve-root") {
		op = "no-preserve-root"
	}
	for _, p := range o.pos {
		sh.deletes(kind, op, p)
	}
}

// deletes reports a deletion; "link/" deletes what the link points to.
func (sh *shell) deletes(kind Kind, op, word string) {
	p := sh.path(word)
	if strings.HasSuffix(p, everyFile) {
		kind = DeleteTree
	}
	if len(word) > 1 && strings.HasSuffix(word, "/") && p != "/" {
		p += "/"
	}
	sh.effect(kind, op, p)
}

func removeOne(sh *shell, c command) {
	for _, p := range parseOptions(c.args, "").pos {
		sh.effect(DeleteFile, "", sh.path(p))
	}
}

func shred(sh *shell, c command) {
	for _, p := range parseOptions(c.args, "n s iterations size random-source").pos {
		if f := sh.path(p); isDevice(f) {
			sh.effect(WriteDisk, "shred", f)
		} else {
			sh.effect(DeleteFile, "shred", f)
		}
	}
}

func move(sh *shell, c command) {
	o := parseOptions(c.args, "t S target-directory suffix")
	from, to := operandsTo(o)
	if to == "" {
		return
	}
	for _, p := range from {
		if to == "/dev/null" {
			sh.effect(DeleteTree, "to /dev/null", sh.path(p))
			continue
		}
		sh.effect(MoveAway, "", sh.path(p))
		sh.arrive(to, p)
	}
}

// operandsTo splits sources from the destination of mv, cp and ln.
func operandsTo(o options) ([]string, string) {
	if dir, ok := o.get("t", "target-directory"); ok {
		return o.pos, dir
	}
	if len(o.pos) < 2 {
		return nil, ""
	}
	return o.pos[:len(o.pos)-1], o.pos[len(o.pos)-1]
}

// arrive reports the destination: the path itself, and the file inside it in
// case it is a directory.
func (sh *shell) arrive(to, from string) {
	dst := sh.write(to)
	text, known := sh.files[sh.path(from)]
	if !known && secretPath(sh.path(from), sh.place.home) && sh.place.away == "" {
		text, known = unknownSecret, true
	}
	if known {
		sh.remember(dst, text)
	}
	base := baseName(strings.TrimSuffix(from, "/"))
	if base != "" && base != "." && base != baseName(dst) && !strings.HasPrefix(dst, "/dev/") {
		sh.write(strings.TrimSuffix(to, "/") + "/" + base)
	}
}

func copyFiles(sh *shell, c command) {
	o := parseOptions(c.args, "t S m o g target-directory suffix mode owner group")
	from, to := operandsTo(o)
	if c.in != nil {
		sh.remember("/dev/stdin", *c.in)
	}
	for _, p := range from {
		sh.read(p)
		if to != "" {
			sh.arrive(to, p)
		}
	}
}

func link(sh *shell, c command) {
	o := parseOptions(c.args, "t S target-directory suffix")
	from, to := operandsTo(o)
	symbolic := o.short('s') || o.has("symbolic")
	for _, p := range from {
		if symbolic {
			sh.links(p, to)
		}
		if f := sh.path(p); sh.ownProgram(f) {
			sh.effect(ReadFile, "", f)
		}
		sh.arrive(to, p)
	}
}

func changeMode(sh *shell, c command) {
	o := parseOptions(c.args, "reference")
	pos := o.pos
	how := "mode"
	if c.name == "chmod" || c.name == "gchmod" {
		mode := o.at(0)
		for _, a := range c.args { // "-x" looks like a flag but is a mode
			if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "rwxXst") == "" {
				mode = a
			}
		}
		if mode == o.at(0) && len(pos) > 0 && !(len(pos) == 1 && strings.ContainsAny(clip(mode, 1), "/~.")) {
			pos = pos[1:]
		}
		how = modeKind(mode)
	} else if len(pos) > 1 {
		pos = pos[1:]
	}
	if o.short('R') || o.has("recursive") {
		how += " tree"
	}
	for _, p := range pos {
		sh.effect(ChangeMode, how, sh.path(p))
	}
}

// modeKind names what is risky about a mode.
func modeKind(mode string) string {
	digits := strings.TrimLeft(mode, "0")
	switch {
	case isNumber(mode) && len(digits) == 4 && (digits[0] == '4' || digits[0] == '2' || digits[0] == '6'), strings.Contains(mode, "+s"), strings.Contains(mode, "u=s"):
		return "setuid"
	case digits == "777" || digits == "666" || mode == "a+rwx" || mode == "ugo+rwx" || mode == "a=rwx" || mode == "o+w" || mode == "a+w":
		return "world"
	}
	return "mode"
}

func changeOwner(sh *shell, c command) {
	o := parseOptions(c.args, "reference from")
	how := "owner"
	if o.short('R') || o.has("recursive") {
		how = "owner tree"
	}
	for i, p := range o.pos {
		if _, ref := o.get("reference"); i > 0 || ref {
			sh.effect(ChangeMode, how, sh.path(p))
		}
	}
}

func create(sh *shell, c command) {
	for _, p := range parseOptions(c.args, "d r t m date reference mode").pos {
		sh.effect(WriteFile, "create", sh.path(p))
	}
}

func truncate(sh *shell, c command) {
	o := parseOptions(c.args, "s r o l size reference offset length")
	if c.name == "truncate" && len(o.flags) == 0 { // the program wants a size: a statement is meant
		sh.typedSQL(c)
		return
	}
	for _, p := range o.pos {
		if f := sh.path(p); strings.HasSuffix(f, everyFile) { // what every file of a tree held is gone
			sh.effect(DeleteTree, "find", strings.TrimSuffix(f, everyFile))
			continue
		}
		sh.effect(WriteFile, "truncate", sh.path(p))
	}
}

func archive(sh *shell, c command) {
	if strings.Contains(c.name, "tar") && len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
		c.args = append([]string{"-" + c.args[0]}, c.args[1:]...) // tar czf
	}
	values := "f C X T directory"
	if c.name == "zip" {
		values = "b t n x i TT"
	}
	o := parseOptions(c.args, values+" directory file exclude to-command use-compress-program checkpoint-action info-script new-volume-script unzip-command rsh-command I S")
	if code, ok := o.get("TT", "unzip-command", "rsh-command"); ok {
		sh.run(code, nil)
	}
	if code, ok := o.get("to-command", "use-compress-program", "info-script", "new-volume-script", "I"); ok && strings.Contains(c.name, "tar") {
		sh.run(code, nil)
	}
	if code, ok := o.get("checkpoint-action"); ok {
		if _, run, ok := strings.Cut(code, "exec="); ok {
			sh.run(run, nil)
		}
	}
	if o.exact("remove-files") || c.name == "zip" && o.short('m') || containsString(c.args, "-sdel") {
		for _, p := range o.pos {
			sh.effect(DeleteTree, "", sh.path(p))
		}
		return
	}
	if dir, ok := o.get("C", "directory"); ok && (o.short('x') || o.has("extract") || strings.HasPrefix(o.at(0), "x")) {
		sh.effect(WriteFile, "unpack", sh.path(dir))
	}
	if o.short('x') && strings.Contains(c.name, "tar") && !within(sh.place.cwd, sh.u.ctx.Project) && len(o.all("C", "directory")) == 0 {
		sh.effect(WriteFile, "unpack", sh.place.cwd)
	}
	into, _ := o.get("f", "file")
	switch c.name {
	case "zip":
		into = o.at(0)
	case "7z", "7za":
		into = o.at(1)
	}
	for _, p := range o.pos {
		if f := sh.path(p); sh.isOwn(f) {
			sh.read(p)
		}
		if p != into && strings.ContainsRune(sh.fileText(p), holeSecret) {
			sh.print(sh.read(p))
			sh.remember(sh.path(into), unknownSecret)
		}
	}
	sh.print(unknown)
}

func unpack(sh *shell, c command) {
	o := parseOptions(c.args, "d x P")
	if dir, ok := o.get("d"); ok {
		sh.effect(WriteFile, "unpack", sh.path(dir))
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
		if oneOf(name, "-name -iname -path") {
			f.names = append(f.names, strings.ReplaceAll(arg, "*", unknown))
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
		return strings.HasPrefix(arg, "19") || strings.HasPrefix(arg, "@0")
	}
	return oneOf(name+arg, "-mtime-0 -size+0 -size+0c -size-0 -mmin+0")
}

// or begins another alternative.
func (f *findTests) or() {
	f.wide = f.wide || !f.narrowed
	f.narrowed = false
}

// find walks roots; -delete and -exec act on what its tests let through.
func find(sh *shell, c command) {
	roots, expr := findRoots(c.args)
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
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-size", "-newer", "-newermt", "-user", "-group", "-perm", "-inum", "-samefile", "-lname":
			tests.test(expr[i], arg)
			i++
		case "-empty":
			tests.test(expr[i], "yes")
		case "-type", "-maxdepth", "-mindepth", "-fstype", "-printf":
			tests.negated = false
			i++
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if arg != "" {
				sh.write(arg)
			}
			i++
		case "-delete":
			sh.findDeletes(roots, tests.narrow(), tests.names)
		case "-exec", "-execdir", "-ok", "-okdir":
			i = sh.findExec(roots, tests.narrow(), tests.names, expr, i)
		}
	}
	for _, r := range roots {
		if !tests.narrow() {
			r = strings.TrimSuffix(r, "/") + everyFile
		}
		sh.print(foundPath(r, tests.narrow(), tests.names) + "\n")
	}
}

// everyFile is what an unnarrowed find yields below its root.
const everyFile = "/**"

func findRoots(args []string) (roots, expr []string) {
	for len(args) > 0 && oneOf(args[0], "-H -L -P -E -X -d -s -x -O1 -O2 -O3 -D") {
		args = args[1:]
	}
	for i, a := range args {
		if strings.HasPrefix(a, "-") || a == "(" || a == "!" {
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
	name := unknown
	if len(names) == 1 && (!hasHole(names[0]) || secretPath(names[0], "") || strings.Contains(names[0], ".git/")) {
		name = unknown + "/" + names[0]
	}
	return strings.TrimSuffix(root, "/") + "/" + name
}

// nearest is the path of an exact name right below a root, or "".
func nearest(root string, names []string) string {
	if len(names) != 1 || hasHole(names[0]) || hasGlob(names[0]) || strings.Contains(names[0], "/") {
		return ""
	}
	return strings.TrimSuffix(root, "/") + "/" + names[0]
}

func (sh *shell) findDeletes(roots []string, narrowed bool, names []string) {
	for _, r := range roots {
		kind := DeleteTree
		if narrowed {
			kind = DeleteFile
		}
		found := foundPath(r, narrowed, names)
		target := sh.path(found)
		if strings.HasSuffix(found, "/") && target != "/" {
			target += "/" // find follows the link that its root is
		}
		sh.effect(kind, "find", target)
		if p := nearest(r, names); p != "" {
			sh.effect(kind, "find", sh.path(p))
		}
	}
}

func (sh *shell) findExec(roots []string, narrowed bool, names, expr []string, i int) int {
	end := i + 1
	for end < len(expr) && expr[end] != ";" && !(expr[end] == "+" && expr[end-1] == "{}") {
		end++
	}
	argv := expr[i+1 : end]
	for n, r := range roots {
		if n == maxCombinations {
			break
		}
		out := replaceAll(argv, "{}", foundPath(r, narrowed, names))
		if len(out) > 0 && oneOf(programName(out[0]), "rm unlink shred") && !narrowed {
			sh.findRemoves(out)
			continue
		}
		if len(out) > 0 && !narrowed && oneOf(programName(out[0]), "truncate gtruncate") {
			out = replaceAll(argv, "{}", strings.TrimSuffix(r, "/")+everyFile)
		}
		if len(out) > 1 && !narrowed && oneOf(programName(out[0]), "chmod chown chgrp setfacl") {
			out = append([]string{out[0], "-R"}, out[1:]...) // one by one it comes to the same
		}
		sh.exec(out, nil)
		if p := nearest(r, names); p != "" {
			sh.exec(replaceAll(argv, "{}", p), nil)
		}
	}
	return end
}

// findRemoves handles "-exec rm -f {}": without -r each file goes, which for
// an unnarrowed find is the whole tree.
func (sh *shell) findRemoves(argv []string) {
	for _, p := range parseOptions(argv[1:], "").pos {
		sh.effect(DeleteTree, "find", sh.path(p))
	}
}

func fd(sh *shell, c command) {
	o := parseOptions(c.args, "e E t d x X extension exclude type max-depth min-depth exec exec-batch size changed-within changed-before owner base-directory")
	for i, a := range c.args {
		if !oneOf(a, "-x -X --exec --exec-batch") || i+1 == len(c.args) {
			continue
		}
		argv := c.args[i+1:]
		before := parseOptions(c.args[:i], "e E t d extension exclude type max-depth size")
		narrowed := before.exact("e", "extension") || strings.Trim(before.at(0), ".*") != ""
		root := "."
		if len(before.pos) > 1 {
			root = before.pos[1]
		}
		target := foundPath(root, narrowed, nil)
		if !strings.Contains(strings.Join(argv, " "), "{") {
			argv = append(append([]string{}, argv...), target)
		}
		sh.exec(replaceAll(argv, "{}", target), nil)
		return
	}
	sh.print(foundPath(".", o.at(0) != "", nil))
}
