package telegram

import (
	"context"
	"errors"

	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// Say tells the paired person something at once, without the database, because the text is
// about trouble with the database. It is tried once.
func (c *Channel) Say(ctx context.Context, text string) error {
	l, _ := c.current()
	person, chat := c.person()
	if l == nil || person == nil {
		return errNobody
	}
	ctx, cancel := context.WithTimeout(ctx, c.pace.slack)
	defer cancel()
	return l.say(ctx, room{chat: chat}, text)
}

// SayOnce is Say without a Channel, for a coordinator that cannot start: it uses
// the stored token, the given API and an address that is known.
func SayOnce(ctx context.Context, cfg Config, api string, to channel.Address, text string) error {
	token, err := readToken(cfg.TokenFile)
	if err != nil {
		return err
	}
	if token == "" {
		return errors.New("no bot is connected")
	}
	at, err := parseAddress(to)
	if err != nil {
		return err
	}
	c := &Channel{cfg: cfg, pace: usualPace}
	l, err := c.linkAt(token, api)
	if err != nil {
		return err
	}
	defer l.close()
	ctx, cancel := context.WithTimeout(ctx, c.pace.slack)
	defer cancel()
	return l.say(ctx, at, text)
}
