package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
)

// A link is one bot at one API. Requests whose refusals must be told apart go through
// call, all others through the bot.
type link struct {
	*Channel
	token, api string
	http       *http.Client
	bot        *bot.Bot
	listed     bool // Telegram has the commands of this program; poll's alone
	forums     map[int64]forum
	seen       map[channel.Address]time.Time // when the person was last known to be in their group; the lane's alone
	sending    sync.Mutex                    // held while a card is sent and stored
}

// newLink checks its arguments and opens no connection yet. An api of "" means the one in
// config.toml.
func (c *Channel) newLink(token, api string) (*link, error) {
	if !tokenForm.MatchString(token) {
		return nil, errToken
	}
	stored, err := config.Load(c.cfg.ConfigFile)
	if err != nil {
		return nil, err
	}
	if api == "" {
		api = stored.Telegram.API
	}
	return c.linkAt(token, api)
}

// linkAt is like newLink, without the stored settings.
func (c *Channel) linkAt(token, api string) (*link, error) {
	if !tokenForm.MatchString(token) {
		return nil, errToken
	}
	api = strings.TrimRight(api, "/")
	if err := config.CheckAPI(api); err != nil {
		return nil, err
	}
	l := &link{Channel: c, token: token, api: api, forums: map[int64]forum{}, seen: map[channel.Address]time.Time{}}
	l.http = &http.Client{
		Transport: http.DefaultTransport.(*http.Transport).Clone(),
		// A redirect would carry the token, in the Referer, to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var err error
	l.bot, err = bot.New(token, bot.WithSkipGetMe(), bot.WithServerURL(api), bot.WithHTTPClient(c.pace.send, l.http),
		bot.WithErrorsHandler(func(err error) { c.cfg.Log.Warn("telegram", "err", l.redact(err)) }))
	if err != nil {
		return nil, fmt.Errorf("make bot: %w", l.redact(err))
	}
	return l, nil
}

func (l *link) close() { l.http.CloseIdleConnections() }

// me returns the bot's user name.
func (l *link) me(ctx context.Context) (string, error) {
	var me struct {
		IsBot    bool   `json:"is_bot"`
		Username string `json:"username"`
	}
	err := l.call(ctx, "getMe", nil, &me)
	switch {
	case isCode(err, http.StatusUnauthorized), isCode(err, http.StatusNotFound):
		return "", fmt.Errorf("%s refuses this token, copy it again from @BotFather: %w", l.api, err)
	case err != nil:
		return "", fmt.Errorf("ask %s who the bot is: %w", l.api, err)
	case !me.IsBot, me.Username == "":
		return "", fmt.Errorf("%s does not answer as a Bot API does", l.api)
	}
	return me.Username, nil
}

// A refusal is an answer of the API that is not ok.
type refusal struct {
	code  int
	text  string
	after time.Duration // retry_after
}

func (r *refusal) Error() string { return r.text }

// maxAnswer bounds one answer: a hundred updates are far smaller.
const maxAnswer = 32 << 20

// call carries out one method and decodes its result into result.
func (l *link) call(ctx context.Context, method string, params, result any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.api+"/bot"+l.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return l.redact(fmt.Errorf("%s: %w", method, err))
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.http.Do(req)
	if err != nil {
		return l.redact(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return l.redact(fmt.Errorf("read answer to %s: %w", method, err))
	}
	return l.redact(decode(raw, resp.StatusCode, result))
}

func decode(raw []byte, status int, result any) error {
	var a struct {
		OK          bool            `json:"ok"`
		Code        int             `json:"error_code"`
		Description string          `json:"description"`
		Result      json.RawMessage `json:"result"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return fmt.Errorf("the answer (HTTP %d) is not a Bot API's: %w", status, err)
	}
	if !a.OK {
		after := time.Duration(max(a.Parameters.RetryAfter, 1)) * time.Second
		return &refusal{code: a.Code, text: fmt.Sprintf("%d %s", a.Code, a.Description), after: after}
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

// A redacted error hides the token in an error's text: errors of net/http
// carry the URL.
type redacted struct {
	text string
	err  error
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.err }

// redact hides the secret half of the token in an error. Every error from outside passes
// through it.
func (l *link) redact(err error) error {
	if err == nil {
		return nil
	}
	_, secret, _ := strings.Cut(l.token, ":") // tokenForm: there is one
	return &redacted{strings.ReplaceAll(err.Error(), secret, "•••"), err}
}

// outcome returns what an error of the bot about a chat means for the current action.
func (l *link) outcome(chat int64, err error) error {
	err = l.redact(err)
	var slow *bot.TooManyRequestsError
	var moved *bot.MigrateError
	switch {
	case errors.As(err, &slow):
		return &core.Delay{After: time.Duration(max(slow.RetryAfter, 1)) * time.Second, Err: err}
	case errors.As(err, &moved) && l.cfg.Core != nil:
		return l.moved(chat, int64(moved.MigrateToChatID), err)
	case errors.Is(err, bot.ErrorBadRequest), errors.Is(err, bot.ErrorForbidden):
		return l.refused(chat, err)
	}
	return err
}

// refused handles a refusal. What the chat of the person refuses for now is not given up.
func (l *link) refused(chat int64, err error) error {
	fix, whole := chatRefused(err)
	if !whole || l.cfg.Core == nil {
		return core.GiveUp(err)
	}
	if p, of := l.person(); p != nil && of == chat {
		return l.refuse(refusedBy(p, err, fix))
	}
	return core.GiveUp(err)
}

// moved handles a refusal which says that a group has become a supergroup. Messages for the
// person are then sent again, to the supergroup. The refusal may come before the update
// with the same news.
func (l *link) moved(from, to int64, err error) error {
	person, chat := l.person()
	if person == nil || chat != from {
		return core.GiveUp(err)
	}
	if failed := l.moveChat(0, from, to); failed != nil {
		return failed
	}
	return &core.Delay{After: time.Second, Err: err}
}

// says reports whether err is the API's refusal in these words.
func says(err error, words string) bool { return err != nil && strings.Contains(err.Error(), words) }
