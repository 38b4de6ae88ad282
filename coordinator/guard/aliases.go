package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// aliases are the second names that a call itself makes: for variables, for
// directories, for what a process reads.
type aliases struct {
	refs    map[string]string // a nameref, and the variable that it names
	links   []symlink
	fetched []string // trees that came from another machine
	outlets map[string]outlet
}

type symlink struct{ path, target string }

// outlet is a command that reads what is written to its file: >(sh).
type outlet struct {
	src   *source
	stmts []*syntax.Stmt
}

// maxAliases bounds each kind of alias in one call, and a chain of them.
const maxAliases = 16

// refer makes name a nameref.
func (a *aliases) refer(name, target string) {
	if target == "" || hasHole(target) || target == name || len(a.refs) == maxAliases {
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
		if a.Name == nil && a.Value != nil && isClusterWith(a.Value.Lit(), 'n') {
			return c.Variant.Value != "export"
		}
	}
	return c.Variant.Value == "nameref"
}

// links remembers a symbolic link. Where the destination may be a directory,
// the link may lie in it.
func (sh *shell) links(from, to string) {
	if to == "" || len(sh.u.links) >= maxAliases {
		return
	}
	path := sh.path(to)
	directory := strings.HasSuffix(to, "/") || within(sh.place.cwd, path) || within(slashed(sh.u.ctx.Project), path)
	if !directory {
		sh.linked(path, from)
	}
	sh.linked(path+"/"+baseName(strings.TrimSuffix(from, "/")), from)
}

func (sh *shell) linked(path, from string) {
	target := joinPath(dirName(path), from)
	if hasHole(path) || hasHole(target) || within(target, path) {
		return
	}
	sh.u.links = append(sh.u.links, symlink{path, target})
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
	if len(a.outlets) < maxAliases {
		a.outlets[name] = o
	}
}

// flow runs the command that reads what is written to path, if there is one.
func (sh *shell) flow(path, text string) {
	o, ok := sh.u.outlets[path]
	if !ok {
		return
	}
	child := sh.sub()
	child.src = o.src
	child.stmts(o.stmts, &text)
}

// onDescriptor keeps what a redirection such as 3<file brings in under the name
// of its descriptor; it is false of the standard input.
func (sh *shell) onDescriptor(r *syntax.Redirect, in *string) bool {
	if r.N == nil || r.N.Value == "0" || in == nil {
		return false
	}
	sh.remember("/dev/fd/"+r.N.Value, *in)
	return true
}

// fromDescriptor is the input that <&3 takes over.
func (sh *shell) fromDescriptor(r *syntax.Redirect, stdin *string) *string {
	if r.Word == nil || r.N != nil && r.N.Value != "0" {
		return stdin
	}
	if text, ok := sh.files["/dev/fd/"+first(sh.text(r.Word))]; ok {
		return &text
	}
	return stdin
}

// bringsFrom remembers what a copy brings from another machine.
func (sh *shell) bringsFrom(from, to string) {
	if !isRemotePath(from) || isRemotePath(to) {
		return
	}
	path := sh.path(to)
	sh.remember(path, unknownNetwork)
	_, file, _ := strings.Cut(from, ":")
	if base := baseName(strings.TrimSuffix(file, "/")); base != "" {
		sh.remember(strings.TrimSuffix(path, "/")+"/"+base, unknownNetwork)
	}
}

// cloned remembers the tree that "git clone" makes.
func (sh *shell) cloned(args []string) {
	o := parseOptions(args, "b branch depth o origin reference c config j jobs filter u upload-pack separate-git-dir template")
	url, dir := o.at(0), o.at(1)
	if !isRemotePath(url) || len(sh.u.fetched) >= maxAliases {
		return
	}
	if dir == "" {
		dir = strings.TrimSuffix(baseName(strings.TrimSuffix(url, "/")), ".git")
	}
	sh.u.fetched = append(sh.u.fetched, sh.path(dir))
}

// brought is the text of a program that this call wrote or fetched.
func (sh *shell) brought(name string) (string, bool) {
	path := sh.path(strings.Replace(name, "/proc/self/fd/", "/dev/fd/", 1))
	if text, ok := sh.files[path]; ok {
		return text, true
	}
	for _, tree := range sh.u.fetched {
		if within(path, tree) {
			return unknownNetwork, true
		}
	}
	return "", false
}

// keysLeave asks about variables named like secrets in what is sent to a host. A
// header is no such part: there a token belongs.
func (sh *shell) keysLeave(parts []string, host string) {
	if localHost(host) || apiHost(host) {
		return
	}
	for _, p := range parts {
		if strings.ContainsRune(p, holeKey) {
			sh.possible(SendOut, "secret", host)
			return
		}
	}
}

// apiHost is true of a service that names itself an API: a key belongs there, in
// whatever part of the request the service wants it.
func apiHost(url string) bool {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.HasPrefix(url, "api.")
}

// localHost is true of an address on this machine.
func localHost(url string) bool {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	for _, name := range [...]string{"localhost", "127.", "0.0.0.0", "[::1]"} {
		if strings.HasPrefix(url, name) {
			return true
		}
	}
	return false
}
