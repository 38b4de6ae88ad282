package guard

import "strings"

// policy is one row of the table: it applies to the effects of one kind for
// which when holds. The first row that applies to an effect decides about it;
// the hardest verdict of all effects decides about the call.
type policy struct {
	Rule
	kind Kind
	when when
}

// when narrows a row: each field that is set must hold. The zero value takes
// every effect.
type when struct {
	op ops    // the effect's Op is one of these
	in region // its target lies in one of these
	is func(*judging, Effect) bool
}

type ops []string

func (w when) always() bool { return w.op == nil && w.in == 0 && w.is == nil }

func (w when) holds(j *judging, e Effect) bool {
	return (w.op == nil || containsString(w.op, e.Op)) &&
		(w.in == 0 || w.in&j.where(e) != 0) &&
		(w.is == nil || w.is(j, e))
}

// Judge decides about one tool call. It is safe for concurrent use, given
// that the functions of ctx are. It does not recover from a panic of its own:
// the caller must take one for a refusal.
func Judge(call Call, ctx Context) Decision {
	u := understand(call, &ctx)
	d := weigh(u.effects, &ctx)
	if len(ctx.Amendments) > 0 {
		d = added(d, call, u)
	}
	if d.Verdict != None && ctx.Broken != "" {
		d.Person += " (and a guard.toml is broken: only built-in rules hold)"
	}
	d.Effects, d.Steps = u.effects, u.root
	return d
}

// weigh lays the effects beside the place and returns the hardest decision,
// the earliest of equals.
func weigh(effects []Effect, ctx *Context) Decision {
	j := newJudging(ctx)
	var best Decision
	var opinions []Opinion
	for _, e := range effects {
		p, verdict, from := j.rule(e)
		if ctx.Steps {
			opinions = append(opinions, opinion(p, verdict, from))
		}
		if p == nil || harder(best.Verdict, verdict) {
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

func opinion(p *policy, verdict Verdict, from string) Opinion {
	if p == nil {
		return Opinion{}
	}
	return Opinion{verdict, p.ID, from}
}

// harder is true if a is at least as hard as b.
func harder(a, b Verdict) bool {
	rank := func(v Verdict) int {
		switch v {
		case Deny:
			return 2
		case Ask:
			return 1
		}
		return 0
	}
	return rank(a) >= rank(b)
}

func decided(p *policy, e Effect) Decision {
	return Decision{Verdict: p.Verdict, Rule: p.ID, Reason: p.Instead, Person: personLine(p, e), Part: visible(e.Part)}
}

// tightened gives words to a decision of a row that has none of its own.
func tightened(d Decision) Decision {
	if d.Reason == "" {
		d.Reason = "A policy file of this project or its person forbids it: say what you need, and go on without it."
		d.Person = "Made stricter by a policy file" + d.Person
	}
	return d
}

func personLine(p *policy, e Effect) string {
	target := visible(clip(e.Target, 120))
	if target == "" || strings.ContainsAny(target, "\n") || p.kind == Unreadable {
		return p.Why
	}
	return p.Why + ": " + target
}

// rule finds the row for an effect. What is only possible is never denied: a
// person can tell what the program cannot.
func (j *judging) rule(e Effect) (*policy, Verdict, string) {
	for i := range policies {
		p := &policies[i]
		if p.kind != e.Kind || !p.when.holds(j, e) {
			continue
		}
		verdict, from := j.amend(p)
		if verdict == Deny && e.Sure == Possible && !strings.HasPrefix(p.ID, "afar.") && p.ID != "host.settings" {
			verdict = Ask
		}
		return p, verdict, from
	}
	return nil, None, ""
}

// Rules returns the whole policy in a stable order; the table is a copy. A rule
// that asks in one place and denies in another stands there as it denies.
func Rules() []Rule {
	var out []Rule
	at := map[string]int{}
	for _, p := range policies {
		i, seen := at[p.ID]
		switch {
		case p.Verdict == None:
		case !seen:
			at[p.ID] = len(out)
			out = append(out, p.Rule)
		case !harder(out[i].Verdict, p.Verdict):
			out[i] = p.Rule
		}
	}
	return out
}

// benignCode is true of code that only a harmless program's output decides.
func benignCode(_ *judging, e Effect) bool { return e.Op == "" }

// mainBranch is true of the branch that others build on; without a name it is
// the current one.
func mainBranch(j *judging, e Effect) bool {
	facts := j.facts(e.Dir)
	name := e.Target
	if name == "" && facts.Known {
		name = facts.Branch
	}
	if facts.Known && facts.Default != "" && name == facts.Default {
		return true
	}
	return oneOf(name, "main master trunk") || hasGlob(name)
}

// currentUnknown is true if no branch is named and nobody knows the current.
func currentUnknown(j *judging, e Effect) bool {
	return e.Target == "" && !j.facts(e.Dir).Known
}

// cleanTree is true only if somebody looked and found nothing to lose.
func cleanTree(j *judging, e Effect) bool { return cleanTracked(j, e) && noUntracked(j, e) }

// cleanTracked is true only if somebody looked and no tracked file is changed.
func cleanTracked(j *judging, e Effect) bool {
	f := j.facts(e.Dir)
	return f.Known && !f.Dirty && e.Away == ""
}

// noUntracked is true only if somebody looked and no file is untracked.
func noUntracked(j *judging, e Effect) bool {
	f := j.facts(e.Dir)
	return f.Known && !f.Untracked && e.Away == ""
}

// ours is true of a process of ours: by its name, or by a pattern that one of
// our command lines holds.
func ours(_ *judging, e Effect) bool {
	t := strings.ToLower(e.Target)
	if strings.Contains(t, "afar") && !strings.Contains(t, "safar") {
		return true
	}
	if e.Kind != KillProcess || oneOf(e.Op, "pid all terminal") {
		return strings.HasPrefix(t, "hook-")
	}
	t = strings.Map(func(r rune) rune {
		if strings.ContainsRune("^$.*+?[]()\\", r) {
			return -1
		}
		return r
	}, strings.TrimPrefix(t, "pid:"))
	if t == "afar" {
		return true
	}
	if e.Op == "by name" && e.Via == "killall" && !strings.HasPrefix(t, "hook") {
		return false
	}
	if len(t) < 3 {
		return false
	}
	if strings.Contains("afar serve", t) {
		return true
	}
	for rest := hookEvents; rest != ""; {
		var event string
		event, rest, _ = strings.Cut(rest, " ")
		if strings.Contains("hook-"+event, t) {
			return true
		}
	}
	return false
}

// merged is true only if somebody looked and every commit of the branch is in
// the current one.
func merged(j *judging, e Effect) bool {
	return j.ctx.Merged != nil && e.Away == "" && e.Target != "" && !hasHole(e.Target) && strings.HasPrefix(e.Dir, "/") && !hasHole(e.Dir) &&
		j.ctx.Merged(e.Dir, e.Target)
}

func secretRead(j *judging, e Effect) bool {
	if e.Away != "" {
		return false
	}
	return secretPath(e.Target, j.home) || secretPath(j.real(e.Target), j.home)
}

func ownSecret(j *judging, e Effect) bool {
	if j.where(e) != inOwn {
		return false
	}
	base := baseName(e.Target)
	return base == "telegram.token" || base == "afar" || strings.HasPrefix(base, "hook-") || hasHole(base) || hasGlob(base)
}

func mentionsOurs(_ *judging, e Effect) bool { return e.Target != "" }
