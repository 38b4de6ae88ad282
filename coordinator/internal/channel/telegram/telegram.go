// Package telegram is the channel to a person's phone: cards with buttons for
// their asks, texts for what they should know, and their taps and replies back.
//
// It owns the bot's token and the connection to the Bot API, and nothing else. Core
// commits each update before it is acknowledged, and handles it exactly once. Each
// outgoing message is a durable action of core. The token leaves this package only in
// requests to the API, never in an error or a log line.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/feature"
)

// Config is what a Channel needs.
type Config struct {
	Core       *feature.Core
	Log        *slog.Logger
	TokenFile  string // holds the bot's token alone, 0600
	ConfigFile string // config.toml, for telegram.api
	Machine    string // host name shown on cards
	Home       string // of the person, shown as ~ on cards
	Now        func() time.Time
	Code       func() string // a new pairing code of 6 digits
	// Link returns the address of a path of the local page and says where it works. It
	// returns "" while the page is not served.
	Link       func(path string) (address, where string)
	RemindChat int64 // another chat that is told that a question waits too long; 0 for none
	// Act carries out an operation for what the person did, and has the channel tell them the reply. After an
	// error the update is handled again.
	Act func(ctx context.Context, act channel.Act, op string, in any) error
	// Call carries out an operation of the command line for the person.
	Call func(ctx context.Context, person, op string, in any) (any, error)
}

// A Channel speaks through one bot, or through none. Its methods may be called
// from any goroutine.
type Channel struct {
	cfg  Config
	pace pace

	setup sync.Mutex // one Connect or Disconnect writes files at a time; taken before mu

	mu      sync.Mutex    // guards all below
	link    *link         // nil: no token is stored
	changed chan struct{} // closed and replaced when link changes
	trouble trouble
}

// pace holds the channel's times; only tests change them.
type pace struct {
	hold     time.Duration // how long Telegram holds a poll that has nothing to say
	slack    time.Duration // how much later than that its answer may come
	send     time.Duration // for one action
	finish   time.Duration // for what is under way when we are to end
	first    time.Duration // first pause after a failure; each next one doubles
	longest  time.Duration // longest pause
	conflict time.Duration // pause after a 409
	probe    time.Duration // how long the poll after that is held: longer than another program pauses
	report   time.Duration // a 409 that lasts longer is named
}

// usualPace is what holds outside of tests.
var usualPace = pace{
	hold: 50 * time.Second, slack: 15 * time.Second, send: 30 * time.Second, finish: 2 * time.Second,
	first: time.Second, longest: 30 * time.Second, conflict: 1500 * time.Millisecond,
	probe: 3 * time.Second, report: 30 * time.Second,
}

// New returns the channel of the bot whose token is stored. Status shows any problem with
// the stored files, until the next Connect.
func New(cfg Config) *Channel {
	c := &Channel{cfg: cfg, changed: make(chan struct{}), pace: usualPace}
	token, err := readToken(cfg.TokenFile)
	if err == nil && token != "" {
		c.link, err = c.newLink(token, "")
	}
	if err != nil {
		c.failed(err)
	}
	return c
}

// Run polls and carries out the actions of its lane while a token is
// stored, and waits for Connect while none is. It returns when ctx ends, with
// all that it started ended.
func (c *Channel) Run(ctx context.Context) {
	for ctx.Err() == nil {
		l, changed := c.current()
		if l != nil {
			c.serve(ctx, l, changed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// serve returns when ctx ends, when another link takes this one's place, or
// when Telegram no longer knows the token.
func (c *Channel) serve(ctx context.Context, l *link, changed <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer l.close()
	defer parts.Wait()
	defer cancel()
	parts.Go(func() {
		select {
		case <-changed:
			cancel()
		case <-ctx.Done():
		}
	})
	parts.Go(func() { c.cfg.Core.Work(ctx, Name, l.act) })
	l.poll(ctx)
}

// Connect asks the API who the bot is, stores the token and the API, and begins
// to poll. An api of "" means what config.toml says. Nothing changes when the
// bot does not answer. No error contains the token.
func (c *Channel) Connect(ctx context.Context, token, api string) (bot string, err error) {
	l, err := c.newLink(strings.TrimSpace(token), api)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.pace.slack)
	defer cancel()
	bot, err = l.me(ctx)
	if err == nil {
		err = c.take(l, bot)
	}
	if err != nil {
		l.close()
		return "", err
	}
	return bot, nil
}

// take stores what l needs at the next start and puts l to work.
func (c *Channel) take(l *link, bot string) error {
	c.setup.Lock()
	defer c.setup.Unlock()
	if err := config.SetTelegramAPI(c.cfg.ConfigFile, l.api); err != nil {
		return err
	}
	if err := atomicfile.Write(c.cfg.TokenFile, l.token+"\n"); err != nil {
		return fmt.Errorf("store token: %w", err)
	}
	if err := c.noteBot(bot); err != nil {
		return err
	}
	c.swap(l)
	return nil
}

// Disconnect deletes the token and the pairing. Without a bot it does nothing.
func (c *Channel) Disconnect() error {
	c.setup.Lock()
	defer c.setup.Unlock()
	if err := os.Remove(c.cfg.TokenFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove token: %w", err)
	}
	c.swap(nil)
	return c.noteBot("")
}

// Status returns the state of the channel.
func (c *Channel) Status() channel.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := channel.Status{Failing: c.trouble.text(c.cfg.Now(), c.pace.report)}
	a := c.account()
	if s.Failing == "" {
		s.Failing, s.Fix = refusedText(a.Refused())
	}
	s.Pairing, s.Person = a.Pairing.Waiting(c.cfg.Now()), a.Person
	if c.link != nil {
		s.Connected, s.Speaker, s.API = true, a.Speaker, c.link.api
	}
	return s
}

func (c *Channel) current() (*link, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link, c.changed
}

func (c *Channel) swap(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link, c.trouble = l, trouble{}
	close(c.changed)
	c.changed = make(chan struct{})
}

// readToken returns the stored token, "" for none.
func readToken(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// tokenForm is what BotFather hands out. A token becomes part of a URL, so
// nothing else may be in it.
var tokenForm = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{10,100}$`)

var errToken = errors.New("this is not a bot token: it looks like 123456789:AAE… and comes from @BotFather")

// sleep returns after d, or earlier when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
