package server

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) telegram(*call, wire.TelegramRequest) (wire.TelegramReply, error) {
	return s.cfg.Telegram(), nil
}

func (s *Server) telegramConnect(c *call, in wire.TelegramConnectRequest) (out wire.TelegramConnectReply, err error) {
	if in.Token == "" {
		return out, badRequest("a bot token is needed")
	}
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	if err := s.cfg.Connect(c.ctx, in.Token, in.API); err != nil {
		return out, err
	}
	return s.cfg.Telegram(), nil
}

// allowAnew returns an error if another phone may not be paired. Where answers at the
// terminal do not count, pairing another phone would be a way around that.
func (s *Server) allowAnew(c *call) error {
	if !s.cfg.Telegram().Paired {
		return nil
	}
	return s.allowHere(c)
}

func (s *Server) telegramDisconnect(
	c *call, _ wire.TelegramDisconnectRequest,
) (out wire.TelegramDisconnectReply, err error) {
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	if err := s.cfg.Disconnect(); err != nil {
		return out, err
	}
	return s.cfg.Telegram(), nil
}

func (s *Server) telegramPair(c *call, _ wire.TelegramPairRequest) (out wire.TelegramPairReply, err error) {
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	t := s.cfg.Telegram()
	if !t.Connected {
		return out, badRequest("no bot yet: `afar telegram connect` connects one")
	}
	code, p, err := s.cfg.Pair()
	if err != nil {
		return out, err
	}
	return wire.TelegramPairReply{Code: code, ExpiresAt: p.ExpiresAt.UnixMilli(), Bot: t.Bot}, nil
}

// telegramPaired waits while a pairing code is open, and returns the channel's state.
func (s *Server) telegramPaired(c *call, in wire.TelegramPairedRequest) (wire.TelegramPairedReply, error) {
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(in.WaitMS))
	defer cancel()
	changed := s.cfg.Core.Subscribe(core.Pairing)
	defer changed.Close()
	for {
		t := s.cfg.Telegram()
		if !t.Pairing {
			return t, nil
		}
		select {
		case <-changed.C:
		case <-ctx.Done():
			return t, nil
		}
	}
}
