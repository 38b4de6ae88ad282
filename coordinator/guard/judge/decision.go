package judge

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
)

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
