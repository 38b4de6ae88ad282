package telegram

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxUndo bounds what a card says of a snapshot, in UTF-16 units.
const maxUndo = 400

// undoable returns the ask of a card whose step can be undone. If there is none, it returns
// an ask that has a snapshot.
func undoable(card ask.Card) (found ask.Ask, ok bool) {
	for _, a := range card {
		switch {
		case a.Undo == nil:
		case a.Undo.Button != "":
			return a, true
		case !ok:
			found, ok = a, true
		}
	}
	return found, ok
}

// undoLine describes the snapshot of a card's step.
func undoLine(card ask.Card) (lines []string) {
	if a, ok := undoable(card); ok {
		lines = append(lines, "↩️ "+line(a.Undo.Line, maxUndo))
	}
	return lines
}

// undoRows returns the only button that a settled card may have.
func undoRows(card ask.Card) [][]button {
	a, ok := undoable(card)
	if !ok || a.Undo.Button == "" {
		return nil
	}
	return [][]button{{{a.Undo.Button, undoData(a.Nonce, a.Undo.Anyway)}}}
}

// takeBack restores the snapshot of a button. Its card says how it turns out.
func (l *link) takeBack(act channel.Act, c callback) error {
	a, _ := l.cfg.Core.AskByNonce(c.nonce) // an unknown one has no snapshot
	if a.Undo == nil {
		return l.cfg.Core.Acknowledge(act, "This snapshot is no longer known. Nothing was changed.")
	}
	id := a.Undo.ID
	if a.Mirrored() {
		id += "@" + a.From.Machine
	}
	return order(l, act, wire.OpUndo, wire.UndoRequest{ID: id, Anyway: c.value == "w"})
}

func saidUndoing(*link, string, wire.Undo) (said, error) {
	return said{text: "Undoing. The card says how it turns out."}, nil
}
