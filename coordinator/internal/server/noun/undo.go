package noun

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxStep bounds the text of a step that a list of snapshots shows.
const maxStep = 400

func (s *Server) undos(*door.Call, wire.None) (wire.UndosReply, error) {
	return wire.UndosReply{Undos: wire.List(s.cfg.Core.Undos(), s.wireUndo)}, nil
}

// undo restores a snapshot for the person. At a terminal and on the page it waits for it.
func (s *Server) undo(c *door.Call, in wire.UndoRequest) (out wire.Undo, err error) {
	if in.ID == "" {
		return out, door.BadRequest("a snapshot needs an id")
	}
	var ids []string
	for _, v := range s.cfg.Core.Undos() {
		ids = append(ids, string(v.ID))
	}
	id, err := resolveID(in.ID, "undo_", ids)
	if err != nil {
		return out, err
	}
	by := undo.Restore{By: c.Decider(), All: in.Force}
	if in.Anyway {
		v, _ := s.cfg.Core.Undo(undo.ID(id)) // an unknown one has none
		by.Known = v.Newer
	}
	v, err := s.cfg.Core.StartUndo(undo.ID(id), by)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.Ctx, wire.UndoFor)
	defer cancel()
	v, err = s.cfg.Core.AwaitUndo(ctx, v.ID)
	if ctx.Err() != nil && c.Ctx.Err() == nil {
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
