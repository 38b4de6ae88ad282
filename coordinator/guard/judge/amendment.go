package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// An Amendment is what one policy file, or the program that runs the guard, adds to the built-in rules. It cannot
// make a built-in deny milder. The package that reads the file checks that rule
// ids are known and patterns are short.
type Amendment struct {
	File    string // where it was read, absolute
	Base    string // the directory that relative paths start from, absolute
	Loosens bool   // it may turn asks off: it is the person's own or trusted
	Changes []Change
	Added   []AddedRule
	Self    bool // the rules that protect the program which runs the guard hold, too
}

// A Change gives a built-in rule another verdict; None turns its asks off.
type Change struct {
	Rule    string
	Verdict Verdict
	Line    int
}

// An AddedRule is a rule of a policy file. It has one subject: effects, a
// command, or a tool.
type AddedRule struct {
	Rule
	Line int

	Kinds  []effect.Kind // effects of these kinds ...
	Target string        // ... whose target matches this pattern, "" = any ...
	Paths  []string      // ... or is a path that one of these patterns covers

	Command []string // patterns: the program, then the words after it; options are skipped
	Args    []string // patterns: each matches at least one of the command's words

	Tool  string     // pattern of the tool's name
	Input []ArgMatch // patterns for arguments of the call; all must match
}

// An ArgMatch is a pattern for one argument of a tool, by its name or its path.
type ArgMatch struct{ Name, Pattern string }

// Silenced is a rule that would have asked if a policy file had not turned it off.
type Silenced struct{ Rule, From string }

// likeness says how sure a match is: perhaps means that it depends on a value
// that is not known.
type likeness int

const (
	unlike likeness = iota
	perhaps
	alike
)

// changingKinds are the kinds of effect that a rule for a protected path forbids.
var changingKinds = [...]effect.Kind{
	effect.DeleteTree, effect.DeleteFile, effect.WriteFile, effect.MoveAway, effect.ChangeMode,
	effect.DeleteCopies, effect.Discard,
}

// Changing returns the kinds of effect that change files.
func Changing() []effect.Kind { return append([]effect.Kind{}, changingKinds[:]...) }

// KnownKind reports whether an effect can be of kind k.
func KnownKind(k effect.Kind) bool { return slices.Contains(Kinds(), k) }

// Kinds returns every kind of effect that a rule can be about, in table order.
func Kinds() (out []effect.Kind) {
	for p := range everyPolicy {
		for _, k := range p.kinds() {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// VerdictsOf reports whether any row of a built-in rule denies, and whether any
// row asks. known is false if no row has the id.
func VerdictsOf(id string) (denies, asks, known bool) {
	for p := range everyPolicy {
		if p.id == id {
			known = true
			denies = denies || p.verdict == Deny
			asks = asks || p.verdict == Ask
		}
	}
	return denies, asks, known
}

// Keeps reports whether a rule protects the guard itself. A policy file cannot
// turn off the asks of such a rule.
func Keeps(id string) bool {
	for p := range everyPolicy {
		if p.id == id {
			return p.self || p.keeps
		}
	}
	return false
}

// amend returns the verdict of a row under the policy files, and the file and
// line that changed it. If two files change a rule, the harder verdict counts.
func (j *judging) amend(p *policy) (Verdict, string) {
	word, from, spoken := None, "", false
	for i := range j.ctx.Amendments {
		a := &j.ctx.Amendments[i]
		for _, c := range a.Changes {
			switch {
			case c.Rule != p.id, c.Verdict == None && !a.Loosens, spoken && Harder(word, c.Verdict):
			default:
				word, from, spoken = c.Verdict, origin(a, c.Line), true
			}
		}
	}
	if !spoken || !amendable(p, word) {
		return p.verdict, ""
	}
	if word == None {
		j.silenced = append(j.silenced, Silenced{Rule: p.id, From: from})
	}
	return word, from
}

// amendable reports whether a policy file may change the verdict of a row. An
// ask may become a deny, or be turned off unless the rule protects the guard. An
// exception to a rule that asks or denies stays an exception.
func amendable(p *policy, to Verdict) bool {
	switch p.verdict {
	case Ask:
		return to == Deny || to == None && !p.self && !p.keeps
	case None:
		denies, asks, _ := VerdictsOf(p.id)
		return to != None && !denies && !asks
	}
	return false
}

// origin returns the place of a rule in a policy file, as "file:line".
func origin(a *Amendment, line int) string { return a.File + ":" + strconv.Itoa(line) }

// added judges a call by the rules of the policy files. It returns the harder of
// d and their decision. If both ask, it returns the file's decision, whose words
// say more.
func added(d Decision, call effect.Call, u effect.Understood, ctx *Context) Decision {
	j := newJudging(ctx)
	builtinAsks := d.Verdict == Ask
	d.StepOpinions = map[*effect.Step]Opinion{}
	for i := range ctx.Amendments {
		a := &ctx.Amendments[i]
		for k := range a.Added {
			r := &a.Added[k]
			hit := j.applies(a, r, call, u)
			if hit.how == unlike {
				continue
			}
			verdict := softened(r.Verdict, hit.how)
			opinion := Opinion{Verdict: verdict, Rule: r.ID, From: origin(a, r.Line)}
			if hit.step != nil && ctx.Steps {
				d.StepOpinions[hit.step] = opinion
			}
			if hit.effect < len(d.Opinions) && !Harder(d.Opinions[hit.effect].Verdict, verdict) {
				d.Opinions[hit.effect] = opinion
			}
			saysMore := builtinAsks && verdict == Ask
			if Harder(d.Verdict, verdict) && !saysMore {
				continue
			}
			builtinAsks = false
			d.Verdict, d.Rule, d.Reason, d.From = verdict, r.ID, r.Instead, opinion.From
			d.Person, d.Part = withTarget(r.Why, hit.about), partial.Visible(lex.Clip(hit.part, 300))
		}
	}
	return d
}

// softened returns Ask for a Deny whose match is not certain, and v otherwise.
func softened(v Verdict, how likeness) Verdict {
	if v == Deny && how == perhaps {
		return Ask
	}
	return v
}

// A hit is the part of a call that a rule is about.
type hit struct {
	how         likeness
	part, about string
	effect      int          // index; the number of effects if there is none
	step        *effect.Step // nil for none
}

func withTarget(why, target string) string {
	target = partial.Visible(lex.Clip(target, maxShown))
	if target == "" || strings.Contains(target, "\n") {
		return why
	}
	return why + ": " + target
}

// maxShown bounds the text of a target that people read.
const maxShown = 120

// applies returns how surely a rule matches a call, and the part that it matches.
func (j *judging) applies(a *Amendment, r *AddedRule, call effect.Call, u effect.Understood) hit {
	best := hit{effect: len(u.Effects)}
	switch {
	case r.Tool != "":
		best.part, best.about = call.Tool, call.Tool
		lacks := func(m ArgMatch) bool {
			return !slices.ContainsFunc(call.Args, func(a effect.Arg) bool {
				return strings.HasSuffix("."+a.Path, "."+m.Name) && lex.Like(m.Pattern, a.Value)
			})
		}
		if lex.Like(r.Tool, call.Tool) && !slices.ContainsFunc(r.Input, lacks) {
			best.how = alike
		}
		return best
	case len(r.Command) > 0:
		commandLike(a, r, u.Root, &best)
		return best
	}
	patterns := j.compile(a, r.Paths)
	for i, e := range u.Effects {
		got := effectLike(r, e)
		if got != unlike && len(patterns) > 0 {
			got = min(got, j.covered(patterns, i, e))
		}
		if got > best.how {
			best = hit{got, e.Part, e.Target, i, nil}
		}
	}
	return best
}

// commandLike looks for the best match among all commands that a call would run.
func commandLike(a *Amendment, r *AddedRule, s *effect.Step, best *hit) {
	if s == nil {
		return
	}
	if how := stepLike(a, r, s); how > best.how {
		best.how, best.part, best.about, best.step = how, s.Part, strings.Join(s.Words, " "), s
	}
	for _, next := range s.Steps {
		commandLike(a, r, next, best)
	}
}

func stepLike(a *Amendment, r *AddedRule, s *effect.Step) likeness {
	if len(s.Words) == 0 || !programLike(a, r.Command[0], s) {
		return unlike
	}
	how := wordsLike(r.Command[1:], s.Words[1:])
	for _, pattern := range r.Args {
		how = min(how, anyLike(pattern, s.Words[1:]))
	}
	return how
}

// programLike compares a program by its name, or by its path if the pattern is a
// path.
func programLike(a *Amendment, pattern string, s *effect.Step) bool {
	switch word := s.Words[0]; {
	case !strings.Contains(pattern, "/"):
		return lex.Like(strings.ToLower(pattern), s.Program) || lex.Like(pattern, fspath.Base(word))
	case strings.Contains(word, "/"):
		return lex.Like(fspath.Join(a.Base, pattern), fspath.Join(s.Dir, word))
	}
	return false
}

// wordsLike looks for the patterns at the beginning of an argument list. It skips
// the options before and between them, each with one value.
func wordsLike(patterns, words []string) likeness {
	if len(patterns) == 0 {
		return alike
	}
	before := ""
	for i, w := range words {
		if how := wordLike(patterns[0], w); how != unlike {
			return min(how, wordsLike(patterns[1:], words[i+1:]))
		}
		if !lex.ContainsPrefix([]string{w, before}, "-") {
			return unlike
		}
		before = w
	}
	return unlike
}

func anyLike(pattern string, words []string) (how likeness) {
	for _, w := range words {
		how = max(how, wordLike(pattern, w))
	}
	return how
}

// wordLike compares a word with a pattern. A word that is not fully known
// matches perhaps.
func wordLike(pattern, word string) likeness {
	switch {
	case lex.Like(pattern, word):
		return alike
	case partial.HasHole(word):
		return perhaps
	}
	return unlike
}

// effectLike compares the kind of an effect, and its target as a name. A rule
// for paths does not match an effect on another machine or in a container.
func effectLike(r *AddedRule, e effect.Effect) likeness {
	switch {
	case !slices.Contains(r.Kinds, e.Kind), e.Away != "" && len(r.Paths) > 0:
		return unlike
	}
	how := alike
	if e.Sure == effect.Possible {
		how = perhaps
	}
	if r.Target != "" {
		how = min(how, wordLike(r.Target, e.Target))
	}
	return how
}

// A pathPattern is a path or a pattern for paths, cut into its parts. written is as the file or the
// call has it. resolved has the symbolic links before the first wildcard resolved.
type pathPattern struct{ written, resolved []string }

// compile cuts the patterns of a rule once for all effects of a call.
func (j *judging) compile(a *Amendment, patterns []string) (out []pathPattern) {
	for _, p := range patterns {
		p = j.absolute(a, p)
		fixed, _ := fspath.GlobBase(p)
		out = append(out, pathPattern{pathParts(p), pathParts(j.real(fixed) + p[len(fixed):])})
	}
	return out
}

// targetOf cuts the target of the i-th effect, once for all rules.
func (j *judging) targetOf(i int, e effect.Effect) pathPattern {
	t, known := j.targets[i]
	if !known {
		written := strings.TrimSuffix(e.Target, "/")
		base, _ := fspath.GlobBase(written)
		resolved := j.realTarget(base, e.Target) + strings.TrimPrefix(written, base)
		t = pathPattern{pathParts(written), pathParts(resolved)}
		j.targets[i] = t
	}
	return t
}

// pathParts cuts an absolute path into its parts. It returns nil for any other
// path. It drops the parts beyond maxParts.
func pathParts(path string) []string {
	below, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil
	}
	parts := strings.Split(below, "/")
	return parts[:min(len(parts), maxParts)]
}

// covered says whether one of the patterns covers the target of an effect, as
// written or with its symbolic links resolved. An effect on a whole tree is also
// covered if a pattern covers something in that tree.
func (j *judging) covered(patterns []pathPattern, i int, e effect.Effect) (how likeness) {
	t, sweeping := j.targetOf(i, e), sweeps(e.Kind)
	for _, p := range patterns {
		how = max(how, partsLike(p.written, t.written, sweeping))
		if how != alike {
			how = max(how, partsLike(p.resolved, t.resolved, sweeping))
		}
	}
	return how
}

func (j *judging) absolute(a *Amendment, pattern string) string {
	if head, rest, _ := strings.Cut(pattern, "/"); head == "~" {
		return fspath.Clean(j.home + "/" + rest)
	}
	return fspath.Join(a.Base, pattern)
}

// maxParts bounds the parts of a path that are compared.
const maxParts = 64

// partsLike compares part by part. A pattern covers the path that it matches and
// everything below; "**" matches any number of parts.
func partsLike(pattern, target []string, sweeping bool) likeness {
	if len(pattern) == 0 || len(target) == 0 {
		return unlike
	}
	for i := range min(len(pattern), len(target)) { // most differ early
		if pattern[i] == "**" {
			break
		}
		if partLike(pattern[i], target[i]) == unlike {
			return unlike
		}
	}
	// row[i] is how the pattern from its i-th part on matches the target's rest.
	row, next := make([]likeness, len(pattern)+1), make([]likeness, len(pattern)+1)
	for i := range row {
		if sweeping {
			row[i] = alike // the target holds what the rest of the pattern names
		}
	}
	row[len(pattern)], next[len(pattern)] = alike, alike // below what is covered
	for at := len(target) - 1; at >= 0; at-- {
		for i := len(pattern) - 1; i >= 0; i-- {
			if pattern[i] == "**" {
				next[i] = max(next[i+1], row[i])
				continue
			}
			next[i] = min(partLike(pattern[i], target[at]), row[i+1])
		}
		row, next = next, row
	}
	return row[0]
}

// partLike compares one part. A target with a hole or a bracket matches perhaps.
// A target with another wildcard matches if some name may match both.
func partLike(pattern, target string) likeness {
	switch {
	case lex.Like(pattern, target):
		return alike
	case strings.ContainsAny(target, "["+partial.Holes):
		return perhaps
	case !fspath.HasGlob(target):
		return unlike
	case lex.Like(target, pattern), overlap(pattern, target):
		return alike
	}
	return unlike
}

// overlap reports whether some name may match both patterns. It compares only
// their beginnings and ends.
func overlap(a, b string) bool {
	if !fspath.HasGlob(a) {
		return false
	}
	headA, headB := a[:strings.IndexAny(a, "*?[")], b[:strings.IndexAny(b, "*?[")]
	tailA, tailB := a[strings.LastIndexAny(a, "*?]")+1:], b[strings.LastIndexAny(b, "*?]")+1:]
	heads, tails := min(len(headA), len(headB)), min(len(tailA), len(tailB))
	return headA[:heads] == headB[:heads] && tailA[len(tailA)-tails:] == tailB[len(tailB)-tails:]
}

// namesPolicy reports whether a pattern matches a policy file that is in force.
func (j *judging) namesPolicy(pattern string) bool {
	return slices.ContainsFunc(j.ctx.Amendments, func(a Amendment) bool { return lex.Like(pattern, a.File) })
}
