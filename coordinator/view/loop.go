package view

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Loops are what keeps sessions and runs at work: those that go on first.
var Loops = add(Noun{
	Name: "loop", Inner: true, Named: true,
	About: "which sessions keep going",
	Empty: "No loops. In a session: `/loop fix the failing tests`. With `--check 'go test ./...'` it goes on until " +
		"the check is green.",
	List: list(wire.OpLoops, wire.None{}, func(r wire.LoopsReply) []Thing { return Each(r.Loops, Loop) }),
	Read: one(wire.OpLoop, Loop),
	Does: map[string]Act{
		"cancel": says(wire.OpLoopCancel, named, "The loop of %s is cancelled. The session stops when it is done."),
	},
})

// Loop shows a loop by its innermost goal.
func Loop(l wire.Loop) Thing {
	out := Thing{ID: l.ID, State: wording.LoopState(l), Mark: loopMark(l), Notes: facts(Row{"", Plain, said(l.Note)})}
	if l.Active {
		out.Deeds = []Deed{{Key: "cancel", Label: "Cancel the loop", Sign: "⏹"}}
	}
	for i, f := range l.Stack {
		inside := facts(Row{"inside of", Plain, said(text.Only(i > 0, out.Title))})
		out.Details = slices.Concat(out.Details, inside, frame(f))
		out.Title, out.Texts = f.Goal, append(out.Texts, whole(f.Goal)...)
		out.Columns = lines(said(wording.FrameCount(f)), said(f.Mode), ago(l.UpdatedAt), said(wording.FrameBounds(f)))
	}
	return on(l.Origin, out)
}

func loopMark(l wire.Loop) Mark {
	switch {
	case l.Active:
		return Mark{Plain, "🔁"}
	case l.Verdict == "done" && l.Proven:
		return Mark{Good, "✅"}
	case l.Verdict == "", l.Verdict == "done", l.Verdict == "cancelled":
		return Mark{Muted, "⏹"}
	}
	return Mark{Ask, "⚠️"}
}

// frame returns what is to know of one level of a loop.
func frame(f wire.Frame) []Row {
	rows := facts(
		Row{"so far", Plain, append(said(f.Mode+" "+wording.FrameCount(f)+", started"), ago(f.StartedAt)...)},
		Row{"bounds", Plain, said(wording.FrameBounds(f))}, Row{"check", Plain, code(f.Check)},
		Row{"last", Plain, said(f.Checked)}, Row{"worktree", Plain, path(f.Worktree)}, Row{"branch", Plain, said(f.Branch)},
	)
	if is := f.Issue; is != nil {
		rows = append(rows, facts(Row{"in hand", Plain, said(wording.InHand(*is))}, Row{"review", Plain, said(is.Review)})...)
	}
	return append(rows, facts(Row{"used", Plain, said(wording.Used(f))})...)
}
