package noun

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
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

func (s *Server) away(c *door.Call, in wire.AwayRequest) (out wire.Settings, err error) {
	mode, err := session.ParseMode(in.Mode)
	if err != nil {
		return out, door.BadRequest("%v", err)
	}
	if mode == session.Default && (in.Session == "" || in.ForMS != 0) {
		return out, door.BadRequest("away default is for one session, without a time")
	}
	if in.ForMS < 0 {
		return out, door.BadRequest("away: the time must not be negative")
	}
	if mode != session.On { // moving asks to the phone is always allowed
		if err := c.AllowHere(); err != nil {
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

func (s *Server) pause(c *door.Call, in wire.PauseRequest) (out wire.Settings, err error) {
	if in.On {
		if err := c.AllowHere(); err != nil {
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
