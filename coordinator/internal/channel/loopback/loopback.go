// Package loopback is the smallest channel: it shows cards as files in a folder and
// takes answers over HTTP on the loopback interface. No coordinator runs it. The tests
// use it to prove that core needs no more than package channel says. It is also the
// starting point for a new channel.
package loopback

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Name is the name of this channel.
const Name = "loopback"

// Config is what a Channel needs.
type Config struct {
	Core   *core.Core
	Log    *slog.Logger
	Folder string // of the files; it outlives a Channel
	Secret string // what the person shows with each act
	// Act carries out an operation for what the person did, and has the channel tell them the reply.
	Act func(ctx context.Context, act channel.Act, op string, in any) error
}

// A Channel shows cards to one person. Its methods may be called from any goroutine.
type Channel struct {
	cfg      Config
	listener net.Listener

	mu      sync.Mutex             // guards all below
	waiting map[string]chan string // acts without a settlement, by their tap
}

// A Card is one file: what the person sees of a card, or of a text.
type Card struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Nonce   string   `json:"nonce,omitempty"`
	Buttons []string `json:"buttons,omitempty"`
}

// An Act is what the person sends: a button, or a text that answers a card.
type Act struct {
	Card   string `json:"card,omitempty"`
	Nonce  string `json:"nonce,omitempty"`
	Button string `json:"button,omitempty"`
	Text   string `json:"text,omitempty"`
}

// The buttons of a card.
const (
	Allow = "Allow"
	Deny  = "Deny"
)

// New returns a channel that listens. It begins to work with Run.
func New(cfg Config) (*Channel, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return &Channel{cfg: cfg, listener: l, waiting: map[string]chan string{}}, nil
}

// URL is where acts are posted.
func (c *Channel) URL() string { return "http://" + c.listener.Addr().String() }

// Pair makes name the person of this channel.
func (c *Channel) Pair(name string) error {
	return c.cfg.Core.ChangeAccount(channel.Act{Channel: Name}, func(a channel.Account, now time.Time) channel.Change {
		a.Person = &channel.Person{ID: name, Address: "folder", Name: name, At: now}
		return channel.Change{Account: &a, Show: true}
	})
}

// Run shows what core has for the person and takes in what they do, until ctx ends.
func (c *Channel) Run(ctx context.Context) {
	web := &http.Server{Handler: http.HandlerFunc(c.serve), ReadHeaderTimeout: time.Second}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer web.Close()
	parts.Go(func() { _ = web.Serve(c.listener) }) // it ends with Close
	parts.Go(func() { c.cfg.Core.Work(ctx, Name, c.act) })
	c.settleAll()
	<-ctx.Done()
}

// Say tells the person something at once, without the database.
func (c *Channel) Say(_ context.Context, text string) error {
	return c.write(Card{ID: fmt.Sprintf("say-%d", time.Now().UnixNano()), Text: text})
}

// act carries out one action of core.
func (c *Channel) act(_ context.Context, a store.Action) error {
	switch a.Kind {
	case core.ActCard:
		return c.card(a)
	case core.ActNotice:
		n, err := channel.ReadNotice(a.Data)
		if err != nil {
			return core.GiveUp(err)
		}
		if err := c.write(Card{ID: "notice-" + fileName(a.Key), Text: n.Text}); err != nil {
			return err
		}
		return c.cfg.Core.Told(n.Shows)
	case core.ActRunEnded:
		var e run.TurnEnd
		if err := json.Unmarshal([]byte(a.Data), &e); err != nil {
			return core.GiveUp(err)
		}
		return c.write(Card{ID: "run-" + fileName(a.Key), Text: e.Name + " " + e.Words() + ": " + e.Said()})
	case core.ActRunFile:
		return nil // the text has it all
	case core.ActTap, core.ActSay:
		var s channel.Settlement
		if err := json.Unmarshal([]byte(a.Data), &s); err != nil {
			return core.GiveUp(err)
		}
		c.settle(s)
		return nil
	}
	return core.GiveUp(fmt.Errorf("action %q: this channel does not know it", a.Kind))
}

// card writes the file of a card. One whose asks ended before it was shown never is.
func (c *Channel) card(a store.Action) error {
	id := ask.ID(a.Data)
	card, err := c.cfg.Core.OnCard(id)
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	if err != nil {
		return err
	}
	copies, err := c.cfg.Core.Copies(Name, id)
	open := len(card.Waiting()) > 0
	if err != nil || len(copies) == 0 && !open {
		return err
	}
	face := card.Face()
	shown := Card{ID: "card-" + string(id), Text: face.Tool + ": " + face.Text}
	if open {
		shown.Nonce, shown.Buttons = card.Nonce(), []string{Allow, Deny}
	} else {
		shown.Text += "\n" + face.Ending()
	}
	if err := c.write(shown); err != nil {
		return err
	}
	noted := channel.Copy{Ask: id, Channel: Name, Message: channel.MessageID(shown.ID), Shown: shown.Text}
	return c.cfg.Core.Sent(a, noted)
}

func (c *Channel) write(card Card) error {
	data, err := json.Marshal(card)
	if err != nil {
		return err
	}
	path := filepath.Join(c.cfg.Folder, card.ID+".json")
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// fileName makes a name of a key.
func fileName(key string) string { return strings.NewReplacer("/", "-", ":", "-").Replace(key) }

// maxAct bounds what the person sends at once, in bytes.
const maxAct = 64 << 10

// serve takes one act: it is committed as an update before anything is done about it,
// and its settlement is the reply.
func (c *Channel) serve(w http.ResponseWriter, r *http.Request) {
	secret := []byte(r.Header.Get("Authorization"))
	if subtle.ConstantTimeCompare(secret, []byte(c.cfg.Secret)) != 1 {
		http.Error(w, "this channel belongs to somebody else", http.StatusForbidden)
		return
	}
	var in Act
	body := http.MaxBytesReader(w, r.Body, maxAct)
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		http.Error(w, "want one act as JSON: "+err.Error(), http.StatusBadRequest)
		return
	}
	text, err := c.take(r.Context(), in)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprint(w, text)
}

func (c *Channel) take(ctx context.Context, in Act) (settlement string, err error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	id := time.Now().UnixNano()
	told := make(chan string, 1)
	c.mu.Lock()
	c.waiting[tapOf(id)] = told
	c.mu.Unlock()
	u := channel.Update{Channel: Name, ID: id, Body: raw}
	if err := errors.Join(c.cfg.Core.Receive([]channel.Update{u}), c.handle(u)); err != nil {
		return "", err
	}
	select {
	case text := <-told:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func tapOf(update int64) string { return fmt.Sprintf("act-%d", update) }

// settle hands a settlement to the request that waits for it.
func (c *Channel) settle(s channel.Settlement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if told := c.waiting[s.Tap]; told != nil {
		told <- s.Text
		delete(c.waiting, s.Tap)
	}
}

// settleAll deals with the acts that a channel before this one received and did not
// deal with.
func (c *Channel) settleAll() {
	left, err := c.cfg.Core.Received(Name)
	for _, u := range left {
		err = errors.Join(err, c.handle(u))
	}
	if err != nil {
		c.cfg.Log.Error("deal with acts of before", "err", err)
	}
}

// handle deals with one update, in one commit.
func (c *Channel) handle(u channel.Update) error {
	act := channel.Act{Channel: Name, Update: u.ID, At: "folder", Tap: tapOf(u.ID)}
	var in Act
	if err := json.Unmarshal(u.Body, &in); err != nil {
		return c.cfg.Core.Acknowledge(act, "This act cannot be read. Nothing was changed.")
	}
	d := ask.Decision{Allow: in.Button == Allow, By: c.cfg.Core.Person(Name).Name, Channel: Name}
	if !d.Allow {
		d.Message = "Denied by " + d.By + "."
	}
	p := core.Press{Act: act, Message: channel.MessageID(in.Card), Nonce: in.Nonce, Decision: d}
	if in.Text != "" {
		p.Tap, p.Text, p.Decision.Message = "", in.Text, in.Text
		if answers, err := c.cfg.Core.IsAnswer(p); err != nil {
			return err
		} else if !answers {
			return c.cfg.Core.Acknowledge(act, "Unknown card. Nothing was changed.")
		}
	}
	return c.cfg.Act(context.Background(), act, channel.OpPress, p)
}
