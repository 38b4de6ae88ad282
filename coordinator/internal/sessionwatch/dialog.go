package sessionwatch

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// unaskedFor is how long a dialog is open before it counts as one that no hook is asked about. A
// hook is asked within a second.
const unaskedFor = 4 * time.Second

// noteDialog notes whether the file of a session, which was in another state before, says that a
// dialog is open. What opens while a session is idle is a menu of the person, and no dialog; so is
// what opened during a turn that is over, because the file says only then that it is open. over
// is true if an ask about a dialog may have to end: the dialog closed, or an earlier coordinator may
// have seen it.
func (w *Watcher) noteDialog(id session.ID, was, state session.State) (over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	since, known := w.dialogs[id]
	switch {
	case state != session.Waiting:
		w.dialogs[id] = time.Time{}
		return !known || !since.IsZero()
	case was == session.Idle:
		w.dialogs[id] = time.Time{}
		return !since.IsZero()
	case since.IsZero() && (was == session.Working || !known):
		w.dialogs[id] = time.Now()
		w.wake()
	}
	return false
}

// hasDialogs reports whether any dialog is open, or was when its session was seen last.
func (w *Watcher) hasDialogs() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, since := range w.dialogs {
		if !since.IsZero() {
			return true
		}
	}
	return false
}

// openDialogs returns the dialogs that are open long enough to be asked about.
func (w *Watcher) openDialogs() map[session.ID]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[session.ID]time.Time{}
	for id, since := range w.dialogs {
		if !since.IsZero() && time.Since(since) >= unaskedFor {
			out[id] = since
		}
	}
	return out
}

// askAboutDialogs tells the person of the dialogs that no hook was asked about.
func (w *Watcher) askAboutDialogs() {
	for id, since := range w.openDialogs() {
		v, unasked := w.core.Unasked(id, since)
		if !unasked {
			continue
		}
		tool, input := pendingCall(v.Transcript)
		a := ask.NewTerminal(ask.ID(fmt.Sprintf("ask_dialog_%s_%d", id, since.UnixMilli())), v, tool, input)
		if err := w.core.AskAtTerminal(a, since); err != nil {
			w.log.Error("tell of a dialog", "err", err)
		}
	}
}

// pendingCall returns the tool and the input of the call that waits in a transcript.
func pendingCall(path string) (tool, input string) {
	for _, step := range transcript.Steps(path, 20) {
		if step.Ended {
			continue
		}
		in, err := hookinput.ReadTool(step.Tool, step.Input)
		if err != nil {
			return step.Tool, ""
		}
		return step.Tool, in.Text("")
	}
	return "a dialog of Claude Code", ""
}
