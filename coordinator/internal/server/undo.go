package server

import (
	"context"
	"errors"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
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
func (s *Server) undoTake(c *call, in wire.UndoTakeRequest) (out wire.UndoTakeReply, err error) {
	p, active, err := s.activeCall(c, in.HookCall, session.Working)
	if !active {
		return out, err
	}
	v, err := s.snapshot(c.ctx, in.Project, p)
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

func (s *Server) undos(*call, wire.None) (wire.UndosReply, error) {
	return wire.UndosReply{Undos: wire.List(s.cfg.Core.Undos(), s.wireUndo)}, nil
}

// undo restores a snapshot for the person. At a terminal and on the page it waits for it.
func (s *Server) undo(c *call, in wire.UndoRequest) (out wire.Undo, err error) {
	if in.ID == "" {
		return out, badRequest("a snapshot needs an id")
	}
	var ids []string
	for _, v := range s.cfg.Core.Undos() {
		ids = append(ids, string(v.ID))
	}
	id, err := resolveID(in.ID, "undo_", ids)
	if err != nil {
		return out, err
	}
	by := undo.Restore{By: c.decider(), All: in.Force}
	if in.Anyway {
		v, _ := s.cfg.Core.Undo(undo.ID(id)) // an unknown one has none
		by.Known = v.Newer
	}
	v, err := s.cfg.Core.StartUndo(undo.ID(id), by)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, wire.UndoFor)
	defer cancel()
	v, err = s.cfg.Core.AwaitUndo(ctx, v.ID)
	if ctx.Err() != nil && c.ctx.Err() == nil {
		err = nil // the restore goes on; its state says so
	}
	return s.wireUndo(v), err
}

func (s *Server) wireUndo(v undo.Snapshot) wire.Undo {
	in, _ := s.cfg.Core.Session(string(v.Session)) // a snapshot without a known session has an empty token
	w := wire.Undo{
		ID:      string(v.ID),
		State:   string(v.State),
		Session: string(v.Session),
		Token:   in.Token,
		Project: in.Project,
		Tool:    v.Tool,
		Input:   v.Text,
		Ask:     string(v.Ask),
		Undoes:  string(v.Undoes),
		Holds:   v.Holds(),
		TakenAt: wire.Millis(v.TakenAt),
		RanAt:   wire.Millis(v.RanAt),
		EndsAt:  wire.Millis(v.EndsAt),
		Newer:   v.Newer,
		Notes:   v.Notes(),
	}
	for _, p := range v.Pictures {
		w.Files, w.Bytes, w.Left = w.Files+p.Files, w.Bytes+p.Bytes, append(w.Left, p.Left...)
	}
	if r := v.Restore; r != nil {
		w.By, w.Failed = r.By, r.Failed
	}
	if v.State == undo.Restored {
		w.UndoneAt, w.Did, w.Redo = wire.Millis(v.Restore.DoneAt), v.Restore.Did, string(v.Restore.Redo)
	}
	return w
}
