// Package guard is the local judge of a tool call: deny, ask, or no opinion.
//
// It works in two halves. Package understand turns a call into typed effects:
// what the call would delete, overwrite, run, publish or reveal. Package judge
// compares the effects with the place of the call and looks up the verdict in a
// table of rules. The halves share only the Effect type: a new tool is a row in
// the first half, a new policy is a row in the second.
//
// The package is linked into the PreToolUse hook. It does no I/O of its own,
// reads no clock and keeps no state. It never panics, and its cost is linear in
// the size of the call.
package guard

import (
	"errors"
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/understand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Judge decides about one tool call. It is safe for concurrent use if the
// functions of ctx are. It does not recover from its own panics: the caller
// must treat a panic as a refusal.
func Judge(call Call, ctx Context) Decision {
	return judge.Decide(call, understand.Read(call, siteOf(&ctx)), &ctx)
}

// Outward returns the programs and the tool through which a call reaches other machines or
// people, as far as its commands and the name of its tool show.
func Outward(call Call, ctx Context) []string {
	site := siteOf(&ctx)
	site.Record = true
	return outward(call, understand.Read(call, site).Root)
}

// OutwardOf is Outward for a call that is judged already, in a context with Steps.
func OutwardOf(call Call, d Decision) []string { return outward(call, d.Steps) }

func outward(call Call, root *effect.Step) (programs []string) {
	for _, e := range understand.Outward(call, root) {
		if !slices.Contains(programs, e.Target) {
			programs = append(programs, e.Target)
		}
	}
	return programs
}

// siteOf returns the part of a context that influences what a call does.
func siteOf(ctx *Context) shell.Site {
	return shell.Site{
		Cwd:      ctx.Cwd,
		Project:  ctx.Project,
		Home:     ctx.Home,
		Env:      ctx.Env,
		Own:      ctx.Own,
		Page:     ctx.Page,
		Path:     ctx.Path,
		FileText: ctx.FileText,
		Members:  ctx.Members,
		Skills:   ctx.Skills,
		ReadOnly: ctx.ReadOnly,
		Confirm:  ctx.Confirm,
		Record:   ctx.WantsSteps(),
	}
}

// HostFiles returns the paths of the files that a call makes the host load: a skill, a command or
// an agent.
func HostFiles(call Call, ctx Context) []string { return understand.HostFiles(call, siteOf(&ctx)) }

// ShellCall returns the call that runs a command in the shell.
func ShellCall(command string) Call {
	return Call{Tool: "Bash", Args: []Arg{{Path: "command", Value: command}}}
}

// ReadCall returns the call of a tool. text is the tool's input, a JSON object
// as the host writes it.
func ReadCall(tool, text string) (Call, error) {
	input, err := hostjson.Parse(text, hostjson.MaxDepth)
	if err != nil {
		return Call{}, fmt.Errorf("the input of %s %w", tool, err)
	}
	return NewCall(tool, input)
}

// NewCall returns the call of a tool. input is the tool's input, parsed by
// hostjson.Parse. NewCall is the only reader of tool inputs in Afar.
func NewCall(tool string, input hostjson.Value) (Call, error) {
	if tool == "" {
		return Call{}, errors.New("the call names no tool")
	}
	if !input.IsObject() {
		return Call{}, fmt.Errorf("the input of %s is not a JSON object", tool)
	}
	return Call{Tool: tool, Args: understand.Leaves(input)}, nil
}
