package judge

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// region is the kind of place that a path lies in. The regions are ordered from
// the most to the least guarded, which is the order in which they are tested.
type region uint16

const inNowhere region = 0 // the place of the path cannot be found

const (
	inOwn       region = 1 << iota // Afar's own files
	inHost                         // the host's settings and plugins
	inDevice                       // a disk
	inRoot                         // the root, or a system directory itself
	inHome                         // a home directory itself, or a directory that holds homes
	inRepo                         // a .git directory, or an essential part of one
	inProject                      // below the project
	inWhole                        // the project itself, or a directory that holds it
	inKeys                         // a directory of keys in the home
	inTemp                         // below a temp directory
	inTempRoot                     // a temp directory itself
	inSystem                       // below a system directory
	inElsewhere                    // known, and none of the above
	inOpen                         // begins with something unknown
	inTask                         // the folder of another task
)

// judging holds the facts that are looked up once per call.
type judging struct {
	ctx      *Context
	self     bool // the rules that protect the program which runs the guard hold
	home     string
	project  string
	own      []string // see ownPaths
	task     *string  // the name of the task that the session works on, see worksOn
	resolved map[string]string
	git      map[string]GitFacts
	kept     map[string]bool // files that were asked about, see isKept
	rows     map[effect.Kind][]*policy
	at       region // of the effect that is judged; inNowhere until it is needed
	silenced []Silenced
	history  history
	targets  map[int]pathPattern // the targets of the effects that are cut so far, by index
}

func newJudging(ctx *Context) *judging {
	return &judging{
		ctx:      ctx,
		self:     slices.ContainsFunc(ctx.Amendments, func(a Amendment) bool { return a.Self }),
		home:     fspath.Slashed(cmp.Or(ctx.Home, ctx.Env["HOME"])),
		project:  fspath.Slashed(cmp.Or(ctx.Project, ctx.Cwd)),
		resolved: map[string]string{},
		git:      map[string]GitFacts{},
		kept:     map[string]bool{},
		rows:     map[effect.Kind][]*policy{},
		targets:  map[int]pathPattern{},
	}
}

// maxResolved bounds the paths that are resolved in one call.
const maxResolved = 64

// real resolves the symlinks of a path, at most maxResolved times per call.
func (j *judging) real(p string) string {
	if j.ctx.Resolve == nil || !wholePath(p) {
		return p
	}
	return cmp.Or(remembered(j.resolved, p, maxResolved, j.ctx.Resolve), p)
}

// wholePath reports whether a path is absolute, and all of it is known.
func wholePath(p string) bool { return strings.HasPrefix(p, "/") && !partial.HasHole(p) }

// remembered returns what ask says of a key. It asks about at most most keys, and about each
// once. For any other key it returns the zero value.
func remembered[V any](known map[string]V, key string, most int, ask func(string) V) V {
	v, ok := known[key]
	if !ok && len(known) < most {
		v = ask(key)
		known[key] = v
	}
	return v
}

// maxRepositories bounds the repositories that git is asked about in one call.
const maxRepositories = 8

func (j *judging) facts(dir string) GitFacts {
	if j.ctx.Git == nil || !wholePath(dir) {
		return GitFacts{}
	}
	return remembered(j.git, dir, maxRepositories, j.ctx.Git)
}

// where returns the region of an effect's target. It looks at the target as written and with its
// symlinks resolved. The resolved one counts, unless the written one is guarded more than a project.
func (j *judging) where(e *effect.Effect) region {
	if j.at == inNowhere {
		j.at = j.find(e)
	}
	return j.at
}

// inSamePlace reports whether an effect is where the effect before it is. A long call often
// does the same many times.
func (j *judging) inSamePlace(e *effect.Effect) bool {
	if j.history.at == 0 {
		return false
	}
	before := &j.history.effects[j.history.at-1]
	return before.Target == e.Target && before.Kind == e.Kind && before.Away == e.Away
}

// find is where without its memory.
func (j *judging) find(e *effect.Effect) region {
	p := e.Target
	base, everything := fspath.GlobBase(strings.TrimSuffix(p, "/"))
	base = cmp.Or(base, "/")
	if fspath.HasGlob(p) && !everything {
		base += "/" + dotMatch(p, base)
	}
	base = strings.ReplaceAll(base, "//", "/")
	sweeping := everything || sweeps(e.Kind)
	if e.Away != "" {
		return j.placeAway(base)
	}
	if fspath.HasGlob(p) && j.namesPolicy(p) {
		return inOwn
	}
	a := j.place(base, sweeping)
	if j.ctx.Resolve == nil {
		return a
	}
	b := a
	if real := j.realTarget(base, p); real != base {
		b = j.place(real, sweeping)
	}
	if e.Kind == effect.WriteFile && wholePath(p) {
		if r := j.guarded(j.real(p), false); r != inNowhere { // a write goes where the link leads
			b = r
		}
	}
	if inNowhere < a && a < inProject {
		return a
	}
	return b
}

// dotMatch returns a path below base that the pattern p may match. If the first
// pattern begins with a dot or a bracket, it prefers a guarded name; otherwise
// that part is a hole.
func dotMatch(p, base string) string {
	rest := strings.TrimPrefix(p[min(len(base), len(p)):], "/")
	pattern, tail, _ := strings.Cut(rest, "/")
	match := partial.Unknown
	if lex.BeginsWith(pattern, ". [") {
		for _, name := range [...]string{".git", ".claude", protected.SwitchOff, ".ssh", ".aws", ".gnupg"} {
			if ok, _ := path.Match(pattern, name); ok {
				match = name
				break
			}
		}
	}
	return strings.TrimSuffix(match+"/"+tail, "/")
}

// realTarget resolves the directory of a path. It resolves the last part only if
// the effect follows a link there: deleting a link does not delete its target.
func (j *judging) realTarget(base, full string) string {
	switch {
	case strings.HasSuffix(full, "/"), fspath.HasGlob(full):
		return j.real(base)
	case base == "/":
		return base
	}
	return strings.TrimSuffix(j.real(fspath.Dir(base)), "/") + "/" + fspath.Base(base)
}

// sweeps reports whether effects of a kind reach everything below their target.
func sweeps(k effect.Kind) bool {
	switch k {
	case effect.DeleteTree, effect.MoveAway, effect.ChangeMode, effect.DeleteCopies:
		return true
	}
	return false
}

func (j *judging) place(p string, sweeping bool) region {
	if r := j.guarded(p, sweeping); r != inNowhere {
		return r
	}
	if p == "" || partial.HasHole(p[:1]) {
		return inOpen
	}
	bare := cmp.Or(strings.TrimSuffix(p, "/"+partial.Unknown), "/")
	switch {
	case fspath.IsDevice(p):
		return inDevice
	case bare == "/", lex.OneOf(p, fspath.SystemDirs), fspath.IsDriveDir(p), strings.HasPrefix(p, "/"+partial.Unknown):
		return inRoot
	case j.isHome(p), j.isHome(bare):
		return inHome
	}
	if r := j.inTree(p, bare); r != inNowhere {
		return r
	}
	return j.outside(p)
}

// guarded returns inOwn for Afar's own files, inTask for those of another task,
// inHost for the host's, and inNowhere for all others. With sweeping, a directory
// that holds Afar's files counts too.
func (j *judging) guarded(p string, sweeping bool) region {
	r := j.ours(p, sweeping)
	switch {
	case r != inNowhere:
		return r
	case protected.GuardedName(p):
		return inOwn
	case protected.HostPath(p, j.home, j.ctx.Env):
		return inHost
	}
	return inNowhere
}

// ours returns the region of a path in Afar's own directories. It is inNowhere for any
// other path, and in the folder of the task that the session works on.
func (j *judging) ours(p string, sweeping bool) region {
	for _, path := range j.ownPaths() {
		switch {
		case fspath.Within(p, path):
			return j.inWorkspace(p)
		case sweeping && fspath.Within(path, p) && j.holdsLittle(p):
			return inOwn
		}
	}
	return inNowhere
}

// ownPaths returns Afar's own paths, as given and with their symbolic links resolved.
func (j *judging) ownPaths() []string {
	if j.own == nil {
		j.own = make([]string, 0, 2*len(j.ctx.Own))
		own := j.ctx.Own
		if j.ctx.Programs != nil {
			own = append(slices.Clip(own), j.ctx.Programs()...)
		}
		for _, path := range own {
			path = fspath.Slashed(path)
			j.own = append(j.own, path)
			if real := j.real(path); real != path {
				j.own = append(j.own, real)
			}
		}
	}
	return j.own
}

// holdsLittle reports whether a directory is none that holds a home or the project, which other
// regions guard.
func (j *judging) holdsLittle(dir string) bool {
	return dir != "/" && !j.isHome(dir) && !fspath.Within(j.project, dir)
}

func (j *judging) isHome(p string) bool {
	switch {
	case lex.OneOf(p, "~ /home /Users /root"), fspath.Within(j.home, p), fspath.IsProfile(p):
		return true
	}
	return lex.OneOf(fspath.Dir(p), "/home /Users")
}

// inTree returns the region of a path in the project or a repository, and
// inNowhere for any other path.
func (j *judging) inTree(p, bare string) region {
	top, inside, ok := strings.Cut("/"+p+"/", "/.git/")
	if ok && repoPart(inside) && (fspath.Within(p, j.project) || j.outside(top[1:]+"/") != inTemp) {
		return inRepo
	}
	for _, root := range [...]string{j.project, j.real(j.project)} {
		switch {
		case root == "/", j.isHome(root):
		case p == root, bare == p && fspath.Within(root, p):
			return inWhole
		case fspath.Within(p, root):
			return inProject
		}
	}
	return inNowhere
}

// repoPart reports whether a part of .git is needed to keep commits, or runs
// code. Lock files and the like are neither.
func repoPart(tail string) bool {
	head, _, _ := strings.Cut(tail, "/")
	return head == "" || partial.HasHole(head) ||
		lex.OneOf(head, "HEAD config hooks index info logs modules objects packed-refs refs worktrees")
}

// outside returns the region of a path outside the project.
func (j *judging) outside(p string) region {
	temps := j.ctx.Temp
	if len(temps) == 0 {
		temps = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders"}
	}
	inHome := fspath.Within(p, j.home)
	for _, t := range temps {
		t = strings.TrimSuffix(fspath.Slashed(t), "/")
		switch {
		case inHome && fspath.Within(j.home, t):
		case p == t:
			return inTempRoot
		case fspath.Within(p, t), fspath.Within(p, j.real(t)):
			return inTemp
		}
	}
	switch {
	case fspath.IsOtherTemp(p):
		return inTemp
	case inHome:
		return j.inHomeTree(p[len(j.home)+1:])
	case strings.HasPrefix(p, "~/"):
		return j.inHomeTree(p[len("~/"):])
	case inSystemDir(p):
		return inSystem
	case p[0] == '/', fspath.IsDrive(p):
		return inElsewhere
	}
	return inOpen
}

func inSystemDir(p string) bool { return fspath.WithinAny(p, fspath.SystemDirs) }

// inHomeTree returns the region of a path in a home. Directories that cannot be
// restored are inKeys.
func (j *judging) inHomeTree(rest string) region {
	head, tail, _ := strings.Cut(rest, "/")
	if tail == "" && lex.OneOf(head, ".aws .config .gnupg .kube .local .mozilla .password-store .ssh Desktop"+
		" Documents Library Mail Pictures") {
		return inKeys
	}
	return inElsewhere
}

// placeAway returns the region of a path on another machine or in a container,
// where the project and the home are not known.
func (j *judging) placeAway(p string) region {
	switch {
	case fspath.IsDevice(p):
		return inDevice
	case p == "/", p == "/"+partial.Unknown, lex.OneOf(p, fspath.SystemDirs):
		return inRoot
	case lex.OneOf(p, "~ /home /root"), p == "~/"+partial.Unknown, lex.OneOf(fspath.Dir(p), "/home /Users"):
		return inHome
	case p == "", partial.HasHole(p[:1]):
		return inOpen
	case fspath.WithinAny(p, "/tmp /var/tmp"):
		return inTemp
	case inSystemDir(p):
		return inSystem
	}
	return inElsewhere
}

// ofAfar are the files in the folder of a task that Afar writes, or from which an agent takes its
// instructions, hooks and servers; later turns read them in folders below, too. They are in lower case:
// some file systems ignore case.
const ofAfar = ".agents .claude .clinerules .codex .cursor .cursorrules .gemini .lsp.json .mcp.json .opencode" +
	" .windsurfrules agents.md agents.override.md claude.local.md claude.md copilot-instructions.md gemini.md" +
	" opencode.json opencode.jsonc qwen.md"

// inWorkspace returns the region of a path in one of Afar's directories.
func (j *judging) inWorkspace(p string) region {
	slug, rest := j.inTasks(p)
	own := slug == j.worksOn()
	instructs := func(part string) bool { return lex.OneOf(part, ofAfar) }
	switch {
	case slug == "", own && slices.ContainsFunc(strings.Split(strings.ToLower(rest), "/"), instructs):
		return inOwn
	case !own:
		return inTask
	}
	return inNowhere
}

// inTasks returns the name of the task in whose folder a path lies, "" for none, and the
// path in that folder.
func (j *judging) inTasks(p string) (slug, rest string) {
	if j.ctx.Tasks == "" {
		return "", ""
	}
	tasks := fspath.Slashed(j.ctx.Tasks)
	below, ok := strings.CutPrefix(p, tasks+"/")
	if !ok {
		below, ok = strings.CutPrefix(p, j.real(tasks)+"/")
	}
	if !ok {
		return "", ""
	}
	slug, rest, _ = strings.Cut(below, "/")
	return slug, rest
}

// worksOn returns the name of the task that the session works on, "" for none. Few calls need
// it, so that it is looked up at the first one.
func (j *judging) worksOn() string {
	if j.task == nil {
		slug, _ := j.inTasks(j.project)
		if slug == "" {
			slug, _ = j.inTasks(j.real(j.project))
		}
		j.task = &slug
	}
	return *j.task
}

// outsideTask reports whether a session that works on a task changes something on this machine
// that is neither in the folder of the task nor temporary.
func outsideTask(j *judging, e *effect.Effect) bool { return e.Away == "" && j.worksOn() != "" }
