package sessionwatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestNoteDialog: a dialog that opens while a session works is told after some seconds, once. A menu
// that the person opens while it is idle is not.
func TestNoteDialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watcher{dialogs: map[session.ID]time.Time{}}
		w.noteDialog("s", "", session.Idle)
		w.noteDialog("s", session.Idle, session.Waiting)
		w.noteDialog("s", session.Waiting, session.Waiting) // another line of the file changed
		time.Sleep(time.Minute)
		if open := w.openDialogs(); len(open) != 0 {
			t.Errorf("a menu is told: %v", open)
		}
		w.noteDialog("s", session.Waiting, session.Idle)
		w.noteDialog("s", session.Working, session.Waiting)
		if open := w.openDialogs(); len(open) != 0 {
			t.Errorf("told at once: %v", open)
		}
		opened := time.Now()
		time.Sleep(unaskedFor)
		w.noteDialog("s", session.Waiting, session.Waiting)
		if open := w.openDialogs(); !open["s"].Equal(opened) {
			t.Errorf("open are %v, want the dialog of %v", open, opened)
		}
		if !w.noteDialog("s", session.Waiting, session.Working) || len(w.openDialogs()) != 0 {
			t.Error("a dialog that closed is open")
		}
		w.noteDialog("s", session.Working, session.Waiting) // a menu of before: the turn is over
		w.noteDialog("s", session.Idle, session.Waiting)    // as its hooks say
		time.Sleep(unaskedFor)
		if open := w.openDialogs(); len(open) != 0 {
			t.Errorf("a menu that was opened during the turn is told: %v", open)
		}
	})
}
