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
	if err := s.cfg.Connect(c.ctx, in.Token, in.API); err != nil {
		return nil, err
	}
	return s.cfg.Telegram(), nil
}

func (s *Server) telegramDisconnect(*call) (any, error) {
	if err := s.cfg.Disconnect(); err != nil {
		return nil, err
	}
	return s.cfg.Telegram(), nil
}

func (s *Server) telegramPair(*call) (any, error) {
	t := s.cfg.Telegram()
	if !t.Connected {
		return nil, badRequest("no bot is connected yet: afar telegram connect")
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
