package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// aliases are the second names that a call itself makes: for variables, for
// directories, for what a process reads.
type aliases struct {
	refs    map[string]string // a nameref, and the variable that it names
	links   []symlink
	Fetched []string // trees that came from another machine
	outlets map[string]outlet
}

type symlink struct{ path, target string }

// outlet is a command that reads what is written to its file: >(sh).
type outlet struct {
	src   *Source
	stmts []*syntax.Stmt
}

// MaxAliases bounds each kind of alias in one call, and a chain of them.
const MaxAliases = 16

// refer makes name a nameref.
func (a *aliases) refer(name, target string) {
	if target == "" || partial.HasHole(target) || target == name || len(a.refs) == MaxAliases {
		return
	}
	if a.refs == nil {
		a.refs = map[string]string{}
	}
	a.refs[name] = target
}

// named is the variable that a name stands for.
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

// makesReferences is true of "declare -n" in each of its forms.
func makesReferences(c *syntax.DeclClause) bool {
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil && lex.IsClusterWith(a.Value.Lit(), 'n') {
			return c.Variant.Value != "export"
		}
	}
	return c.Variant.Value == "nameref"
}

// Links remembers a symbolic link. Where the destination may be a directory,
// the link may lie in it.
func (sh *Shell) Links(from, to string) {
	if to == "" || len(sh.Eval.links) >= MaxAliases {
		return
	}
	path := sh.Path(to)
	directory := strings.HasSuffix(to, "/") || fspath.Within(sh.Place.Cwd, path) ||
		fspath.Within(fspath.Slashed(sh.Eval.Site.Project), path)
	if !directory {
		sh.linked(path, from)
	}
	sh.linked(path+"/"+fspath.Base(strings.TrimSuffix(from, "/")), from)
}

func (sh *Shell) linked(path, from string) {
	target := fspath.Join(fspath.Dir(path), from)
	if partial.HasHole(path) || partial.HasHole(target) || fspath.Within(target, path) {
		return
	}
	sh.Eval.links = append(sh.Eval.links, symlink{path: path, target: target})
}

// behindLinks is the path that is reached through a link of this call. The link
// itself stays where it is.
func (a *aliases) behindLinks(path string) string {
	for _, l := range a.links {
		if below, ok := strings.CutPrefix(path, l.path+"/"); ok {
			return strings.TrimSuffix(l.target, "/") + "/" + below
		}
	}
	return path
}

// open makes the file name an outlet.
func (a *aliases) open(name string, o outlet) {
	if a.outlets == nil {
		a.outlets = map[string]outlet{}
	}
	if len(a.outlets) < MaxAliases {
		a.outlets[name] = o
	}
}

// flow runs the command that reads what is written to path, if there is one.
func (sh *Shell) flow(path, text string) {
	o, ok := sh.Eval.outlets[path]
	if !ok {
		return
	}
	child := sh.Sub()
	child.Src = o.src
	child.stmts(o.stmts, &text)
}

// onDescriptor keeps what a redirection such as 3<file brings in under the name
// of its descriptor; it is false of the standard input.
func (sh *Shell) onDescriptor(r *syntax.Redirect, in *string) bool {
	if r.N == nil || r.N.Value == "0" || in == nil {
		return false
	}
	sh.Remember("/dev/fd/"+r.N.Value, *in)
	return true
}

// fromDescriptor is the input that <&3 takes over.
func (sh *Shell) fromDescriptor(r *syntax.Redirect, stdin *string) *string {
	if r.Word == nil || r.N != nil && r.N.Value != "0" {
		return stdin
	}
	if text, ok := sh.Files["/dev/fd/"+lex.First(sh.text(r.Word))]; ok {
		return &text
	}
	return stdin
}

// BringsFrom remembers what a copy brings from another machine.
func (sh *Shell) BringsFrom(from, to string) {
	if !IsRemotePath(from) || IsRemotePath(to) {
		return
	}
	path := sh.Path(to)
	sh.Remember(path, partial.UnknownNetwork)
	_, file, _ := strings.Cut(from, ":")
	if base := fspath.Base(strings.TrimSuffix(file, "/")); base != "" {
		sh.Remember(strings.TrimSuffix(path, "/")+"/"+base, partial.UnknownNetwork)
	}
}

// Brought is the text of a program that this call wrote or fetched.
func (sh *Shell) Brought(name string) (string, bool) {
	path := sh.Path(strings.Replace(name, "/proc/self/fd/", "/dev/fd/", 1))
	if text, ok := sh.Files[path]; ok {
		return text, true
	}
	for _, tree := range sh.Eval.Fetched {
		if fspath.Within(path, tree) {
			return partial.UnknownNetwork, true
		}
	}
	return "", false
}

func IsRemotePath(p string) bool {
	i := strings.IndexByte(p, ':')
	return i > 1 && !strings.Contains(p[:i], "/") && !partial.HasHole(p[:1]) || strings.Contains(p, "://")
}
