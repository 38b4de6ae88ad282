package guard

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/pageaddr"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// What a call is and would do.
type (
	// Call is one tool call as the host sent it.
	Call = effect.Call
	// Arg is one leaf of its input.
	Arg = effect.Arg
	// Effect is one thing that a call would do.
	Effect = effect.Effect
	// Kind says what an effect does.
	Kind = effect.Kind
	// Step is one command that a call would run.
	Step = effect.Step
)

// How a call is judged.
type (
	// Verdict is the guard's answer: None, Ask or Deny.
	Verdict = judge.Verdict
	// Context is what is known about the place of the call.
	Context = judge.Context
	// Page is where Afar's page is served.
	Page = pageaddr.Page
	// GitFacts describe a repository of that place.
	GitFacts = judge.GitFacts
	// Unsaved is a file of that repository that no commit has as it is.
	Unsaved = judge.Unsaved
	// Decision is the verdict with its reasons.
	Decision = judge.Decision
	// Opinion is what the rules say of one effect.
	Opinion = judge.Opinion
	// Rule is one row of the policy.
	Rule = judge.Rule
	// Silenced is a rule that a policy file turned off.
	Silenced = judge.Silenced
	// Loss is something that a call may destroy and that can be kept.
	Loss = judge.Loss
)

// What policy files add.
type (
	// Amendment is what one policy file adds.
	Amendment = judge.Amendment
	// Change gives a built-in rule another verdict.
	Change = judge.Change
	// AddedRule is a rule of a policy file.
	AddedRule = judge.AddedRule
	// ArgMatch is a pattern for one argument of a tool.
	ArgMatch = judge.ArgMatch
)

// The verdicts, from mildest to hardest.
const (
	None = judge.None
	Ask  = judge.Ask
	Deny = judge.Deny
)

// How sure an effect is.
const (
	Known    = effect.Known
	Possible = effect.Possible
)

// PolicyFile is the name of the policy file of a person and of a project.
const PolicyFile = protected.PolicyFile

// Self returns the amendment with which Afar protects itself: its page, its files, its processes, its
// switch, and what decides for the person. The rules afar.* hold only with it. Context says where the
// files and the page are. A program that uses the guard as a library leaves it out.
func Self() Amendment { return Amendment{Self: true} }

// Rules returns the whole policy in a stable order; the table is a copy.
func Rules() []Rule { return judge.Rules() }

// VerdictsOf reports whether any row of a built-in rule denies, and whether any
// row asks. known is false if no row has the id.
func VerdictsOf(id string) (denies, asks, known bool) { return judge.VerdictsOf(id) }

// Keeps reports whether a rule protects the guard itself. A policy file cannot
// turn off the asks of such a rule.
func Keeps(id string) bool { return judge.Keeps(id) }

// Kinds returns every kind of effect that a rule can be about, in table order.
func Kinds() []Kind { return judge.Kinds() }

// KnownKind reports whether an effect can be of kind k.
func KnownKind(k Kind) bool { return judge.KnownKind(k) }

// Changing returns the kinds of effect that change files.
func Changing() []Kind { return judge.Changing() }

// ReadFile is the kind of effect that makes the content of a file visible.
const ReadFile = effect.ReadFile

// Losses returns what the effects of a call may destroy on this machine.
func Losses(call Call, effects []Effect, cwd string) []Loss { return judge.Losses(call, effects, cwd) }
