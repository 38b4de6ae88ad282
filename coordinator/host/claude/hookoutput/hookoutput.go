// Package hookoutput builds the output of a hook for Claude Code: one JSON object, whose
// form depends on the event.
package hookoutput

import (
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Prompt returns a text for the plugin's mod, which submits it as a prompt of the person.
func Prompt(text string) *wire.Object { return wire.NewObject().Str("prompt", text) }

// Notice tells the person at the terminal something.
func Notice(text string) *wire.Object { return wire.NewObject().Str("systemMessage", text) }

// Block stops what the event is about, and tells the model why and the person
// something, if notice is not empty.
func Block(reason, notice string) *wire.Object {
	return block(wire.NewObject(), reason).OptStr("systemMessage", notice)
}

func block(o *wire.Object, reason string) *wire.Object {
	return o.Str("decision", "block").Str("reason", reason)
}

// BlockPrompt blocks a prompt. The terminal then shows only the reason.
func BlockPrompt(event, reason string) *wire.Object {
	return block(specific(ofEvent(event).Bool("suppressOriginalPrompt", true)), reason)
}

// EndTurn ends the running turn.
func EndTurn(reason string) *wire.Object {
	return wire.NewObject().Bool("continue", false).Str("stopReason", reason)
}

// Context tells the model something, and the person, if notice is not empty. Both
// may be empty.
func Context(event, text, notice string) *wire.Object {
	o := wire.NewObject()
	if text != "" {
		o = specific(ofEvent(event).Str("additionalContext", text))
	}
	return o.OptStr("systemMessage", notice)
}

// The decisions about a call.
const (
	Allow = "allow"
	Ask   = "ask"
	Deny  = "deny"
)

// Decide decides about a call before it is made. The event is PreToolUse or
// PreSkillShellCommand.
func Decide(event, decision, reason string) *wire.Object {
	return specific(ofEvent(event).Str("permissionDecision", decision).Str("permissionDecisionReason", reason))
}

// Deferral ends a print session in the middle of a call. The host keeps the call, and makes
// it again when the session is resumed.
func Deferral() *wire.Object {
	return specific(ofEvent("PreToolUse").Str("permissionDecision", "defer"))
}

// Refuse answers a client's own question with no, and stops the turn if interrupt
// is true.
func Refuse(message string, interrupt bool) *wire.Object {
	fields := wire.NewObject().Str("behavior", "deny").Str("message", message)
	if interrupt {
		fields.Bool("interrupt", true)
	}
	return permission(fields)
}

// Grant answers a client's own question with yes. An input replaces the call's; the
// rules, a JSON list, are taken over by the client. Both may be nil.
func Grant(input, rules []byte) *wire.Object {
	fields := wire.NewObject().Str("behavior", "allow")
	if input != nil {
		fields.Raw("updatedInput", input)
	}
	if rules != nil {
		fields.Raw("updatedPermissions", rules)
	}
	return permission(fields)
}

// AcceptEdits are the rules that let a session edit without asking until it ends.
const AcceptEdits = `[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`

func permission(fields *wire.Object) *wire.Object {
	return specific(ofEvent("PermissionRequest").Raw("decision", fields.Bytes()))
}

// Elicitation answers a server that asks the person something: "accept" with the
// content of its form, "decline", or "cancel" if nobody decided.
// Content may be nil.
func Elicitation(action string, content []byte) *wire.Object {
	fields := ofEvent("Elicitation").Str("action", action)
	if content != nil {
		fields.Raw("content", content)
	}
	return specific(fields)
}

func ofEvent(event string) *wire.Object { return wire.NewObject().Str("hookEventName", event) }

func specific(fields *wire.Object) *wire.Object {
	return wire.NewObject().Raw("hookSpecificOutput", fields.Bytes())
}

// Word returns what an output decides, or else the kind of text that it is.
func Word(printed []byte) string {
	out, err := hostjson.Parse(string(printed), hostjson.MaxDepth)
	if err != nil {
		return "notice"
	}
	for _, path := range [...]string{
		"hookSpecificOutput.permissionDecision",
		"hookSpecificOutput.decision.behavior",
		"hookSpecificOutput.action",
		"decision",
	} {
		if word := out.Get(path).Str(); word != "" {
			return word
		}
	}
	if out.Get("hookSpecificOutput.additionalContext").Exists() {
		return "context"
	}
	return "notice"
}
