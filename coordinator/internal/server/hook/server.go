// Package hook answers the hooks of a session: it records what an event says, asks the person about a call, and says
// what the session is told and whether it may go on. It also answers a consultation that a session began.
//
// Only programs of Afar ask here, so nothing here decides for a person. What a session is comes from its hooks'
// input; the door has made sure that the hook speaks for it.
package hook

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/opinions"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Config is what a Server needs.
type Config struct {
	Core    *feature.Core
	Log     *slog.Logger
	Callers *callers.Register
	Place   workplace.Reader
	// Mark gives a client of the host its birthmark; nil gives none.
	Mark    func(pid int) error
	Hold    time.Duration // how long a Stop hook holds a session that checks in
	Consult Consult
	Wall    wall.Settings
	Actions io.Writer                                  // gets a line for each call that reaches others, nil for nowhere
	Agent   func(name string) (agents.Settings, error) // of runs
	// LastTextBeforeCall returns the last text that the model wrote in a transcript, for a call
	// that is asked about now. It may wait a second until the transcript contains the call.
	LastTextBeforeCall func(transcript string) string
	// Holds reports whether a transcript has a text that was given to its session at a time or
	// later. ok is false if nobody knows.
	Holds func(transcript, text string, since time.Time) (held, ok bool)
	// LoopPage returns the text of a session's loop.md; token names the session. The guard
	// does not let sessions write this file, so any difference was written by the person.
	LoopPage func(token string) string
	// Overrules returns the mods of other plugins that could overrule the guard in a
	// session.
	Overrules func(session.Session) []string
	// Opening returns what memory tells a session of a project that begins.
	Opening func(project string) string
	// Snapshot takes the planned snapshot of a step, and returns it soon.
	Snapshot func(ctx context.Context, id undo.ID) (undo.Snapshot, error)
}

// A Server answers hooks.
type Server struct {
	cfg      Config
	opinions *opinions.Desk

	mu     sync.Mutex
	opened map[ask.ID]*time.Timer // asks for whose answer no hook waits yet, see expectHook
}

// New returns a server. self is the process of the coordinator.
func New(cfg Config, self int) *Server {
	return &Server{cfg: cfg, opinions: opinions.NewDesk(self), opened: map[ask.ID]*time.Timer{}}
}

// Rows returns the operations of hooks, with who may ask for them.
func (s *Server) Rows() []door.Operation {
	return []door.Operation{
		door.Row(wire.OpSessionStart, door.Hook, heard(s, session.Idle, s.sessionStart)),
		door.Row(wire.OpSessionEnd, door.Hook, heard(s, "", s.sessionEnd)),
		door.Row(wire.OpPrompt, door.Hook, heard(s, session.Working, s.prompt)),
		door.Row(wire.OpExpand, door.Hook, heard(s, "", s.expand)),
		door.Row(wire.OpGuarded, door.Hook, heard(s, session.Working, s.guarded)),
		door.Row(wire.OpOutcome, door.Hook, heard(s, session.Working, s.outcome)),
		door.Row(wire.OpStop, door.Hook, heard(s, "", s.stop)),
		door.Row(wire.OpCheck, door.Hook, heard(s, session.Working, s.check)),
		door.Row(wire.OpStopFailure, door.Hook, whileOn(s, session.Idle, s.stopFailure)),
		door.Row(wire.OpPreCompact, door.Hook, whileOn(s, "", s.preCompact)),
		door.Row(wire.OpSubagentStop, door.Hook, heard(s, "", s.subagentStop)),
		door.Row(wire.OpSubagentStart, door.Hook, whileOn(s, "", s.subagentStart)),
		door.Row(wire.OpNotification, door.Hook, heard(s, "", s.notification)),
		door.Row(wire.OpDebug, door.Hook, s.debug),
		door.Row(wire.OpAskOpen, door.Hook, heard(s, "", s.askOpen)),
		door.Row(wire.OpAskWait, door.Hook, s.askWait),
		door.Row(wire.OpAskClaim, door.Hook, s.askClaim),
		door.Row(wire.OpAskEnded, door.Hook, s.askEnded),
		door.Row(wire.OpTurn, door.Hook, heard(s, session.Working, s.turn)),
		door.Row(wire.OpRetry, door.Hook, whileOn(s, session.Working, s.retry)),
		door.Row(wire.OpMessageTake, door.Hook, s.messageTake),
		door.Row(wire.OpCheckInOver, door.Hook, s.checkInOver),
		door.Row(wire.OpParkedWait, door.Hook, heard(s, "", s.parkedWait)),
		door.Row(wire.OpErrandWait, door.Hook, heard(s, "", s.errandWait)),
		door.Row(wire.OpRewake, door.Hook, s.rewake),
		door.Row(wire.OpBatch, door.Hook, whileOn(s, session.Working, s.batch)),
		door.Row(wire.OpPrinted, door.Hook, s.printed),
		door.Row(wire.OpConfigRefused, door.Hook, heard(s, "", s.configRefused)),
		door.Row(wire.OpUndoTake, door.Hook, whileOn(s, session.Working, s.undoTake)),
		door.Row(wire.OpConsults, door.Hook, whileOn(s, session.Working, s.consults)),
		door.Row(wire.OpConsultBegin, door.Own, s.consultBegin),
		door.Row(wire.OpConsultEnd, door.Own, s.consultEnd),
	}
}
