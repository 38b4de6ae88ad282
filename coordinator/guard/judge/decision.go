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
	Person  string          // for the person: one line of what is risky
	Part    string          // exact part of the command that triggered it
	Effects []effect.Effect // all effects understood
	// From is the policy file and line that gave the verdict, "" for a built-in
	// rule as it stands.
	From string
	// Silenced are rules that would have asked and were turned off.
	Silenced []Silenced
	// Opinions are those on each of the effects; nil unless Steps are wanted.
	Opinions []Opinion
	// Steps is the root of all that the call would run; nil unless wanted.
	Steps *effect.Step
	// StepOpinions are what rules of policy files say of commands in that tree.
	StepOpinions map[*effect.Step]Opinion
}
