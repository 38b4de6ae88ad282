package shell

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"mvdan.cc/sh/v3/syntax"
)

// aliases are the second names that a call itself creates: for variables, for
// directories, and for the input of a process.
type aliases struct {
	refs  map[string]string // from a nameref to the variable that it names
	links []symlink
	moves []move
	// constant holds the readonly variables. A later assignment fails or is in another
	// scope, so both values are possible.
	constant map[string]bool
	Fetched  []string       // trees that came from another machine
	Unpacked []string       // folders in which an archive from another machine was unpacked
	made     map[string]int // see Makes
	// descriptors are the files that exec has opened for writing, by number.
	descriptors map[string]string
	outlets     map[string]outlet
}

type symlink struct{ path, target string }

// outlet is a command that reads the text written to its file, as in >(sh).
type outlet struct {
	src   *Source
	stmts []*syntax.Stmt
}

// MaxAliases bounds each kind of alias in one call, and the length of a chain.
const MaxAliases = 16

// refer makes name a nameref, if its target is known.
func (a *aliases) refer(name, target string) {
	if target != "" && target != name && !partial.HasHole(target) {
		putFew(&a.refs, name, target)
	}
}

// named returns the variable that a name refers to, through all namerefs.
func (a *aliases) named(name string) string {
	for range a.refs {
		target, ok := a.refs[name]
		if !ok {
			break
		}
		name = target
	}
	return name
}

// Links remembers a symbolic link at to that points to from. If to may be a
// directory, the link lies in it.
func (sh *Shell) Links(from, to string) {
	if to == "" || len(sh.Eval.links) >= MaxAliases {
		return
	}
	path := sh.Path(to)
	switch {
	case strings.HasSuffix(to, "/"),
		fspath.Within(sh.Place.Cwd, path),
		fspath.Within(fspath.Slashed(sh.Eval.Site.Project), path): // a directory
	default:
		sh.linked(path, from)
	}
	sh.linked(path+"/"+fspath.Base(strings.TrimSuffix(from, "/")), from)
}

// linked remembers one symbolic link, if both of its paths are known.
func (sh *Shell) linked(path, from string) {
	target := fspath.Join(fspath.Dir(path), from)
	if partial.HasHole(path+target) || fspath.Within(target, path) {
		return
	}
	sh.Eval.links = append(sh.Eval.links, symlink{path: path, target: target})
}

// behindLinks returns the target of a path that leads through links of this call.
// The path of the last link itself is unchanged.
func (a *aliases) behindLinks(path string) string {
	for range a.links {
		for _, l := range a.links {
			if below, ok := strings.CutPrefix(path, l.path+"/"); ok {
				path = strings.TrimSuffix(l.target, "/") + "/" + below
				break
			}
		}
	}
	return path
}

// opens notes that a descriptor writes to a file. The standard output and the errors
// go back to the caller after one command.
func (a *aliases) opens(descriptor, path string) {
	if !lex.OneOf(descriptor, "1 2") {
		putFew(&a.descriptors, descriptor, path)
	}
}

// coprocess starts a command that reads what later commands write to it, and whose output they read. The name of
// the coprocess is an array of its two descriptors.
func (sh *Shell) coprocess(c *syntax.CoprocClause, in *string) {
	sh.stmt(c.Stmt, in)
	name := "COPROC"
	if c.Name != nil {
		name = lex.First(sh.text(c.Name))
	}
	to, from := strconv.Itoa(100+len(sh.Eval.outlets)), strconv.Itoa(200+len(sh.Eval.outlets))
	path := "/dev/fd/" + to
	putFew(&sh.Eval.outlets, path, outlet{src: sh.Src, stmts: []*syntax.Stmt{c.Stmt}})
	sh.Eval.opens(to, path)
	sh.Remember("/dev/fd/"+from, partial.Unknown)
	code := sh.Src.cut(c.Stmt.Pos().Offset(), c.Stmt.End().Offset())
	if lex.ContainsAny(strings.Fields(code), socketClients) {
		sh.Remember("/dev/fd/"+from, partial.UnknownNetwork)
	}
	sh.Assign(name, expand.Value{from + string(partial.SplitMark) + to})
}

// socketClients connect the standard input and output with another machine.
const socketClients = "nc ncat netcat openssl socat telnet"

// IsStdin reports whether a path stands for the standard input.
func IsStdin(path string) bool {
	return lex.OneOf(path, "/dev/stdin /dev/fd/0 /proc/self/fd/0")
}

// flow runs the command that reads the text written to path, if there is one.
func (sh *Shell) flow(path, text string) {
	o, ok := sh.Eval.outlets[path]
	if !ok {
		return
	}
	child := sh.Sub()
	child.Src = o.src
	child.stmts(o.stmts, &text)
}

// fromDescriptor returns the input that <&3 reads, or stdin for any other
// redirection.
func (sh *Shell) fromDescriptor(r *syntax.Redirect, stdin *string) *string {
	if r.Word == nil || r.N != nil && r.N.Value != "0" {
		return stdin
	}
	if text, ok := sh.Files["/dev/fd/"+lex.First(sh.text(r.Word))]; ok {
		return &text
	}
	return stdin
}

// BringsFrom remembers the files that a copy fetches from another machine.
func (sh *Shell) BringsFrom(from, to string) {
	if !IsRemotePath(from) || IsRemotePath(to) {
		return
	}
	path := sh.Path(to)
	sh.Remember(path, partial.UnknownNetwork)
	_, file, _ := strings.Cut(from, ":")
	base := fspath.Base(strings.TrimSuffix(file, "/"))
	if base == "" {
		return
	}
	inside := strings.TrimSuffix(path, "/") + "/" + base
	sh.Remember(inside, partial.UnknownNetwork)
	if strings.Contains(base, ".") { // mostly a file
		return
	}
	sh.Fetches(inside)
	if !fspath.Within(sh.Place.Cwd, path) {
		sh.Fetches(path)
	}
}

// Fetches remembers a tree that comes from another machine.
func (sh *Shell) Fetches(tree string) {
	if len(sh.Eval.Fetched) < MaxAliases {
		sh.Eval.Fetched = append(sh.Eval.Fetched, tree)
	}
}

// Makes remembers that this call makes something of a kind, under a name that was free until then.
func (sh *Shell) Makes(kind, name string) {
	key := sh.Place.Away + " " + kind + " " + name
	if _, known := sh.Eval.made[key]; known || name == "" {
		return
	}
	put(&sh.Eval.made, key, len(sh.Eval.Effects))
}

// Made reports whether this call made what has the name.
func (sh *Shell) Made(kind, name string) bool { return sh.MadeBefore(kind, name, len(sh.Eval.Effects)) }

// MadeBefore is Made for the time before the n-th effect.
func (sh *Shell) MadeBefore(kind, name string, n int) bool {
	at, made := sh.Eval.made[sh.Place.Away+" "+kind+" "+name]
	return made && at <= n
}

// MakesTree remembers a directory that this call makes. One that is on the disk, or that holds the
// project, is not remembered.
func (sh *Shell) MakesTree(dir string) {
	if !sh.Lists(dir) && !fspath.Within(sh.Eval.Site.Project, dir) {
		sh.Makes("tree", dir)
	}
}

// InMade reports whether this call made a path, or a directory above it.
func (sh *Shell) InMade(path string) bool {
	for ; len(path) > 1; path = fspath.Dir(path) {
		if sh.Made("tree", path) {
			return true
		}
	}
	return false
}

// Brings reports whether Brought may have a text for any name.
func (sh *Shell) Brings() bool { return sh.stdin != nil || len(sh.Files)+len(sh.Eval.Fetched) > 0 }

// Brought returns the text of a file that this call wrote or fetched.
func (sh *Shell) Brought(name string) (string, bool) {
	path := sh.Path(strings.Replace(name, "/proc/self/fd/", "/dev/fd/", 1))
	if text, ok := sh.Files[path]; ok {
		return text, true
	}
	if sh.stdin != nil && IsStdin(path) {
		return *sh.stdin, true
	}
	for _, tree := range sh.Eval.Fetched {
		if fspath.Within(path, tree) {
			return partial.UnknownNetwork, true
		}
	}
	return "", false
}

// Unpacks remembers a folder in which files from another machine are unpacked.
func (sh *Shell) Unpacks(dir string) {
	if len(sh.Eval.Unpacked) < MaxAliases {
		sh.Eval.Unpacked = append(sh.Eval.Unpacked, sh.Path(cmp.Or(dir, ".")))
	}
}

// usualBuild are the files with which sources are built that were unpacked, which is usual.
const usualBuild = "configure Makefile makefile GNUmakefile"

// Arrived is Brought for a file that is to run. One that is not on the disk comes from the archive that
// was unpacked around it.
func (sh *Shell) Arrived(name string) (string, bool) {
	path := sh.Path(name)
	text, ok := sh.Brought(name)
	switch {
	case ok, len(sh.Eval.Unpacked) == 0, sh.Lists(path), lex.OneOf(fspath.Base(path), usualBuild):
		return text, ok
	}
	for _, folder := range sh.Eval.Unpacked {
		if fspath.Within(path, folder) {
			return partial.UnknownNetwork, true
		}
	}
	return "", false
}

// IsRemotePath reports whether a path has the form host:path or is a URL.
func IsRemotePath(p string) bool {
	host, _, ok := strings.Cut(p, ":")
	switch {
	case strings.Contains(p, "://"):
		return true
	case !ok, len(host) < 2, strings.Contains(host, "/"): // one letter is a drive
		return false
	}
	return !partial.HasHole(host[:1])
}
