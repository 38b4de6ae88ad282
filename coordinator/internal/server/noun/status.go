package noun

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) status(_ *door.Call, in wire.StatusRequest) (wire.StatusReply, error) {
	sessions := []wire.Session{}
	if !in.NoSessions {
		sessions = append(s.sessions(), mirrored[wire.Session](s, fleet.OfSession)...)
	}
	return wire.StatusReply{
		Coordinator: s.cfg.Self,
		Guard:       s.cfg.Guard(),
		Page:        s.page(),
		Settings:    s.settings(),
		Channels:    s.channels(),
		Sessions:    sessions,
		Loops:       append(s.activeLoops(), mirrored[wire.Loop](s, fleet.OfLoop)...),
		Asks:        s.wireAsks(),
		Background:  s.background(),
		Fleet:       s.fleetChecks(),
	}, nil
}

func (s *Server) fleetChecks() []wire.Check {
	if s.cfg.Core.Fleet().Role == fleet.None {
		return nil
	}
	return s.cfg.Fleet.Checks()
}

func (s *Server) background() (out wire.Background) {
	out.SpentUSD, out.BudgetUSD = s.cfg.Core.Background()
	return out
}

func (s *Server) channels() []wire.Channel {
	t := s.telegramState()
	ch := wire.Channel{ID: "telegram", State: "off", Note: "not connected: afar telegram connect"}
	switch {
	case t.Failing != "":
		ch.State, ch.Note = "failing", t.Failing
	case t.Paired:
		ch.State, ch.Note = "ready", "@"+t.Bot+" with "+t.User
	case t.Connected:
		ch.State, ch.Note = "unpaired", "@"+t.Bot+" is not paired: afar telegram pair"
	}
	all := []wire.Channel{ch, s.cfg.Page.State(), {ID: door.Terminal, State: "ready"}}
	if self := s.cfg.Core.Fleet(); self.Role == fleet.Member {
		hub := wire.Channel{ID: fleet.Channel, State: "ready", Note: "the phone of " + self.Peer.Name}
		if why := s.cfg.Fleet.State(); why != "" {
			hub.State, hub.Note = "failing", why
		} else if s.cfg.Core.Person(fleet.Channel) == nil {
			hub.State, hub.Note = "unpaired", self.Peer.Name+" has no phone: afar telegram connect, there"
		}
		if !t.Connected { // a bot of its own shows them, too
			all = all[1:]
		}
		all = append([]wire.Channel{hub}, all...)
	}
	return all
}

func (s *Server) sessions() []wire.Session {
	ended := func(v session.Session) bool { return v.State == session.Ended }
	return wire.List(slices.DeleteFunc(s.cfg.Core.Sessions(), ended), s.wireSession)
}

func (s *Server) wireSession(v session.Session) wire.Session {
	w := wire.Session{
		ID:         string(v.ID),
		Token:      v.Token,
		Project:    v.Project,
		Mode:       v.Mode,
		State:      v.Shown(time.Now()),
		Since:      wire.Millis(v.Since),
		Attended:   v.Attended,
		Background: v.Background,
		Away:       string(v.Away.At(time.Now())),
		Terminal:   v.Terminal,
		Protected:  v.Hooked,
		ClientPID:  v.Client,
		Entrypoint: v.Entrypoint,
		Review:     v.Review.Words(),
		URL:        s.linkTo(sessionPath(v.Token)),
	}
	if v.Mod.Known() {
		w.Words = wire.WordsPrompt
	}
	w.Sandbox = v.State != session.Ended && s.cfg.Place.IsSandboxed(v)
	if r, ok := s.cfg.Core.RunOf(v.ID); ok {
		w.Run = r.Name
	}
	s.glance(&w, v)
	return w
}

// glance adds what the host's files now say about a session.
func (s *Server) glance(w *wire.Session, v session.Session) {
	var g usage.Glance
	if v.Transcript != "" {
		g = s.cfg.Glance(v.Transcript)
	}
	w.About = about(cmp.Or(v.Name, g.Title, v.Typed, g.First))
	w.Model, w.Context = about(cmp.Or(g.Model, v.Model)), g.Context
	if g.Todos != nil {
		w.Todos = &wire.Todos{Done: g.Todos.Done, Total: g.Todos.Total}
	}
	w.SpentUSD = g.Spent.USD
	if g.Doing != nil && v.State == session.Working {
		w.Running, w.RunningSince = about(g.Doing.Tool+" "+stepInput(*g.Doing)), wire.Millis(g.Doing.At)
	}
}

// maxAbout bounds the text about a session before it is masked, in bytes. A longer text is
// not cut inside a line, because half of a secret would not be recognized.
const maxAbout = 4 << 10

// about returns a text of a session as one masked line of at most 200 characters.
func about(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > maxAbout {
		s, _, _ = strings.Cut(s, "\n")
	}
	if len(s) > maxAbout {
		return ""
	}
	line := []rune(text.Fold(redact.Clean(s)))
	return string(line[:min(len(line), 200)])
}

func (s *Server) shutdown(_ *door.Call, in wire.ShutdownRequest) (out wire.ShutdownReply, err error) {
	if in.Runs && s.cfg.Runs.End != nil {
		out.Runs = s.cfg.Runs.End()
	}
	s.cfg.Shutdown()
	return out, nil
}

func (s *Server) ping(*door.Call, wire.None) (wire.None, error) {
	return wire.None{}, nil
}
