// Package judge decides about the effects of a call: it looks them up in a table of rules, knows the place of
// the call, and applies the amendments of policy files. It knows no program and no command.
package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// policy is one row of the table. It applies to the effects of its kinds for
// which its conditions hold. The first row that applies to an effect decides
// about it. The hardest verdict of all effects decides about the call.
type policy struct {
	id      string
	verdict Verdict // None ends the search with no opinion
	kind    effect.Kind
	or      []effect.Kind // more kinds
	// Each of these conditions that is set must hold.
	op ops    // the effect's Op is one of these
	in region // its target lies in one of these
	is func(*judging, *effect.Effect) bool

	self   bool // it protects the program that runs the guard: it holds only if an amendment says so
	keeps  bool // it protects what the guard stands on: a policy file cannot turn its asks off
	strict bool // it denies what is only possible, too

	why     string // for the person
	instead string // for the model
}

type ops []effect.Op

// holds reports whether the conditions of a row hold for an effect.
func (p *policy) holds(j *judging, e *effect.Effect) bool {
	switch {
	case p.op != nil && !slices.Contains(p.op, e.Op), p.in != 0 && p.in&j.where(e) == 0:
		return false
	}
	return p.is == nil || p.is(j, e)
}

// kinds returns the kinds of effect to which a row applies.
func (p *policy) kinds() []effect.Kind { return append([]effect.Kind{p.kind}, p.or...) }

// about reports whether a row applies to effects of a kind.
func (p *policy) about(k effect.Kind) bool { return p.kind == k || slices.Contains(p.or, k) }

// rule returns a row in the form that is shown to people.
func (p *policy) rule() Rule {
	return Rule{ID: p.id, Verdict: p.verdict, Why: p.why, Instead: p.instead}
}

// Decide returns the decision about a call. u is what the call would do.
func Decide(call effect.Call, u effect.Understood, ctx *Context) Decision {
	d := weigh(u.Effects, ctx)
	if slices.ContainsFunc(ctx.Amendments, func(a Amendment) bool { return len(a.Added) > 0 }) {
		d = added(d, call, u, ctx)
	}
	if d.Verdict != None && ctx.Broken != "" {
		d.Person += " (and a guard.toml is broken: only built-in rules hold)"
	}
	d.Effects, d.Steps = u.Effects, u.Root
	return d
}

// weigh judges each effect by the built-in rules and returns the hardest
// decision. Of equally hard decisions it returns the first.
func weigh(effects []effect.Effect, ctx *Context) Decision {
	j := newJudging(ctx)
	var best Decision
	var opinions []Opinion
	j.history.effects = effects
	for i := range effects {
		e := &effects[i]
		j.history.at = i
		p, verdict, from := j.rule(e)
		if ctx.Steps {
			opinions = append(opinions, opinion(p, verdict, from))
		}
		if p == nil || Harder(best.Verdict, verdict) {
			continue
		}
		best = decided(p, e)
		best.Verdict, best.From = verdict, from
		if from != "" {
			best = tightened(best)
		}
		if verdict == Deny && !ctx.Steps {
			break
		}
	}
	best.Silenced, best.Opinions = j.silenced, opinions
	return best
}

// opinion returns the opinion that a row gives; the zero Opinion if p is nil.
func opinion(p *policy, verdict Verdict, from string) Opinion {
	if p == nil {
		return Opinion{}
	}
	return Opinion{Verdict: verdict, Rule: p.id, From: from}
}

// Harder reports whether a is at least as hard as b.
func Harder(a, b Verdict) bool { return a >= b }

// decided returns the decision of a row about an effect.
func decided(p *policy, e *effect.Effect) Decision {
	person := p.why
	if p.kind != effect.Unreadable { // its target is a protected word in it
		person = withTarget(p.why, e.Target)
	}
	return Decision{
		Verdict: p.verdict,
		Rule:    p.id,
		Reason:  p.instead + standsIn(e.Code),
		Person:  person + standsIn(e.Code),
		Part:    partial.Visible(e.Part),
		Code:    e.Code,
	}
}

// tightened adds a reason to a decision whose row has none: a row that lets an
// effect pass until a policy file makes it stricter.
func tightened(d Decision) Decision {
	if d.Reason == "" {
		d.Reason = "A policy file of this project or its person forbids it: say what you need, and go on without it."
		d.Person = "Made stricter by a policy file" + d.Person
	}
	return d
}

// rule returns the row for an effect, its verdict, and the policy file that
// changed it. An effect that is only possible is asked about rather than denied,
// unless the rule protects Afar or the host's settings.
func (j *judging) rule(e *effect.Effect) (*policy, Verdict, string) {
	if !j.inSamePlace(e) {
		j.at = inNowhere
	}
	for _, p := range j.rowsOf(e.Kind) {
		if !p.holds(j, e) {
			continue
		}
		verdict, from := j.amend(p)
		if e.Sure == effect.Possible && !p.strict && !p.self {
			verdict = softened(verdict, perhaps)
		}
		if verdict == Ask && j.trusts(e, from) {
			verdict = None
		}
		return p, verdict, from
	}
	return nil, None, ""
}

// rowsOf returns the rows for a kind of effect. The effects of a long call are of few kinds.
func (j *judging) rowsOf(k effect.Kind) []*policy {
	rows, known := j.rows[k]
	if known {
		return rows
	}
	for p := range everyPolicy {
		if p.about(k) && (!p.self || j.self) {
			rows = append(rows, p)
		}
	}
	j.rows[k] = rows
	return rows
}

// Rules returns the whole policy in a stable order; the table is a copy. A rule
// with rows that ask and rows that deny is listed with the first row that denies.
func Rules() []Rule {
	var out []Rule
	at := map[string]int{}
	for p := range everyPolicy {
		i, seen := at[p.id]
		switch {
		case p.verdict == None:
		case !seen:
			at[p.id] = len(out)
			out = append(out, p.rule())
		case !Harder(out[i].Verdict, p.verdict):
			out[i] = p.rule()
		}
	}
	return out
}

// mainBranch reports whether the target is the branch that others build on. An
// empty target means the current branch.
func mainBranch(j *judging, e *effect.Effect) bool {
	facts := j.facts(e.Dir) // nothing, if they are not known
	name := cmp.Or(e.Target, j.branchFor(e))
	switch {
	case lex.OneOf(name, "main master trunk"), fspath.HasGlob(name):
		return true
	case facts.Default == "":
		return false
	}
	return name == facts.Default
}

// currentUnknown reports whether the effect names no branch and the current
// branch is not known.
func currentUnknown(j *judging, e *effect.Effect) bool {
	return e.Target == "" && j.branchFor(e) == "" && !j.facts(e.Dir).Known
}

// cleanTree reports whether the work tree is known to have no changed and no
// untracked files.
func cleanTree(j *judging, e *effect.Effect) bool { return cleanTracked(j, e) && noUntracked(j, e) }

// cleanTracked reports whether it is known that no tracked file is changed.
func cleanTracked(j *judging, e *effect.Effect) bool {
	return j.knownHere(e) && !j.facts(e.Dir).Dirty
}

// knownHere reports whether the state of the repository of an effect is known.
func (j *judging) knownHere(e *effect.Effect) bool { return e.Away == "" && j.facts(e.Dir).Known }

// noUntracked reports whether it is known that no file is untracked.
func noUntracked(j *judging, e *effect.Effect) bool {
	return j.knownHere(e) && !j.facts(e.Dir).Untracked
}

// afarProcess reports whether the target is a process of Afar, by its name or by
// a pattern that matches one of Afar's command lines.
func afarProcess(_ *judging, e *effect.Effect) bool {
	t := strings.ToLower(e.Target)
	switch {
	case protected.NamesProcess(t):
		return true
	case e.Kind != effect.KillProcess,
		slices.Contains([]effect.Op{effect.ByPID, effect.Everything, effect.Terminal}, e.Op):
		return strings.HasPrefix(t, "hook-")
	}
	t = protected.WithoutPattern(strings.TrimPrefix(t, "pid:"))
	switch {
	case t == "afar":
		return true
	case len(t) < 3, e.Op == effect.ByName && e.Via == "killall" && !strings.HasPrefix(t, "hook"): // a whole name
		return false
	}
	commands := "afar serve hook-" + strings.ReplaceAll(protected.HookEvents, " ", " hook-")
	return strings.Contains(commands, t)
}

// ownProcess reports whether the target is the shell of the call, or the last process that it started.
func ownProcess(_ *judging, e *effect.Effect) bool {
	return e.Target == partial.UnknownBenign || e.Target == "pid:own"
}

// memoryOfOther reports whether the target is the memory of another process.
func memoryOfOther(_ *judging, e *effect.Effect) bool {
	pid, ok := strings.CutSuffix(strings.TrimPrefix(e.Target, "/proc/"), "/mem")
	return ok && strings.HasPrefix(e.Target, "/proc/") && !lex.OneOf(pid, "self thread-self") && e.Away == ""
}

// merged reports whether HEAD is known to have every commit of the target branch when the effect happens.
func merged(j *judging, e *effect.Effect) bool {
	commit, _, _ := j.headFor(e)
	switch {
	case e.Op == effect.RefDelete && j.branchFor(e) == e.Target: // HEAD goes with it
		return false
	case j.ctx.Merged == nil, e.Away != "", e.Target == "", partial.HasHole(e.Target + e.Dir + commit):
		return false
	}
	return strings.HasPrefix(e.Dir, "/") && j.ctx.Merged(e.Dir, commit, e.Target)
}

// headFor returns the commit and the branch at which HEAD is when an effect happens, and whether the
// call has moved HEAD before. The commit is a hole if it is not known.
func (j *judging) headFor(e *effect.Effect) (commit, branch string, moved bool) {
	for i := range j.history.effects[:j.history.at] {
		switch m := &j.history.effects[i]; {
		case m.Kind == effect.KeepWork && lex.OneOf(string(m.Op), string(effect.Commit+" "+effect.CommitAll)):
			commit = partial.Unknown // it is not in the commits that git is asked about
		case m.Kind != effect.MoveHead || m.Dir != e.Dir:
		default:
			branch, moved = string(m.Op), true
			if m.Target != "HEAD" && commit != partial.Unknown {
				commit = m.Target
			}
		}
	}
	if !moved {
		return "HEAD", "", false
	}
	return cmp.Or(commit, "HEAD"), branch, true
}

// branchFor returns the branch at which HEAD is when an effect happens, "" if it is not known.
func (j *judging) branchFor(e *effect.Effect) string {
	if _, branch, moved := j.headFor(e); moved {
		return branch
	}
	return j.facts(e.Dir).Branch
}

// secretRead reports whether the target is a credential on this machine.
func secretRead(j *judging, e *effect.Effect) bool {
	return j.eitherHere(e, func(p string) bool { return protected.SecretPath(p, j.home) })
}

// secretElsewhere reports whether the target is a credential on another machine, or in a container
// that runs. One of a new container comes from its image.
func secretElsewhere(_ *judging, e *effect.Effect) bool {
	return (e.Away == "remote" || e.Away == effect.InRunning) && protected.SecretPath(e.Target, "~")
}

// eitherHere reports whether a test holds for the target of an effect on this machine, as written
// or with its symbolic links resolved.
func (j *judging) eitherHere(e *effect.Effect, test func(path string) bool) bool {
	switch {
	case e.Away != "":
		return false
	case test(e.Target):
		return true
	}
	real := j.real(e.Target)
	return real != e.Target && test(real)
}

// browserStore reports whether the target holds the cookies or passwords of a browser of the
// person.
func browserStore(j *judging, e *effect.Effect) bool {
	return j.eitherHere(e, func(p string) bool { return e.Op == effect.Cookies || protected.BrowserStore(p) })
}

// fleetFolder is the folder of the fleet's keys.
const fleetFolder = "fleet"

// ownSecret reports whether the target may be Afar's token, a key of the fleet, or one of its
// programs.
func ownSecret(j *judging, e *effect.Effect) bool {
	if j.where(e) != inOwn {
		return false
	}
	base := fspath.Base(e.Target)
	switch {
	case lex.OneOf(base, "telegram.token afar agent-run"), strings.HasPrefix(base, "hook-"):
		return true
	case base == fleetFolder, fspath.Base(fspath.Dir(e.Target)) == fleetFolder:
		return true
	}
	return !fspath.IsExact(base)
}

// mentionsProtected reports whether an unreadable call contains a protected word.
func mentionsProtected(_ *judging, e *effect.Effect) bool { return e.Target != "" }

// WantsSteps reports whether the tree of commands is needed to decide.
func (ctx *Context) WantsSteps() bool { return ctx.Steps || ctx.Confirm || ctx.namesCommands() }

// namesCommands reports whether a rule of a policy file is about a command.
func (ctx *Context) namesCommands() bool {
	return slices.ContainsFunc(ctx.Amendments, func(a Amendment) bool {
		return slices.ContainsFunc(a.Added, func(r AddedRule) bool { return len(r.Command) > 0 })
	})
}

// trusts reports whether an effect of a file needs no question. In a file only a known
// effect counts. A file of the project that was committed before the session is trusted
// with its effects, unless the call hands over what they depend on or a policy file made
// the rule stricter.
func (j *judging) trusts(e *effect.Effect, from string) bool {
	switch {
	case e.Code.File == "":
		return false
	case e.Op == effect.Outside && !partial.HasHole(e.Target): // a file that may have changed
		return false
	case e.Op == effect.Outside:
		return from == "" && j.isKept(e.Code.File)
	case e.Sure == effect.Possible && !j.clearsFolder(e):
		return true
	case from != "", e.Code.Given:
		return false
	}
	return j.isKept(e.Code.File)
}

// clearsFolder reports whether an effect deletes files of a folder outside the project, whose names
// alone are not known.
func (j *judging) clearsFolder(e *effect.Effect) bool {
	deletes := e.Kind == effect.DeleteFile || e.Kind == effect.DeleteTree
	first := strings.IndexAny(e.Target, partial.Holes+"*?[")
	switch {
	case !deletes, e.Away != "", first < 0:
		return false
	}
	folder := e.Target[:strings.LastIndexByte(e.Target[:first], '/')+1]
	return strings.Count(folder, "/") > 2 && !fspath.Within(folder, j.ctx.Project)
}

// maxKept bounds the files of a call that git is asked about.
const maxKept = 4

// isKept reports whether a file of the project is as in the last commit before the
// session began.
func (j *judging) isKept(file string) bool {
	return j.ctx.Kept != nil && fspath.Within(file, j.project) && remembered(j.kept, file, maxKept, j.ctx.Kept)
}

// standsIn names a line of a file at the end of a text, "" for the call itself.
func standsIn(at effect.Spot) string {
	switch {
	case at.File == "":
		return ""
	case at.Line == 0:
		return fmt.Sprintf(" (in %s)", at.File)
	}
	return fmt.Sprintf(" (line %d of %s)", at.Line, at.File)
}

// Verdict is the guard's answer. The guard never allows: silence leaves the
// decision to the host.
type Verdict string

// The three answers, from mildest to hardest. Their texts sort in that order.
const (
	None Verdict = ""
	Ask  Verdict = "ask"
	Deny Verdict = "deny"
)

// An Opinion is what the rules say about one effect. Rule can be set with the
// verdict None: that rule lets the effect pass.
type Opinion struct {
	Verdict Verdict
	Rule    string
	From    string // as in Decision
}

// Rule is one row of the policy, as `afar guard rules` prints it.
type Rule struct {
	ID      string
	Verdict Verdict
	Why     string // for the person: what is risky
	Instead string // for the model: the safe way
}

// packs names the groups of rules by the first words of the rule ids, in the order
// in which they are shown.
var packs = [...]struct{ prefixes, name string }{
	{"afar host terminal agent", "Afar and the host's guard rails"},
	{"fs disk", "Files and disks"},
	{"git", "Git"},
	{"run", "Running code"},
	{"secret data", "Secrets and data that leave"},
	{"db", "Databases"},
	{"remote local", "Clouds, clusters and hosted services"},
	{"copy", "Copies elsewhere"},
	{"publish", "Publishing"},
	{"process service machine", "Processes, services, the machine"},
	{"call", "What cannot be read"},
}

// Pack returns the name of the group that a rule belongs to.
func (r Rule) Pack() string {
	prefix, _, _ := strings.Cut(r.ID, ".")
	for _, p := range packs {
		if lex.OneOf(prefix, p.prefixes) {
			return p.name
		}
	}
	return prefix
}

// Decision is the verdict with its reasons. With verdict None only
// Effects, Silenced and Steps may be set.
type Decision struct {
	Verdict Verdict
	Rule    string          // stable rule id, e.g. "git.reset-hard"
	Reason  string          // for the model: what to do instead
	Person  string          // for the person: one line that says what is risky
	Part    string          // exact part of the command that triggered it
	Code    effect.Spot     // the line of a file that triggered it; the zero Spot if the call itself did
	Effects []effect.Effect // all effects understood
	// From is the policy file and line that gave the verdict, "" for an unchanged
	// built-in rule.
	From string
	// Silenced are the rules that would have asked but are turned off.
	Silenced []Silenced
	// Opinions has one opinion for each effect; nil unless Context.Steps is set.
	Opinions []Opinion
	// Steps is the root of the tree of commands; nil if it was not recorded.
	Steps *effect.Step
	// StepOpinions are the opinions of added rules on commands in that tree.
	StepOpinions map[*effect.Step]Opinion
}
