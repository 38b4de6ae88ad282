package web

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// act carries out one action of core. The page shows questions as they are, so a card
// rings once and needs no other work. A notice becomes a journal entry, from which the page shows it.
func (c *Channel) act(ctx context.Context, a store.Action) error {
	switch a.Kind {
	case core.ActCard:
		c.ringCard(ctx, ask.ID(a.Data))
		return c.cfg.Core.Repeatable(a)
	case core.ActRoom, core.ActRemind, core.ActRunFile:
		return c.cfg.Core.Repeatable(a)
	case core.ActRunEnded:
		var e run.TurnEnd
		if err := json.Unmarshal([]byte(a.Data), &e); err != nil {
			return core.GiveUp(err)
		}
		return c.note(ctx, fmt.Sprintf("%s:%d", a.Key, e.Turn), channel.Notice{
			Session: c.cfg.Core.ConversationOf(e.Run), Text: endingText(e),
		})
	case core.ActNotice:
		n, err := channel.ReadNotice(a.Data)
		if err != nil {
			return core.GiveUp(err)
		}
		if err := c.note(ctx, a.Key, n); err != nil {
			return err
		}
		return c.cfg.Core.Told(n.Shows)
	}
	return core.GiveUp(fmt.Errorf("action %q: the page does not know it", a.Kind))
}

// mostRung bounds the cards that are remembered.
const mostRung = 1000

// ringCard tells the person of a card that waits, once.
func (c *Channel) ringCard(ctx context.Context, id ask.ID) {
	a, err := c.cfg.Core.Ask(id)
	c.mu.Lock()
	if len(c.rung) >= mostRung || c.rung == nil {
		c.rung = map[ask.ID]bool{}
	}
	isNew := !c.rung[id]
	c.rung[id] = true
	c.mu.Unlock()
	if isNew && err == nil && a.Waiting() {
		v, _ := c.cfg.Core.Session(string(a.Session)) // a task's question may have none
		c.ring(ctx, strings.TrimPrefix(v.Token+": "+a.Request(filepath.Base), ": "))
	}
}

func (c *Channel) ring(ctx context.Context, said string) {
	if c.cfg.Ring != nil {
		c.cfg.Ring(ctx, said)
	}
}

// notedLately is how many entries are searched for a notice that was noted before a crash.
const notedLately = 50

// note writes a notice to the journal, once.
func (c *Channel) note(ctx context.Context, key string, n channel.Notice) error {
	last, err := c.cfg.Core.Journal(ctx, 0, notedLately, "", true)
	if err != nil {
		return err
	}
	for _, e := range last {
		if e.Kind == event.Told && e.Subject == key {
			return nil
		}
	}
	if err := c.cfg.Core.Note(event.Told, n.Session, key, n.Plain()); err != nil {
		return err
	}
	c.ring(ctx, n.Plain())
	return nil
}

// endingText says in one line how a turn of a run ended.
func endingText(e run.TurnEnd) string {
	said := fmt.Sprintf("%s run %s %s", e.Sign(), e.Name, e.Words())
	if more := text.Clip(text.Fold(redact.Visible(e.Said())), 200); more != "" {
		said += ": " + more
	}
	return said
}
