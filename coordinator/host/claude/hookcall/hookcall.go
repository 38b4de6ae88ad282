// Package hookcall is the client's side of a hook: it makes the input of a hook, and reads its
// output as Claude Code does. Package agentrun runs Afar's hooks with it for agents that run
// none.
package hookcall

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The events of hooks.
const (
	SessionStart       = "SessionStart"
	SessionEnd         = "SessionEnd"
	UserPromptSubmit   = "UserPromptSubmit"
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	Stop               = "Stop"
	StopFailure        = "StopFailure"
)

// A Session is what all inputs of a session have in common.
type Session struct {
	ID     string // the conversation
	Cwd    string
	Prompt string // an id of the prompt
	// Transcript is the path of the session's transcript, "" for none.
	Transcript string
}

// input begins an input. Its mode is the default one, in which a client stops a call whose
// hook dies: so does package agentrun, in each mode.
func (s Session) input(event string) *wire.Object {
	return wire.NewObject().
		Str(claude.FieldEvent, event).
		Str(claude.FieldSession, s.ID).
		Str(claude.FieldCwd, s.Cwd).
		Str(claude.FieldMode, claude.ModeDefault).
		OptStr(claude.FieldPromptID, s.Prompt).
		OptStr(claude.FieldTranscript, s.Transcript)
}

// Begin returns the input of SessionStart.
func (s Session) Begin(resumes bool, model string) []byte {
	source := "startup"
	if resumes {
		source = "resume"
	}
	return s.input(SessionStart).Str(claude.FieldSource, source).OptStr("model", model).Bytes()
}

// Submit returns the input of UserPromptSubmit.
func (s Session) Submit(prompt string) []byte {
	return s.input(UserPromptSubmit).Str("prompt", prompt).Bytes()
}

// Tool returns the input of an event about a call of a tool with an input, a JSON object. use is the id of the call.
func (s Session) Tool(event, tool string, input []byte, use string) []byte {
	return s.input(event).
		Str(claude.FieldTool, tool).
		Raw(claude.FieldToolInput, input).
		Str(claude.FieldToolUse, use).
		Bytes()
}

// Rest returns the input of Stop. again is true if a Stop hook has kept the session from
// stopping.
func (s Session) Rest(again bool, last string) []byte {
	return s.input(Stop).Bool("stop_hook_active", again).Str("last_assistant_message", last).Bytes()
}

// Fail returns the input of StopFailure.
func (s Session) Fail(why string) []byte {
	return s.input(StopFailure).Str("error", why).Str("last_assistant_message", why).Bytes()
}

// Leave returns the input of SessionEnd.
func (s Session) Leave() []byte {
	return s.input(SessionEnd).Str(claude.FieldReason, "other").Bytes()
}

// A Decision is what a hook decides. None leaves it to others.
type Decision string

// The decisions of hooks.
const (
	None  Decision = ""
	Allow Decision = "allow"
	Deny  Decision = "deny" // of a call; of a prompt or a stop: block it
)

// An Output is what a hook came to.
type Output struct {
	Decision  Decision
	Reason    string // of a Deny, for the model
	Context   string // more text for the model
	Interrupt bool   // the turn must end
}

// exitBlocks is the exit code with which a hook stops what its event is about.
const exitBlocks = 2

// Read returns what a hook of an event came to, from how its process ended and what it
// printed. exit is -1 for a process that a signal ended, or that did not start. A call
// whose hook fails is denied.
func Read(event string, exit int, stdout, stderr string) Output {
	if exit == exitBlocks {
		return Output{Decision: Deny, Reason: cmp.Or(strings.TrimSpace(stderr), "Afar's hook refused it")}
	}
	stdout = strings.TrimSpace(stdout)
	out, err := hostjson.Parse(stdout, hostjson.MaxDepth)
	switch {
	case exit == 0 && stdout == "":
		return Output{}
	case exit != 0, err != nil, !out.IsObject():
		return failed(event, stderr)
	}
	return read(event, out)
}

// failed returns what a hook that failed came to.
func failed(event, stderr string) Output {
	if event != PreToolUse && event != PermissionRequest {
		return Output{}
	}
	return Output{Decision: Deny, Reason: strings.TrimSpace("Afar's hook failed, so the call does not run. " + stderr)}
}

func read(event string, out hostjson.Value) Output {
	o := Output{
		Reason:    cmp.Or(out.Get("reason").Str(), out.Get("stopReason").Str()),
		Context:   out.Get("hookSpecificOutput.additionalContext").Str(),
		Interrupt: out.Get("continue").Kind() == hostjson.False,
	}
	switch event {
	case PreToolUse:
		o.Decision = decided(out.Get("hookSpecificOutput.permissionDecision"))
		o.Reason = cmp.Or(out.Get("hookSpecificOutput.permissionDecisionReason").Str(), o.Reason)
	case PermissionRequest:
		o = answered(o, out.Get("hookSpecificOutput.decision"))
	default:
		if out.Get("decision").Str() == "block" {
			o.Decision = Deny
		}
	}
	if o.Interrupt {
		o.Decision = Deny
	}
	return o
}

// decided returns the decision of PreToolUse. One that is unknown is a no.
func decided(v hostjson.Value) Decision {
	switch word := v.Str(); {
	case !v.Exists(), word == "ask":
		return None
	case word == "allow":
		return Allow
	}
	return Deny
}

// answered adds the answer of PermissionRequest.
func answered(o Output, answer hostjson.Value) Output {
	switch {
	case !answer.Exists():
		return o
	case answer.Get("behavior").Str() != "allow":
		o.Decision, o.Reason = Deny, cmp.Or(answer.Get("message").Str(), o.Reason)
		o.Interrupt = o.Interrupt || answer.Get("interrupt").Bool()
	case answer.Get("updatedInput").Exists():
		o.Decision, o.Reason = Deny, "The call was allowed with other input, which this agent cannot take."
	default:
		o.Decision = Allow
	}
	return o
}
