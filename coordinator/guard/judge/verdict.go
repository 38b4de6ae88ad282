package judge

import (
	"strings"
)

// Verdict is the guard's answer. The guard never allows: silence leaves the
// decision to the host.
type Verdict string

// The three answers, from mildest to hardest.
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

// packs names the groups of rules by the first word of the rule ids, in the order
// in which they are shown.
var packs = [...]struct{ prefix, name string }{
	{"afar", "Afar and the host's guard rails"},
	{"host", "Afar and the host's guard rails"},
	{"terminal", "Afar and the host's guard rails"},
	{"agent", "Afar and the host's guard rails"},
	{"fs", "Files and disks"},
	{"disk", "Files and disks"},
	{"git", "Git"},
	{"run", "Running code"},
	{"secret", "Secrets and data that leave"},
	{"data", "Secrets and data that leave"},
	{"db", "Databases"},
	{"remote", "Clouds, clusters and hosted services"},
	{"local", "Clouds, clusters and hosted services"},
	{"copy", "Copies elsewhere"},
	{"publish", "Publishing"},
	{"process", "Processes, services, the machine"},
	{"service", "Processes, services, the machine"},
	{"machine", "Processes, services, the machine"},
	{"call", "What cannot be read"},
}

// Pack returns the name of the group that a rule belongs to.
func (r Rule) Pack() string {
	prefix, _, _ := strings.Cut(r.ID, ".")
	for _, p := range packs {
		if p.prefix == prefix {
			return p.name
		}
	}
	return prefix
}
