package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) status(*call, wire.StatusRequest) (wire.StatusReply, error) {
	return wire.StatusReply{
		Coordinator: s.cfg.Self(), Guard: s.cfg.Guard(), Settings: s.settings(), Channels: s.channels(),
		Sessions: s.sessions(), Loops: s.activeLoops(), Asks: s.wireAsks(),
	}, nil
}

func (s *Server) settings() wire.Settings {
	set := s.cfg.Core.Settings()
	return wire.Settings{Away: string(set.Away.Mode), AwayUntil: millis(set.Away.Until), Paused: set.Paused, AnswersFrom: set.AnswersFrom}
}

func (s *Server) channels() []wire.Channel {
	t := s.cfg.Telegram()
	ch := wire.Channel{ID: "telegram", State: "off", Note: "not connected: afar telegram connect"}
	switch {
	case t.Failing != "":
		ch.State, ch.Note = "failing", t.Failing
	case t.Paired:
		ch.State, ch.Note = "ready", "@"+t.Bot+" with "+t.User
	case t.Connected:
		ch.State, ch.Note = "unpaired", "@"+t.Bot+" is not paired: afar telegram pair"
	}
	return []wire.Channel{ch, {ID: "terminal", State: "ready"}}
}

func (s *Server) sessions() []wire.Session {
	out := []wire.Session{}
	for _, v := range s.cfg.Core.Sessions() {
		if v.State == session.Ended {
			continue
		}
		w := wire.Session{
			ID: string(v.ID), Token: v.Token, Project: v.Project, Mode: v.Mode, State: state(v), Since: millis(v.Since),
			Attended: v.Attended, Away: string(v.Away.At(time.Now())), Terminal: v.Terminal, Protected: v.Hooked,
			ClientPID: v.Client, Entrypoint: v.Entrypoint, Review: v.Review.Words(),
		}
		s.glance(&w, v)
		out = append(out, w)
	}
	return out
}

// glance adds what the host's files say of a session now.
func (s *Server) glance(w *wire.Session, v session.Session) {
	var g usage.Glance
	if v.Transcript != "" {
		g = s.cfg.Glance(v.Transcript)
	}
	w.About = about(cmp.Or(v.Name, g.Title, g.First, v.Typed))
	w.Model, w.Context = about(cmp.Or(g.Model, v.Model)), g.Context
	if g.Todos != nil {
		w.Todos = &wire.Todos{Done: g.Todos.Done, Total: g.Todos.Total}
	}
}

// maxAbout bounds what a session is about, in bytes before it is masked: a secret
// that is cut in two would not be known.
const maxAbout = 4 << 10

// about is a text of a session in one line, masked and bounded.
func about(text string) string {
	if len(text) > maxAbout {
		text, _, _ = strings.Cut(text, "\n")
	}
	if len(text) > maxAbout {
		return ""
	}
	line := []rune(oneLine(redact.Visible(redact.Mask(text))))
	return string(line[:min(len(line), 200)])
}

func state(v session.Session) string {
	if v.Unprotected(time.Now()) {
		return "unprotected"
	}
	return string(v.State)
}

func (s *Server) away(c *call, in wire.AwayRequest) (out wire.AwayReply, err error) {
	mode, err := session.ParseMode(in.Mode)
	if err != nil {
		return out, badRequest("%v", err)
	}
	if in.ForMS < 0 {
		return out, badRequest("away: a time that is not negative is needed")
	}
	if mode != session.On { // to the phone is never the wrong way
		if err := s.allowHere(c); err != nil {
			return out, err
		}
	}
	if in.Session != "" {
		v, err := s.session(in.Session)
		if err != nil {
			return out, err
		}
		in.Session = v.Token
	}
	if err := s.cfg.Core.SetAway(in.Session, mode, time.Duration(in.ForMS)*time.Millisecond); err != nil {
		return out, err
	}
	return s.settings(), nil
}

func (s *Server) pause(c *call, in wire.PauseRequest) (out wire.PauseReply, err error) {
	if in.On {
		if err := s.allowHere(c); err != nil {
			return out, err
		}
	}
	if err := s.cfg.Core.Pause(in.On); err != nil {
		return out, err
	}
	return s.settings(), nil
}

// Bounds of one journal query.
const (
	defaultEntries = 200
	maxEntries     = 5000
)

func (s *Server) log(c *call, in wire.LogRequest) (out wire.LogReply, err error) {
	limit := cmp.Or(in.Limit, defaultEntries)
	if limit < 0 || limit > maxEntries {
		return out, badRequest("log: a limit from 1 to %d is needed", maxEntries)
	}
	id := session.ID("")
	if in.Session != "" {
		v, err := s.session(in.Session)
		if err != nil {
			return out, err
		}
		id = v.ID
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(in.WaitMS))
	defer cancel()
	events, err := s.cfg.Core.Journal(ctx, in.After, limit, id, in.Last)
	if err != nil {
		return out, err
	}
	return wire.LogReply{Entries: s.wireEntries(events)}, nil
}

func (s *Server) wireEntry(e event.Event) wire.Entry {
	v, _ := s.cfg.Core.Session(string(e.Session)) // an entry of a forgotten session has no token
	return wire.Entry{
		Seq: e.Seq, ID: fmt.Sprint(e.Seq), At: e.At.UnixMilli(), Kind: string(e.Kind),
		Session: string(e.Session), Token: v.Token, Subject: e.Subject, Text: e.Text, Hash: e.Hash,
	}
}

func (s *Server) verify(*call, wire.VerifyRequest) (wire.VerifyReply, error) {
	entries, broken, head, err := s.cfg.Core.Verify()
	return wire.VerifyReply{Entries: entries, OK: broken == 0, Broken: broken, Head: head}, err
}

func (s *Server) doctor(*call, wire.DoctorRequest) (wire.DoctorReply, error) {
	checks := s.cfg.Doctor()
	for _, v := range s.cfg.Core.Sessions() {
		if v.Unprotected(time.Now()) {
			checks = append(checks, wire.Check{
				ID: "session " + v.Token, State: "bad", Text: "runs in " + v.Project + " without Afar's hooks",
				Fix: "end it and start it again; if it stays, look at disableAllHooks and enabledPlugins in that project's .claude/settings.json",
			})
		}
	}
	return wire.DoctorReply{Checks: checks}, nil
}

func (s *Server) shutdown(*call, wire.ShutdownRequest) (wire.ShutdownReply, error) {
	s.cfg.Shutdown()
	return wire.ShutdownReply{}, nil
}

func (s *Server) ping(*call, wire.PingRequest) (wire.PingReply, error) {
	return wire.PingReply{}, nil
}
