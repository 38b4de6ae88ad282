package coordinator

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// write carries out the actions that write files.
func (c *Coordinator) write(ctx context.Context) {
	c.core.Work(ctx, core.LaneDisk, func(_ context.Context, a store.Action) error {
		switch a.Kind {
		case core.ActRetries:
			return mark(c.cfg.Dirs.Retries(), c.core.MayRetry())
		case core.ActHalts:
			return mark(c.cfg.Dirs.Halts(), c.core.MayHalt())
		case core.ActNudge:
			return c.nudge(a.Data)
		}
		var f core.Text // of a file without one, the name says what its content is
		if err := json.Unmarshal([]byte(a.Data), &f); err != nil {
			return core.GiveUp(err)
		}
		v, err := c.core.Session(string(f.Session))
		if err != nil {
			return core.GiveUp(err)
		}
		if a.Kind == core.ActText {
			return writePage(c.page(v.Token, f.Name), f.Text)
		}
		if err := c.takeEdits(v, f.Name); err != nil {
			return err
		}
		return writePage(c.page(v.Token, f.Name), c.markdown(v, f.Name))
	})
}

func (c *Coordinator) page(token, name string) string {
	return filepath.Join(c.cfg.Dirs.Sessions(), token, name)
}

// writePage replaces a page, in a folder that it makes.
func writePage(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return atomicfile.Write(path, text)
}

// takeEdits takes in what the person wrote into a page before it is written anew.
func (c *Coordinator) takeEdits(v session.Session, name string) error {
	if name != loopPage {
		return nil
	}
	return c.core.EditLoop(v.ID, c.loopPage(v.Token))
}

// loopPage is the page of a loop, in the folder of its session.
const loopPage = "loop.md"

// maxPage bounds what is read of a page that a person may have edited.
const maxPage = 256 << 10

// loopPage is a session's loop.md as it lies there, "" when there is none.
func (c *Coordinator) loopPage(token string) string {
	raw, err := disk.Head(c.page(token, loopPage), maxPage)
	if err != nil {
		return ""
	}
	return string(raw)
}

// mark has a file that hooks look for be there, or not.
func mark(path string, there bool) error {
	if there {
		return atomicfile.Write(path, "")
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// nudge carries out a core.Nudge. It is tried once: without it the turn ends at its
// next step.
func (c *Coordinator) nudge(raw string) error {
	var n core.Nudge
	if err := json.Unmarshal([]byte(raw), &n); err != nil {
		return core.GiveUp(err)
	}
	if err := disk.Tell(n.Inbox, n.Word); err != nil {
		c.cfg.Log.Warn("interrupt a session at its socket", "err", err)
	}
	return nil
}

func (c *Coordinator) markdown(v session.Session, name string) string {
	if name == "anchor.md" {
		return v.Anchor
	}
	return loop.Render(c.core.Loop(v.ID))
}

// forgetEvery is how often old rows are dropped.
const forgetEvery = time.Hour

func (c *Coordinator) forget(ctx context.Context) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		if err := c.store.Forget(time.Now().Add(-30 * 24 * time.Hour)); err != nil {
			c.cfg.Log.Error("forget old rows", "err", err)
		}
		if err := ledger.Forget(c.cfg.Dirs.Calls(), time.Now().Add(-30*24*time.Hour)); err != nil {
			c.cfg.Log.Error("forget old records of calls", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// firstStart connects the bot that the environment names, where none is stored
// yet. From then on only the stored values count.
func (c *Coordinator) firstStart(ctx context.Context) {
	token, api := Token(c.cfg.Getenv), c.cfg.Getenv("AFAR_TELEGRAM_API")
	if token == "" || api == "" || c.telegram.Status().Connected {
		return
	}
	if err := c.connect(ctx, token, api); err != nil {
		c.cfg.Log.Error("connect the bot that the environment names", "err", err)
	}
}

// Token reads the bot's token from the variables, "" for none.
func Token(getenv func(string) string) string {
	if token := strings.TrimSpace(getenv("AFAR_TELEGRAM_TOKEN")); token != "" {
		return token
	}
	raw, err := os.ReadFile(getenv("AFAR_TELEGRAM_TOKEN_FILE"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// rules are what config.toml says that core keeps to.
func rules(cfg config.Config) (r core.Rules, err error) {
	r = core.Rules{
		RemindAfter: time.Duration(cfg.Escalation.After), RemindChat: cfg.Escalation.Chat,
		RetryAfter: time.Duration(cfg.Loop.RetryAfter), ShellsFor: time.Duration(cfg.Loop.ShellsFor),
		Times: times(cfg.Asks),
	}
	if !cfg.Quiet.On() {
		return r, nil
	}
	zone, err := cfg.Quiet.Location()
	r.Quiet = session.Quiet{From: cfg.Quiet.From.At, To: cfg.Quiet.To.At, Zone: zone}
	return r, err
}

// times are the person's own times for asks; what has its default is left out.
func times(set config.Asks) ask.Times {
	own := func(d, usual config.Duration) time.Duration {
		if d == usual {
			return 0
		}
		return time.Duration(d)
	}
	usual := config.AsksByDefault
	return ask.Times{
		Grace: own(set.Grace, usual.Grace), Attended: own(set.Attended, usual.Attended),
		Unattended: own(set.Unattended, usual.Unattended), Subagent: own(set.Subagent, usual.Subagent),
		Grant: own(set.Grant, usual.Grant),
	}
}

func (c *Coordinator) connect(ctx context.Context, token, api string) error {
	_, err := c.telegram.Connect(ctx, token, api)
	return err
}

func (c *Coordinator) wireTelegram() wire.Telegram {
	t, set := c.telegram.Status(), c.core.Settings()
	w := wire.Telegram{Connected: t.Connected, Bot: t.Bot, API: t.API, Failing: t.Failing, Pairing: set.Pairing.Waiting(time.Now())}
	if p := set.Person; p != nil {
		w.Paired, w.User, w.Chat = true, p.Name, fmt.Sprint(p.Chat)
	}
	return w
}

func (c *Coordinator) self() wire.Coordinator {
	return wire.Coordinator{
		PID: os.Getpid(), Version: c.cfg.Version, Since: c.since.UnixMilli(),
		Home: c.cfg.Dirs.Config, Socket: c.cfg.Dirs.Socket(),
	}
}

// doctor checks what only the coordinator can see.
func (c *Coordinator) doctor() []wire.Check {
	entries, broken, _, err := c.core.Verify()
	journal := wire.Check{ID: "journal", State: "ok", Text: fmt.Sprintf("%d entries, the chain holds", entries)}
	if err != nil || broken != 0 {
		journal = wire.Check{ID: "journal", State: "bad", Text: fmt.Sprintf("the chain breaks at entry %d", broken), Fix: "somebody changed the database by hand: keep it and look at afar log"}
	}
	return []wire.Check{c.doctorDatabase(), journal, c.doctorTelegram(), c.doctorConsult()}
}

func (c *Coordinator) doctorDatabase() wire.Check {
	if err := c.core.Probe(); err != nil {
		return wire.Check{ID: "database", State: "bad", Text: err.Error(), Fix: "make room on that disk, or make it writable; all goes on by itself then"}
	}
	return wire.Check{ID: "database", State: "ok", Text: c.cfg.Dirs.Database()}
}

func (c *Coordinator) doctorTelegram() wire.Check {
	t := c.wireTelegram()
	switch {
	case t.Failing != "":
		return wire.Check{ID: "telegram", State: "bad", Text: t.Failing, Fix: "afar telegram status"}
	case t.Paired:
		return wire.Check{ID: "telegram", State: "ok", Text: "@" + t.Bot + " speaks with " + t.User}
	case t.Connected:
		return wire.Check{ID: "telegram", State: "off", Text: "@" + t.Bot + " is not paired", Fix: "afar telegram pair"}
	}
	return wire.Check{ID: "telegram", State: "off", Text: "no bot is connected", Fix: "afar telegram connect"}
}

func machine() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// word returns 16 unguessable hex digits.
func word() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return hex.EncodeToString(b[:])
}

// digits returns six unguessable digits.
func digits() string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // fails only with the source of randomness
	return fmt.Sprintf("%06d", n)
}
