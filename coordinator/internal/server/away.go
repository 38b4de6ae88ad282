package server

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) settings() wire.Settings {
	set := s.cfg.Core.Settings()
	return wire.Settings{
		Away:        string(set.Away.Mode),
		AwayUntil:   wire.Millis(set.Away.Until),
		Paused:      set.Paused,
		AnswersFrom: set.AnswersFrom,
		Silenced:    s.silences(set.Notes),
	}
}

func (s *Server) away(c *call, in wire.AwayRequest) (out wire.Settings, err error) {
	mode, err := session.ParseMode(in.Mode)
	if err != nil {
		return out, badRequest("%v", err)
	}
	if mode == session.Default && (in.Session == "" || in.ForMS != 0) {
		return out, badRequest("away default is for one session, without a time")
	}
	if in.ForMS < 0 {
		return out, badRequest("away: the time must not be negative")
	}
	if mode != session.On { // moving asks to the phone is always allowed
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

func (s *Server) pause(c *call, in wire.PauseRequest) (out wire.Settings, err error) {
	if in.On {
		if err := s.allowHere(c); err != nil {
			return out, err
		}
	}
	if in.Project != "" {
		if err := s.decideSilence(c, in); err != nil {
			return out, err
		}
		return s.settings(), nil
	}
	if err := s.cfg.Core.Pause(in.On); err != nil {
		return out, err
	}
	return s.settings(), nil
}

// awayTyped answers /afar:away with the arguments "on|off|auto [--for 2h]".
func (s *Server) awayTyped(p payload) (out wire.ExpandReply, err error) {
	words := strings.Fields(p.CommandArgs)
	if len(words) == 0 {
		now := string(s.cfg.Core.Away(p.Session))
		return blocked("Away is " + now + " for this session. /afar:away on, off or auto changes it."), nil
	}
	mode, err := session.ParseMode(words[0])
	if err != nil {
		return blocked(err.Error()), nil
	}
	if err := s.cfg.Core.Counts(terminal); err != nil && mode != session.On {
		return blocked(err.Error() + "; say it on the phone"), nil
	}
	var d time.Duration
	if len(words) > 1 {
		value, ok := strings.CutPrefix(strings.Join(words[1:], " "), "--for ")
		if d, err = time.ParseDuration(value); !ok || err != nil || d <= 0 {
			return blocked("Say it like this: /afar:away on --for 2h"), nil
		}
	}
	if err := s.cfg.Core.SetAway(string(p.Session), mode, d); err != nil {
		return out, err
	}
	return blocked("Away is " + strings.Join(words, " ") + " for this session."), nil
}
