package server

import (
	"context"
	"encoding/json"

	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) telegram(*call) (any, error) { return s.cfg.Telegram(), nil }

func (s *Server) telegramConnect(c *call) (any, error) {
	var in wire.TelegramConnect
	if err := json.Unmarshal(c.body, &in); err != nil || in.Token == "" {
		return nil, badRequest("a bot token is needed")
	}
	if err := s.allowAnew(c); err != nil {
		return nil, err
	}
	if err := s.cfg.Connect(c.ctx, in.Token, in.API); err != nil {
		return nil, err
	}
	return s.cfg.Telegram(), nil
}

// allowAnew says whether the phone may be another one from now on. Where
// answers at the terminal do not count, it would be the way around that.
func (s *Server) allowAnew(c *call) error {
	if s.cfg.Core.Person() == nil {
		return nil
	}
	return s.allowHere(c)
}

func (s *Server) telegramDisconnect(c *call) (any, error) {
	if err := s.allowAnew(c); err != nil {
		return nil, err
	}
	if err := s.cfg.Disconnect(); err != nil {
		return nil, err
	}
	return s.cfg.Telegram(), nil
}

func (s *Server) telegramPair(c *call) (any, error) {
	if err := s.allowAnew(c); err != nil {
		return nil, err
	}
	t := s.cfg.Telegram()
	if !t.Connected {
		return nil, badRequest("no bot yet: `afar telegram connect` connects one")
	}
	code, p, err := s.cfg.Core.StartPairing()
	if err != nil {
		return nil, err
	}
	return wire.Pairing{Code: code, ExpiresAt: p.ExpiresAt.UnixMilli(), Bot: t.Bot}, nil
}

// telegramPaired waits while a code waits for its person.
func (s *Server) telegramPaired(c *call) (any, error) {
	var in wire.PairWait
	if err := json.Unmarshal(c.body, &in); err != nil {
		return nil, badRequest("telegram.paired: %v", err)
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(in.WaitMS))
	defer cancel()
	for {
		changed := s.cfg.Core.Changed()
		t := s.cfg.Telegram()
		if !t.Pairing {
			return t, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return t, nil
		}
	}
}
