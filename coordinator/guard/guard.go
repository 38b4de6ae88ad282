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

// siteOf returns the part of a context that influences what a call does.
func siteOf(ctx *Context) shell.Site {
	return shell.Site{
		Cwd:      ctx.Cwd,
		Project:  ctx.Project,
		Home:     ctx.Home,
		Env:      ctx.Env,
		Own:      ctx.Own,
		Page:     ctx.Page,
		FileText: ctx.FileText,
		ReadOnly: ctx.ReadOnly,
		Record:   ctx.WantsSteps(),
	}
}
