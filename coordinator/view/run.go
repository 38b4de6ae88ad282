package view

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Runs are conversations with an agent that works without a terminal: those that need the person first.
var Runs = add(Noun{
	Name: "run", Named: true,
	Empty: "No runs. A run works without a terminal and asks you here. At a terminal: `afar run start 'bring the " +
		"dependencies up to date'`. On the phone: `/run` and what to do.",
	List: list(wire.OpRuns, wire.RunsRequest{}, func(r wire.RunsReply) []Thing { return Each(r.Runs, Run) }),
	Read: one(wire.OpRun, Run),
})

// Run shows a run.
func Run(r wire.Run) Thing {
	out := Thing{
		ID: r.Name, Title: cmp.Or(r.About, r.Name), State: wording.RunState(r.State), Mark: RunMark(r.State), Level: r.Depth,
		Columns: []Line{ago(r.Since), said(r.Agent), path(r.Dir)},
		About:   cmp.Or(r.Doing, wording.RunLast(r)),
		Details: facts(
			Row{"in", Plain, path(r.Dir)}, Row{"agent", Plain, said(r.Agent + ", mode " + r.Mode)},
			Row{"model", Plain, said(r.Model)}, Row{"turns", Plain, said(wording.RunTurns(r))},
			Row{"used", Plain, said(wording.RunUsed(r))},
			Row{"started", Plain, append(ago(r.StartedAt), said("by "+r.By)...)},
			Row{"proposed by", Plain, said(r.Parent)}, Row{"worktree", Plain, path(r.Worktree)},
			Row{"until", Plain, when("it works until", r.Until)}, Row{"held by", Plain, said(r.HeldBy)},
			Row{"wall", Plain, said(wording.RunWall(r))},
			Row{"conversation", Plain, code(r.Conversation)},
			Row{"branch", Plain, said(text.Only(r.Branch != "", r.Branch+", to land on "+r.Base))},
		),
	}
	if can := r.Can; can != nil {
		out.Details = append(out.Details, facts(Row{"guard", Plain, said(wording.RunGuard(*can))},
			Row{"cannot", Plain, said(wording.RunCannot(*can))})...)
	}
	without := said(text.Only(r.Lacks != "", "the tools of "+r.Lacks))
	out.Details = append(out.Details, facts(Row{"without", Ask, without})...)
	out.Notes = facts(Row{"", Ask, said(text.Only(r.Why != out.About, r.Why))})
	if r.HeldBy != "" {
		out.Foot = append(said("It goes on when it is given back:"), code("afar run give "+r.Name)...)
	}
	if r.Ask != "" {
		out.Foot = append(said("It waits for your answer:"), code("afar asks "+r.Ask)...)
	}
	return on(r.Origin, out)
}

// RunMark returns how the state of a run looks.
func RunMark(state string) Mark {
	marks := map[string]Mark{
		"starting": {Plain, "⚙️"}, "working": {Plain, "⚙️"}, "queued": {Plain, "⏳"}, "waiting": {Ask, "❓"},
		"failed": {Bad, "⚠️"}, "stopped": {Plain, "⏹"}, "taken": {Plain, "⌨️"},
	}
	return cmp.Or(marks[state], Mark{Good, "✅"})
}
