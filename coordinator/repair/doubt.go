package repair

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/text"
)

const (
	// by is who ends what a copy shows as going on.
	by = "afar doctor --repair"
	// why says the reason to people.
	why = "the database was repaired from a copy, and this may have been done since"
)

// doubt makes all that a copy of the database shows as not done count as done, so that nothing is done
// twice: actions, firings, texts and questions, runs and loops. What goes on by itself or permits
// something, which the person may have taken back since, is switched off. It returns what that is.
func doubt(s *store.Store, now time.Time) ([]store.Doubt, error) {
	actions, err := s.DoubtActions(why)
	d := &doubts{store: s, all: actions, err: err}
	settle(d, store.Asks, func(a ask.Ask) (ask.Ask, string) {
		next, err := ask.Abandon(a, why, now)
		return next, textUnless(err, "the question about %s %s", a.Tool, a.Text)
	})
	settle(d, store.Messages, func(m message.Message) (message.Message, string) {
		next, err := message.Abandon(m, why, now)
		return next, textUnless(err, "the text by %s: %s", m.By, m.Text)
	})
	settle(d, store.Firings, func(f trigger.Firing) (trigger.Firing, string) {
		next, err := f.End(trigger.Dropped, why, now)
		next.Asked = false
		return next, textUnless(err, "the firing of the trigger %s at %s", f.Trigger, f.At.Format(time.DateTime))
	})
	settle(d, store.Runs, func(r run.Run) (run.Run, string) {
		if r.Settled() {
			return r, ""
		}
		next, err := run.Stop(r, by, now)
		return next, textUnless(err, "the run %s, which is stopped", r.Name)
	})
	settle(d, store.Loops, func(l loop.Stack) (loop.Stack, string) {
		out, err := loop.Cancel(l, by, now)
		return out.Stack, textUnless(err, "the loop of the session %s, which is cancelled", l.Session)
	})
	settle(d, store.Grants, func(g grant.Grant) (grant.Grant, string) {
		next, err := grant.End(g, by, now)
		if len(g.Kept) > 0 {
			return g, "" // it only says what stands in a settings file of the client
		}
		return next, textUnless(err, "the grant %s, which is revoked", g.Text())
	})
	settle(d, store.Browsers, func(b signin.Browser) (signin.Browser, string) {
		next, err := signin.End(b, by, now)
		return next, textUnless(err, "the sign-in of %s, which is signed out", b.Agent)
	})
	switchOff(d)
	d.settings()
	return d.all, errFrom(d.err, s.Commit(&d.batch))
}

func errFrom(first, then error) error {
	if first != nil {
		return first
	}
	return then
}

// switchOff switches off what begins something by itself.
func switchOff(d *doubts) {
	settle(d, store.Triggers, func(t trigger.Trigger) (trigger.Trigger, string) {
		if !t.On {
			return t, ""
		}
		t.File = t.Off()
		return t, textUnless(nil, "the trigger %s, which is switched off", t.Name)
	})
	settle(d, store.Modules, func(m module.Module) (module.Module, string) {
		if !m.On {
			return m, ""
		}
		m.File = m.Off()
		return m, textUnless(nil, "the module %s, which is switched off", m.Name)
	})
}

// doubts collects what may have been done, and the changes that make it count as done.
type doubts struct {
	store *store.Store
	batch store.Batch
	all   []store.Doubt
	err   error
}

// settle changes the values of a kind; the text of change is "" for those that stay.
func settle[K ~string, V any](d *doubts, kind *store.Kind[K, V], change func(V) (V, string)) {
	values, _, err := kind.Load(d.store, time.Time{})
	d.err = errFrom(d.err, err)
	for _, v := range values {
		if next, text := change(v); text != "" {
			kind.Put(&d.batch, next)
			d.all = append(d.all, store.Doubt{Table: kind.Table, ID: string(kind.ID(v)), Text: text})
		}
	}
}

// settings drops the notices that wait to be told.
func (d *doubts) settings() {
	set, err := d.store.Settings()
	if d.err = errFrom(d.err, err); err != nil || len(set.Piles) == 0 {
		return
	}
	for _, pile := range set.Piles {
		for _, told := range pile.News {
			text := textUnless(nil, "the notice: %s", told.Words())
			d.all = append(d.all, store.Doubt{Table: "settings", ID: "1", Text: text})
		}
	}
	set.Piles = nil
	d.batch.Settings = &set
}

// textUnless returns the text in one line, "" with an error.
func textUnless(err error, format string, args ...any) string {
	if err != nil {
		return ""
	}
	return text.Clip(text.Fold(fmt.Sprintf(format, args...)), 200)
}

// mend switches triggers off where the ledger of what fired is not whole, and modules where that of their
// events is not: nothing else keeps an old instant or event from counting again. It tells the person what
// may have been done.
func mend(s *store.Store, saved *store.Salvage, now time.Time) error {
	d := &doubts{store: s}
	if saved.Misses("firings") || saved.Misses("seen") {
		switchOff(d)
	}
	saved.Doubts = append(saved.Doubts, d.all...)
	accounts, _, err := store.Accounts.Load(s, now)
	if err = errFrom(d.err, err); err != nil {
		return err
	}
	told := channel.News{Kind: channel.Mended}
	if n := len(saved.Doubts); n > 0 {
		told = channel.News{Kind: channel.Repaired, N: n, What: channel.Verbatim(saved.Doubts[0].Text)}
	}
	data, err := json.Marshal(channel.Notice{News: []channel.News{told}})
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if a.Person != nil {
			d.batch.Actions = append(d.batch.Actions, store.Action{
				Key:  fmt.Sprintf("%s/notice:repair:%d", a.Channel, now.UnixNano()),
				Lane: a.Channel, Kind: "notice", Data: string(data), Due: now,
			})
		}
	}
	return s.Commit(&d.batch)
}
