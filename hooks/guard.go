package hooks

import (
	"errors"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// A Guard judges a tool call. Only the binaries that need one pass it in, because
// linking it slows the start of a process. An error or a panic of the guard counts
// as a refusal.
type Guard func(Call) (Judgement, error)

// A Call is a tool call of the host and the place where it happens.
type Call struct {
	Place
	Transcript string // the session's file, "" for none
	Agent      string // the agent's type, "" for the session itself
	Tool       string
	Input      hostjson.Value // an object
	// Skills reports whether the client puts the commands in the text of skills to the guard.
	Skills func() bool
}

// A Place is a session's place in the file system.
type Place struct {
	Dirs         home.Dirs
	Bin          string // the directory of Afar's binaries
	Cwd, Project string
}

// A Verdict is the guard's decision about a call.
type Verdict string

// The verdicts. None means that the guard has no opinion; it does not allow the call.
const (
	None Verdict = ""
	Ask  Verdict = "ask"
	Deny Verdict = "deny"
)

// A Judgement is a verdict with its reasons.
type Judgement struct {
	Verdict  Verdict
	Rule     string // its stable id
	From     string // the policy file and line that decided, "" for an unchanged built-in rule
	Part     string // the exact part of the call that triggered it
	Reason   string // for the model: what to do instead
	Person   string // for the person: one line of what is risky
	Loses    bool   // the call may destroy what a snapshot can keep
	Consults bool   // a read-only agent asks for a second opinion
	Bounded  bool   // it asks, but not of a call behind a wall
	Proposes bool   // the call only proposes a run, which asks the person
	Broken   string // what is wrong with the policy files, "" for nothing
	// Changed is a file that the call makes the client load, and that changed since the
	// session began. "" for none. The client may still have the text of before.
	Changed string
}

// refused returns a text that says who refused the call, what is risky about it,
// and what to do instead. The host shows it to the model and at the terminal.
func (d Judgement) refused() string {
	return "Afar's guard refused this: " + d.Person + " (" + d.Rule + "). " + d.Reason
}

// forPerson is the part of a denial for the person at the terminal.
const forPerson = "The person can read why with `afar guard explain COMMAND`, and run it in a shell of their own."

var errNoTool = errors.New("the hook input names no tool with an input object")

// judge asks the guard for its judgement of the hook's call.
func (h *hook) judge(guard Guard) (Judgement, error) {
	tool, input := h.str(claude.FieldTool), h.get(claude.FieldToolInput)
	if tool == "" || !input.IsObject() {
		return Judgement{}, errNoTool
	}
	return guard(Call{
		Place:      h.place(),
		Transcript: h.str(claude.FieldTranscript),
		Agent:      h.str(claude.FieldAgentType),
		Tool:       tool,
		Input:      input,
		Skills:     h.putsSkills,
	})
}

func (h *hook) place() Place {
	return Place{Dirs: h.client.Dirs, Bin: h.client.Bin, Cwd: h.str(claude.FieldCwd), Project: h.getenv.Project()}
}
