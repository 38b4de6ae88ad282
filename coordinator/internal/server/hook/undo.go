package hook

import (
	"context"
	"errors"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxStep bounds the text of a step that a list of snapshots shows.
const maxStep = 400

// undoTake takes a snapshot before the question is asked. The tool runs at once after a
// yes at the host's own dialog.
func (s *Server) undoTake(c *door.Call, p payload, in wire.UndoTakeRequest) (out wire.UndoTakeReply, err error) {
	v, err := s.snapshot(c.Ctx, in.Project, p)
	return wire.UndoTakeReply{Line: v.Line()}, err
}

// snapshot saves what a call may destroy. It returns the zero Snapshot if there is nothing to keep.
func (s *Server) snapshot(ctx context.Context, project string, p payload) (v undo.Snapshot, err error) {
	call, err := toolInput(p)
	if err != nil {
		return v, err
	}
	v, err = s.planUndo(p, s.see(project, p, call), "", "")
	if err == nil && v.ID != "" {
		v, err = s.cfg.Snapshot(ctx, v.ID)
	}
	return v, err
}

// planUndo plans a snapshot of what a call may destroy. of is the ask about the call;
// shown is an ask whose card only offers the snapshot. It returns the zero Snapshot if there
// is nothing to keep.
func (s *Server) planUndo(p payload, c toolcall.Call, of, shown ask.ID) (v undo.Snapshot, err error) {
	if len(c.Losses) == 0 {
		return v, nil
	}
	return s.cfg.Core.PlanUndo(undo.Snapshot{
		Session: p.Session,
		Agent:   p.Agent,
		Tool:    p.Tool,
		Hash:    c.Input.Hash(),
		Text:    text.Fold(redact.Visible(ask.Elide(c.Input.Text(""), maxStep))),
		Ask:     of,
		Shown:   shown,
		Losses:  c.Losses,
	})
}

// snapshotAsked plans the snapshot of a call that was just asked about. If the host's dialog is
// open too, it takes the snapshot at once, because the answer may come from there.
// Otherwise snapshotAllowed takes it when the hook claims the answer.
func (s *Server) snapshotAsked(ctx context.Context, p payload, c toolcall.Call, a ask.Ask) {
	kinds, states := []ask.Kind{ask.Permission, ask.Guard}, []ask.State{ask.Open, ask.Answered}
	if !slices.Contains(kinds, a.Kind) || !slices.Contains(states, a.State) {
		return
	}
	v, err := s.planUndo(p, c, a.ID, "")
	if v.State == undo.Planned && a.Dialog() && a.State == ask.Open {
		_, err = s.cfg.Snapshot(ctx, v.ID)
	}
	s.logUndo(a.ID, err)
}

// snapshotAllowed takes the snapshot of a call that was allowed, just before its hook tells the
// host. So nothing can change between the snapshot and the call.
func (s *Server) snapshotAllowed(ctx context.Context, id ask.ID) {
	a, _ := s.cfg.Core.Ask(id) // zero if there is none
	isAllowed := a.State == ask.Answered && a.Decision != nil && a.Decision.Allow
	if v, _ := s.cfg.Core.UndoOf(id); isAllowed && v.Ask == id {
		_, err := s.cfg.Snapshot(ctx, v.ID)
		s.logUndo(id, err)
	}
}

// snapshotRetry takes the snapshot of a call that auto mode refused and the person then allowed
// once. The card of the refusal offers it.
func (s *Server) snapshotRetry(ctx context.Context, project string, p payload, in ask.Input, refused ask.ID) {
	v, err := s.planUndo(p, s.see(project, p, in), "", refused)
	if err == nil && v.ID != "" {
		_, err = s.cfg.Snapshot(ctx, v.ID)
	}
	s.logUndo(refused, err)
}

// logUndo logs that a snapshot could not be recorded.
func (s *Server) logUndo(id ask.ID, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.cfg.Log.Error("take snapshot", "ask", id, "err", err)
	}
}
