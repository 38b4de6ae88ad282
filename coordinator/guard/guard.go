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

import (
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/understand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Judge decides about one tool call. It is safe for concurrent use, given
// that the functions of ctx are. It does not recover from a panic of its own:
// the caller must take one for a refusal.
func Judge(call Call, ctx Context) Decision {
	return judge.Decide(call, understand.Read(call, siteOf(&ctx)), &ctx)
}

// siteOf returns the part of a context on which it hangs what a call does.
func siteOf(ctx *Context) shell.Site {
	return shell.Site{
		Cwd:      ctx.Cwd,
		Project:  ctx.Project,
		Home:     ctx.Home,
		Env:      ctx.Env,
		Own:      ctx.Own,
		ReadOnly: ctx.ReadOnly,
		Record:   ctx.WantsSteps(),
	}
}
