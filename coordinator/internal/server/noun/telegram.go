package noun

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Telegram is the channel whose bot is connected and paired from the command line.
type Telegram interface {
	// Connect begins to speak through the bot of this token. An api of "" means the one
	// that the settings name.
	Connect(ctx context.Context, token, api string) (bot string, err error)
	// Disconnect forgets the bot and its person.
	Disconnect() error
	// StartPairing makes a new code. An older code is no longer valid.
	StartPairing() (code string, p *channel.Pairing, err error)
	Status() channel.Status
}

// telegramState returns the state of the channel. The bot's token is never sent.
func (s *Server) telegramState() wire.TelegramReply {
	t := s.cfg.Telegram.Status()
	w := wire.TelegramReply{
		Connected: t.Connected,
		Bot:       t.Speaker,
		API:       t.API,
		Failing:   t.Failing,
		Pairing:   t.Pairing,
	}
	if p := t.Person; p != nil {
		w.Paired, w.User, w.Chat = true, p.Name, string(p.Address)
	}
	return w
}

func (s *Server) telegram(*door.Call, wire.None) (wire.TelegramReply, error) {
	return s.telegramState(), nil
}

func (s *Server) telegramConnect(c *door.Call, in wire.TelegramConnectRequest) (out wire.TelegramReply, err error) {
	if in.Token == "" {
		return out, door.BadRequest("a bot token is needed")
	}
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	if _, err := s.cfg.Telegram.Connect(c.Ctx, in.Token, in.API); err != nil {
		return out, door.BadRequest("%v", err)
	}
	return s.telegramState(), nil
}

// allowAnew returns an error if another phone may not be paired. Where answers at the
// terminal do not count, pairing another phone would be a way around that.
func (s *Server) allowAnew(c *door.Call) error {
	if !s.telegramState().Paired {
		return nil
	}
	return c.AllowHere()
}

func (s *Server) telegramDisconnect(
	c *door.Call, _ wire.None,
) (out wire.TelegramReply, err error) {
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	if err := s.cfg.Telegram.Disconnect(); err != nil {
		return out, err
	}
	return s.telegramState(), nil
}

func (s *Server) telegramPair(c *door.Call, _ wire.None) (out wire.TelegramPairReply, err error) {
	if err := s.allowAnew(c); err != nil {
		return out, err
	}
	t := s.telegramState()
	if !t.Connected {
		return out, door.BadRequest("no bot yet: `afar telegram connect` connects one")
	}
	code, p, err := s.cfg.Telegram.StartPairing()
	if err != nil {
		return out, err
	}
	return wire.TelegramPairReply{Code: code, ExpiresAt: p.ExpiresAt.UnixMilli(), Bot: t.Bot}, nil
}

// telegramPaired waits while a pairing code is open, and returns the channel's state.
func (s *Server) telegramPaired(c *door.Call, in wire.TelegramPairedRequest) (wire.TelegramReply, error) {
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	changed := s.cfg.Core.Subscribe(core.Pairing)
	defer changed.Close()
	for {
		t := s.telegramState()
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
