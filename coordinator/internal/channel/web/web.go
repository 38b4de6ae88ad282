// Package web is the local page: an HTTP server on loopback that shows what happens, and a
// channel on which the person answers. It reads and decides through the operations of the
// command line, with the same permissions and in the same words.
package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Name is the name of this channel.
const Name = "web"

// Config is what a Channel needs.
type Config struct {
	Core    *feature.Core
	Log     *slog.Logger
	Now     func() time.Time
	Addr    string   // a loopback address with a port
	Hosts   []string // the names of proxies in front of the page
	Key     string   // names the home of this coordinator, see core.Config
	Machine string
	Home    string // the person's home directory
	// Call carries out one operation. line is the process that asks for it, with its
	// ancestors; it is empty for an operation that only reads.
	Call func(ctx context.Context, line []peer.Process, op string, in any) (any, error)
	// Note tells the guard where the page is served, and which proxies are in front of it.
	Note func(addr string, hosts []string) error
	// Caller returns the process at the other end of a connection, with its ancestors.
	Caller func(local, remote netip.AddrPort) ([]peer.Process, error)
	Tools  http.Handler // serves the tools of agents, and checks who calls; nil for none
	Afar   string       // the path of the afar program
	Env    []string     // its environment
	// Agents are the agents of runs, and RunAgent the one of a run that names none. RunMode is
	// the permission mode of such a run, "" where runs are not supported.
	Agents   []string
	RunAgent string
	RunMode  string
	// Hooks takes webhooks; nil for none.
	Hooks http.Handler
	// Ring tells the person what is new where no browser shows the page; nil tells nothing.
	Ring func(ctx context.Context, said string)
}

// A Channel serves the page. A nil Channel is a page that is switched off.
type Channel struct {
	cfg    Config
	limits limits
	views  *http.ServeMux        // the pages, see viewers
	pages  func() page.Templates // parsed at the first call
	feeds  feeds
	config printed // what `afar config` prints
	doctor printed // what `afar doctor` prints

	mu       sync.Mutex   // guards all below
	listener net.Listener // nil while it does not listen
	failing  string       // why it does not listen, "" if it does or is off
	said     map[signin.ID]page.Said
	issues   map[string]*printed // what `afar issue list` prints, by directory
	banner   string              // what Say said last
	startKey string              // see page.RunForm
	code     *wire.TelegramPairReply
	rung     map[ask.ID]bool // cards that Ring was told of
}

// New returns the page; Run serves it. It listens at once, so that its address is known.
func New(cfg Config) *Channel {
	c := &Channel{
		cfg:      cfg,
		limits:   usualLimits,
		said:     map[signin.ID]page.Said{},
		issues:   map[string]*printed{},
		startKey: rand.Text(),
	}
	c.views, c.pages = c.viewers(), sync.OnceValue(page.Parse)
	c.feeds = feeds{begin: c.round, feeds: map[string]*feed{}, wake: make(chan struct{}, 1)}
	c.config = printed{run: c.afar, args: []string{"config", "--json"}, fresh: configFor, wait: true}
	c.doctor = printed{run: c.afar, args: []string{"doctor", "--json"}, fresh: doctorFor, changed: c.feeds.changed}
	c.listen()
	return c
}

// Pair makes the user of this machine the person of this channel. Nobody else can sign in.
func (c *Channel) Pair() error {
	if c == nil || c.cfg.Core.Person(Name) != nil {
		return nil
	}
	return c.cfg.Core.ChangeAccount(channel.Act{Channel: Name}, func(a channel.Account, now time.Time) channel.Change {
		a.Speaker = "the page"
		a.Person = &channel.Person{ID: "user", Address: "page", Name: "the user of this machine", At: now}
		return channel.Change{Account: &a, Show: true}
	})
}

// Run serves the page until ctx ends. A taken port does not end it: it tries again.
func (c *Channel) Run(ctx context.Context) {
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { c.cfg.Core.Work(ctx, Name, c.act) })
	parts.Go(func() { c.feeds.run(ctx, c.cfg.Core) })
	c.serve(ctx)
}

// Say shows a text on the page at once, without the database.
func (c *Channel) Say(_ context.Context, text string) error {
	if c.URL() == "" {
		return errors.New("the page is not served")
	}
	c.mu.Lock()
	c.banner = text
	c.mu.Unlock()
	c.feeds.changed()
	return nil
}

// State returns the page as a channel.
func (c *Channel) State() wire.Channel {
	if c == nil {
		return wire.Channel{ID: Name, State: "off", Note: "switched off by web.addr or AFAR_WEB_ADDR"}
	}
	url := c.URL()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failing != "" {
		return wire.Channel{ID: Name, State: "failing", Note: c.failing}
	}
	return wire.Channel{ID: Name, State: "ready", Note: url + ": afar open"}
}

// Watched reports whether a browser shows the page now.
func (c *Channel) Watched() bool { return c != nil && c.feeds.watched() }

// bannerText returns the trouble that every page shows, "" for none.
func (c *Channel) bannerText() string {
	if _, err := c.cfg.Core.Unwritable(); err != nil {
		return "Nothing can be written, so nothing is decided: " + err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.banner
}

// keepCode keeps a pairing code for the settings page.
func (c *Channel) keepCode(code wire.TelegramPairReply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code = &code
}

// pairing returns the pairing code that is valid now, nil for none.
func (c *Channel) pairing() *wire.TelegramPairReply {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == nil || c.code.ExpiresAt < c.cfg.Now().UnixMilli() {
		return nil
	}
	return c.code
}
