package hook

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A payload is a hook's input.
type payload = hookinput.Payload

// payloads decodes the input of hooks.
var payloads = hostjson.NewDecoder[payload]()

// shells returns the ids of the running background shells, and a description of each.
func shells(p payload) (ids, words []string) {
	for _, t := range p.Background {
		if !t.IsAgent() {
			ids = append(ids, t.ID)
			words = append(words, text.Fold(redact.Mask(t.Description+" ("+t.ID+")")))
		}
	}
	return ids, words
}

// hookCall reads the host's input from a hook's call and records what the call says about
// its session. It refuses a call without a session id, which would match any session.
func (s *Server) hookCall(c *door.Call, h wire.HookCall, state session.State) (p payload, err error) {
	if p, err = s.speaker(c, h); err != nil {
		return p, err
	}
	unmarked := s.cfg.Callers.WasUnmarked(c.Line, h.Client)
	_, err = s.cfg.Core.See(session.Sighting{
		ID:         p.Session,
		Cwd:        p.Cwd,
		Transcript: p.Transcript,
		Mode:       p.Mode,
		Entrypoint: h.Entrypoint,
		Terminal:   h.Terminal,
		Client:     h.Client,
		ClientBorn: born(c.Line, h.Client),
		Unmarked:   unmarked,
		Attended:   h.Attended,
		Background: h.Background,
		KnowAtt:    true,
		Agents:     p.HasAgents(),
		KnowAgents: p.Event == hookinput.Stop,
		Crons:      p.CronPrompts(),
		Hooked:     true,
		State:      state,
		Starts:     p.Event == hookinput.SessionStart,
		Batch:      p.Event == hookinput.PostToolBatch,
		Model:      p.StartModel(),
	})
	if err != nil {
		return p, err
	}
	if unmarked {
		s.mark(h.Client)
	}
	return p, errors.Join(s.redirected(h, p), s.heardOf(h, p, p.Event == hookinput.SessionStart))
}

// speaker reads the host's input from a hook's call, like hookCall, and records nothing.
func (s *Server) speaker(c *door.Call, h wire.HookCall) (p payload, err error) {
	if p, err = payloads.Decode(c.Payload()); err != nil {
		return p, door.BadRequest("hook input: %v", err)
	}
	if p.Session == "" {
		return p, door.BadRequest("hook input: the session id is missing")
	}
	return p, c.AllowFor(p.Session, h.Client)
}

// redirected journals the variables with which a project tried to move Afar's
// directories.
func (s *Server) redirected(h wire.HookCall, p payload) error {
	if len(h.Redirected) == 0 {
		return nil
	}
	text := "the session's environment tried to move Afar: " + redact.Mask(strings.Join(h.Redirected, " "))
	return s.cfg.Core.Note(event.Redirected, p.Session, "", text)
}

// A request of a hook says in Hook what every hook says.
type request interface{ Hook() wire.HookCall }

// heard returns the handler of an operation whose hook says that its session is in a state, "" for nothing new.
func heard[Request request, Reply any](
	s *Server, state session.State, do func(*door.Call, payload, Request) (Reply, error),
) func(*door.Call, Request) (Reply, error) {
	return func(c *door.Call, in Request) (out Reply, err error) {
		p, err := s.hookCall(c, in.Hook(), state)
		if err != nil {
			return out, err
		}
		return do(c, p, in)
	}
}

// whileOn is heard for an operation that does nothing while Afar is off.
func whileOn[Request request, Reply any](
	s *Server, state session.State, do func(*door.Call, payload, Request) (Reply, error),
) func(*door.Call, Request) (Reply, error) {
	return heard(s, state, func(c *door.Call, p payload, in Request) (out Reply, err error) {
		if s.silent(in.Hook()) {
			return out, nil
		}
		return do(c, p, in)
	})
}

// silent reports whether everything except the guard is off for this call.
func (s *Server) silent(h wire.HookCall) bool { return h.Off || s.cfg.Core.Settings().Paused }
