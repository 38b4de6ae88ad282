package guard

import "strings"

// Budgets keep the work linear in the size of the call. They count work done
// and never time, so that the same call gets the same verdict on every
// machine. What does not fit is reported as Unreadable, never skipped in
// silence.
const (
	maxSource  = 1 << 20 // bytes of one source text
	maxDepth   = 20      // nested sources and function calls
	maxEffects = 4096
)

// A step is about a quarter of a microsecond. These are the prices of what an
// evaluation does, so that the steps of a call bound the time it takes.
const (
	perStatement  = 1
	perCommand    = 2  // to find out what runs, before it runs
	perSource     = 8  // to parse a nested source, however short
	perScope      = 2  // a subshell or a substitution
	perEffect     = 6  // to report and to judge it
	argsPerStep   = 4  // words of a command
	textPerStep   = 32 // bytes that are copied
	scopesPerStep = 8  // scopes that a name is looked up in
)

// budget is what the evaluation of one call may still cost.
type budget struct {
	steps int
	bytes int  // nested source that may be parsed
	spent bool // the steps ran out, and that was reported
}

func newBudget(size int) budget {
	return budget{steps: 2000 + size/3, bytes: 16<<10 + 3*size}
}

// spend charges for work. Once the steps are spent nothing more is evaluated,
// and the call as a whole counts as not read.
func (sh *shell) spend(steps int) bool {
	b := &sh.u.budget
	if b.spent {
		return false
	}
	if b.steps -= steps; b.steps >= 0 {
		return true
	}
	sh.giveUp()
	return false
}

// giveUp ends the evaluation of the call.
func (sh *shell) giveUp() {
	if !sh.u.budget.spent {
		sh.u.budget.spent = true
		sh.exhausted("over budget")
	}
}

// spendSource charges for parsing a nested source.
func (sh *shell) spendSource(text string) bool {
	b := &sh.u.budget
	if sh.depth >= maxDepth || len(text) > b.bytes || len(text) > maxSource {
		sh.exhausted("over budget")
		return false
	}
	b.bytes -= len(text)
	return sh.spend(perSource)
}

// afford charges for copying a text, so that doubling strings run out of
// budget before they run out of memory.
func (sh *shell) afford(text string) string {
	if !sh.spend(len(text)/textPerStep) || len(text) > maxSource {
		return unknown
	}
	return text
}

// exhausted reports that a bound was reached. What was left unread may be any
// part of the call, so a protected word anywhere in it counts.
func (sh *shell) exhausted(why string) {
	sh.u.add(Effect{Kind: Unreadable, Op: why, Target: sh.u.protected(), Sure: Known, Part: sh.here()})
}

// protected is the first protected word in the call: it makes the difference
// between ask and deny for what cannot be read.
func (u *understanding) protected() string {
	if u.word == nil {
		word := firstProtected(u.call.Args)
		u.word = &word
	}
	return *u.word
}

func firstProtected(args []Arg) string {
	for _, a := range args {
		if word := protectedWord(a.Value); word != "" {
			return word
		}
	}
	return ""
}

// unreadable reports a text that could not be followed to its end.
func (sh *shell) unreadable(why, text string) {
	sh.u.add(Effect{Kind: Unreadable, Op: why, Target: protectedWord(text), Sure: Known, Part: sh.here()})
}

// protectedWord finds a word in an unreadable text that must not slip by.
func protectedWord(text string) string {
	low := strings.ToLower(text)
	for _, w := range [...]string{"afar", "hook-pre-tool", "hook-stop", "hook-permission", ".claude/settings", ".claude.json", "disableallhooks", "reset --hard", "rm -rf", "rm -fr", "push --force", "push -f", "mkfs", "drop database", "/dev/sd", "/dev/nvme", "terraform destroy"} {
		if strings.Contains(low, w) {
			return w
		}
	}
	return ""
}
