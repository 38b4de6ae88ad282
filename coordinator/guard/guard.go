// Package guard is the local judge of a tool call: deny, ask, or no opinion.
//
// It works in two halves. Understand turns a call into typed effects (what
// would be deleted, overwritten, run, published, revealed); Judge lays the
// effects beside the place of the call and reads the verdict off a table of
// rules. The halves meet only in the Effect type: a new tool is a row in the
// first, a new policy a row in the second.
//
// The package is linked into the PreToolUse hook: it does no I/O of its own,
// reads no clock and keeps no state. It never panics and its cost is linear in
// the size of the call.
package guard

import "strings"

// Verdict is the guard's answer. The guard never allows: silence leaves the
// decision to the host.
type Verdict string

// The three answers, from mildest to hardest.
const (
	None Verdict = ""
	Ask  Verdict = "ask"
	Deny Verdict = "deny"
)

// Arg is one leaf of the tool's input, by its path ("command", "file_path",
// "edits.0.new_string"): a string, or "true" for a switch that is on.
type Arg struct{ Path, Value string }

// Call is one tool call as the host sent it.
type Call struct {
	Tool string
	Args []Arg
}

// Context is what is known about the place of the call. Every field may be
// empty; the judge then assumes the worse case.
type Context struct {
	Cwd, Project, Home string            // absolute, cleaned
	Env                map[string]string // statically known environment (HOME, TMPDIR, ...)
	Temp               []string          // temp directories
	// Own names Afar's own directories and files (bin, config, state, runtime,
	// plugin root): they are protected.
	Own     []string
	Resolve func(path string) string  // symlink resolution; nil = identity
	Git     func(dir string) GitFacts // lazy; nil = unknown. Never needed for a deny in itself
	// Merged says whether all commits of a branch are in the current one; false
	// when nobody looked, and nil = unknown.
	Merged func(dir, branch string) bool
	// Created says whether the session made a tree and all that lies in it; false
	// when nobody looked, and nil = unknown.
	Created func(path string) bool
	// Amendments are the policy files in force, the person's before the project's.
	Amendments []Amendment
	// Broken says what is wrong with policy files that are void, "" for nothing.
	// The person reads of it with each verdict.
	Broken string
	// ReadOnly denies what does more than read, or is not known to do no more.
	ReadOnly bool
	Steps    bool // Decision.Steps and Opinions are wanted
}

// GitFacts describe the repository that holds a directory. Known is false
// when nobody looked; every other field is then meaningless.
type GitFacts struct {
	Known           bool
	Dirty           bool // tracked files differ from the last commit
	Untracked       bool // files that git neither tracks nor ignores
	Branch, Default string
	HasRemote       bool
}

// Decision is the verdict with its reasons. With verdict None only
// Effects, Silenced and Steps may be set.
type Decision struct {
	Verdict Verdict
	Rule    string   // stable rule id, e.g. "git.reset-hard"
	Reason  string   // for the model: what to do instead
	Person  string   // for the person: one line of what is risky
	Part    string   // exact part of the command that triggered it
	Effects []Effect // all effects understood
	// From is the policy file and line that gave the verdict, "" for a built-in
	// rule as it stands.
	From string
	// Silenced are rules that would have asked and were turned off.
	Silenced []Silenced
	// Opinions are those on each of the effects; nil unless Steps are wanted.
	Opinions []Opinion
	// Steps is the root of all that the call would run; nil unless wanted.
	Steps *Step
}

// An Opinion is what the rules say of one effect. Rule is set for None as well
// where a rule says that it is nobody's business.
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

// packs name the groups of rules by the first word of their ids, in the order
// in which people read them.
var packs = [...]struct{ prefix, name string }{
	{"afar", "Afar and the host's guard rails"}, {"host", "Afar and the host's guard rails"}, {"terminal", "Afar and the host's guard rails"},
	{"agent", "Afar and the host's guard rails"}, {"fs", "Files and disks"}, {"disk", "Files and disks"}, {"git", "Git"}, {"run", "Running code"},
	{"secret", "Secrets and data that leave"}, {"data", "Secrets and data that leave"}, {"db", "Databases"},
	{"remote", "Clouds, clusters and hosted services"}, {"local", "Clouds, clusters and hosted services"}, {"copy", "Copies elsewhere"},
	{"publish", "Publishing"}, {"process", "Processes, services, the machine"}, {"service", "Processes, services, the machine"},
	{"machine", "Processes, services, the machine"}, {"call", "What cannot be read"},
}

// Pack is the group that a rule belongs to, in words.
func (r Rule) Pack() string {
	prefix, _, _ := strings.Cut(r.ID, ".")
	for _, p := range packs {
		if p.prefix == prefix {
			return p.name
		}
	}
	return prefix
}
