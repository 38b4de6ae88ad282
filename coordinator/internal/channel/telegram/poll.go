package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// poll receives updates and handles them until ctx ends or Telegram no longer accepts the
// token. A request for the next updates acknowledges the earlier ones, so those are
// committed first, each with what it does where it does something.
func (l *link) poll(ctx context.Context) {
	// An offset of 0 asks for all updates that are not acknowledged yet. The ids may start
	// again below ours, with another bot or after a week of silence. Updates that we hold
	// already are recognised by their ids.
	var offset int64
	var err error
	tries := 0
	for {
		l.settle(ctx)
		offset, err = l.round(ctx, offset, l.hold(err))
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			l.worked()
			tries = 0
			continue
		}
		l.failed(err)
		if isCode(err, http.StatusUnauthorized) {
			return
		}
		sleep(ctx, l.pause(err, tries))
		tries++
	}
}

// hold returns how long the next poll may wait. After a failure it does not wait, to learn
// soon whether the failure is over. After a conflict it waits for so long that another
// polling program would end it; if none does, the conflict is over.
func (l *link) hold(err error) time.Duration {
	switch {
	case err == nil:
		return l.pace.hold
	case isCode(err, http.StatusConflict):
		return l.pace.probe
	}
	return 0
}

func (l *link) pause(err error, tries int) time.Duration {
	var r *refusal
	switch {
	case isCode(err, http.StatusConflict):
		return l.pace.conflict
	case errors.As(err, &r) && r.code == http.StatusTooManyRequests:
		return r.after
	}
	return min(l.pace.first<<min(tries, 10), l.pace.longest)
}

// round gets the updates from offset on, and returns the next offset.
func (l *link) round(ctx context.Context, offset int64, hold time.Duration) (int64, error) {
	if err := l.introduce(ctx); err != nil {
		return offset, err
	}
	l.introduceCommands(ctx)
	if err := l.cfg.Core.KeepReceived(); err != nil {
		return offset, err
	}
	begun := time.Now()
	updates, err := l.updates(ctx, offset, hold)
	if err != nil {
		return offset, err
	}
	if err := l.cfg.Core.Receive(updates); err != nil {
		return offset, err
	}
	for _, u := range updates {
		offset = u.ID + 1
	}
	if len(updates) == 0 && hold > 0 && time.Since(begun) < l.pace.first {
		sleep(ctx, l.pace.first) // a server that does not hold polls
	}
	return offset, nil
}

// introduce asks for the bot's name if the database lost it.
func (l *link) introduce(ctx context.Context) error {
	if l.account().Speaker != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.pace.slack)
	defer cancel()
	name, err := l.me(ctx)
	if err != nil {
		return err
	}
	return l.noteBot(name)
}

// updateKinds are the kinds of updates that Afar asks for: it must name those about members.
var updateKinds = []string{"message", "callback_query", "my_chat_member", "chat_member"}

func (l *link) updates(ctx context.Context, offset int64, hold time.Duration) ([]channel.Update, error) {
	ctx, cancel := context.WithTimeout(ctx, hold+l.pace.slack)
	defer cancel()
	var batch []json.RawMessage
	err := l.call(ctx, "getUpdates", map[string]any{
		"offset": offset, "timeout": int(hold.Seconds()), "allowed_updates": updateKinds,
	}, &batch)
	switch {
	case isCode(err, http.StatusConflict) && says(err, "webhook"):
		return nil, fmt.Errorf("the bot has a webhook, so nobody can poll it: %w", err)
	case isCode(err, http.StatusConflict):
		return nil, fmt.Errorf("another program polls this bot: %w", err)
	case isCode(err, http.StatusUnauthorized):
		return nil, fmt.Errorf("token refused, connect the bot again: %w", err)
	case err != nil:
		return nil, err
	}
	return l.number(batch)
}

// number reads only the id of each update, so that an update of unknown form does not stop
// the others.
func (l *link) number(batch []json.RawMessage) ([]channel.Update, error) {
	var out []channel.Update
	for _, raw := range batch {
		var u struct {
			ID int64 `json:"update_id"`
		}
		if err := json.Unmarshal(raw, &u); err != nil || u.ID <= 0 {
			l.cfg.Log.Warn("an update without an id", "err", err)
			continue
		}
		out = append(out, channel.Update{Channel: Name, ID: u.ID, Body: raw})
	}
	if len(out) == 0 && len(batch) > 0 {
		return nil, errors.New("the answer holds no update that has an id")
	}
	return out, nil
}

// settle handles every update that was received but not handled yet, including those from
// before a restart. An update that core could not commit is tried again.
func (l *link) settle(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		err := l.settleAll(ctx)
		if err == nil {
			return
		}
		l.cfg.Log.Error("deal with updates", "err", err)
		sleep(ctx, l.pause(err, tries))
	}
}

func (l *link) settleAll(ctx context.Context) error {
	waiting, err := l.cfg.Core.Received(Name)
	if err != nil {
		return err
	}
	for _, u := range waiting {
		if ctx.Err() != nil {
			return nil
		}
		if err := l.handle(u); err != nil {
			return fmt.Errorf("update %d: %w", u.ID, err)
		}
	}
	return nil
}
