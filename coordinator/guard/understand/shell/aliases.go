package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// aliases are the second names that a call itself creates: for variables, for
// directories, and for the input of a process.
type aliases struct {
	refs    map[string]string // from a nameref to the variable that it names
	links   []symlink
	Fetched []string // trees that came from another machine
	outlets map[string]outlet
}

type symlink struct{ path, target string }

// outlet is a command that reads the text written to its file, as in >(sh).
type outlet struct {
	src   *Source
	stmts []*syntax.Stmt
}

// MaxAliases bounds each kind of alias in one call, and the length of a chain.
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

// makesReferences reports whether a clause is a form of "declare -n".
func makesReferences(c *syntax.DeclClause) bool {
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil && lex.IsClusterWith(a.Value.Lit(), 'n') {
			return c.Variant.Value != "export"
		}
	}
	return c.Variant.Value == "nameref"
}

// Links remembers a symbolic link at to that points to from. If to may be a
// directory, the link lies in it.
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

// linked remembers one symbolic link, if both of its paths are known.
func (sh *Shell) linked(path, from string) {
	target := fspath.Join(fspath.Dir(path), from)
	if partial.HasHole(path) || partial.HasHole(target) || fspath.Within(target, path) {
		return
	}
	sh.Eval.links = append(sh.Eval.links, symlink{path: path, target: target})
}

// behindLinks returns the target of a path that leads through a link of this
// call. The path of the link itself is unchanged.
func (a *aliases) behindLinks(path string) string {
	for _, l := range a.links {
		if below, ok := strings.CutPrefix(path, l.path+"/"); ok {
			return strings.TrimSuffix(l.target, "/") + "/" + below
		}
	}
	return path
}

// open makes the file of that name an outlet.
func (a *aliases) open(name string, o outlet) {
	if a.outlets == nil {
		a.outlets = map[string]outlet{}
	}
	if len(a.outlets) < MaxAliases {
		a.outlets[name] = o
	}
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

// onDescriptor stores the input of a redirection such as 3<file under the name of
// its descriptor. It returns false for the standard input.
func (sh *Shell) onDescriptor(r *syntax.Redirect, in *string) bool {
	if r.N == nil || r.N.Value == "0" || in == nil {
		return false
	}
	sh.Remember("/dev/fd/"+r.N.Value, *in)
	return true
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
	if base := fspath.Base(strings.TrimSuffix(file, "/")); base != "" {
		sh.Remember(strings.TrimSuffix(path, "/")+"/"+base, partial.UnknownNetwork)
	}
}

// Brought returns the text of a file that this call wrote or fetched.
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

// IsRemotePath reports whether a path has the form host:path or is a URL.
func IsRemotePath(p string) bool {
	i := strings.IndexByte(p, ':')
	return i > 1 && !strings.Contains(p[:i], "/") && !partial.HasHole(p[:1]) || strings.Contains(p, "://")
}
