package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// Errors of calls that name an ask.
var (
	ErrNotFound = errors.New("not found")                  // nothing has the given id
	ErrBound    = errors.New("it belongs to another call") // a decision counts for the exact input that was asked for
)

// An askTable holds the asks.
type askTable struct {
	*table.Table[ask.ID, ask.Ask]
	byNonce   *table.Index[ask.ID, ask.Ask]
	byCard    *table.Index[ask.ID, ask.Ask]
	bySession *table.Index[ask.ID, ask.Ask] // see of
	byWait    *table.Index[ask.ID, ask.Ask] // those that can still have an effect, under waits
	byMachine *table.Index[ask.ID, ask.Ask] // those of other machines that wait
}

// The asks of this machine that can still have an effect, and those of other machines that the person can answer.
const (
	waits    = "waits"
	mirrored = "mirrored"
)

func newAskTable(s *state) askTable {
	t := register(s, store.Asks, table.Traits[ask.Ask]{
		Due: s.askDue, Expire: expiry(s, (*draft).expireAsk), Touches: askParts,
	})
	return askTable{
		Table:     t,
		byNonce:   t.IndexBy(func(a ask.Ask) string { return a.Nonce }),
		byCard:    t.IndexBy(func(a ask.Ask) string { return string(a.CardID()) }),
		bySession: t.IndexBy(askSession),
		byWait:    t.IndexBy(askWaits),
		byMachine: t.IndexBy(func(a ask.Ask) string {
			if !a.Mirrored() || !a.Waiting() {
				return ""
			}
			return a.From.Machine
		}),
	}
}

// askWaits returns waits for an ask that is not settled, whose answer is not confirmed, or
// whose lease was not used.
func askWaits(a ask.Ask) string {
	if a.Mirrored() {
		return table.KeyIf(a.Waiting(), mirrored)
	}
	return table.KeyIf(a.Waiting() || a.Unconfirmed() || a.Lease.Unused(), waits)
}

// askSession returns the session of an ask, "" where nothing can happen to the ask any more: its call has
// run, and the answer was neither late nor lost.
func askSession(a ask.Ask) string {
	if a.Mirrored() {
		return ""
	}
	over := a.Run != nil && a.Lease == nil && askWaits(a) == ""
	return table.KeyIf(!over, string(a.Session))
}

func askParts(_, after ask.Ask) []wake.Part {
	return []wake.Part{ofAsk(after.ID), ofSession(after.Session)}
}

// of returns the asks of a session to which something can happen, in no order.
func (t askTable) of(id session.ID) []ask.Ask { return t.bySession.All(string(id)) }

// waiting returns the asks of this machine that can still have an effect, in no order.
func (t askTable) waiting() []ask.Ask { return t.byWait.All(waits) }

// everywhere returns what waiting does, and the asks of other machines that the person can answer.
func (t askTable) everywhere() []ask.Ask { return append(t.waiting(), t.byWait.All(mirrored)...) }

// OpenCovered registers a question for which a hook waits, and what its call needs, if
// that is known. A grant that covers the call, or a lease for the exact call, answers
// it at once. If the id is known, OpenCovered attaches to that ask, whatever its state.
func (c *Core) OpenCovered(a ask.Ask, need grant.Need) (ask.Ask, error) {
	err := c.do(func(s *draft) error {
		if old, ok := s.asks.Rows[a.ID]; ok {
			if !old.Same(a) {
				return fmt.Errorf("ask %q: %w", a.ID, ErrBound)
			}
			a = ask.Attach(old)
			s.asks.Put(s.b, a)
			return nil
		}
		a.Nonce = c.cfg.Secret()
		a = s.timed(a)
		a = ask.Start(a, s.mode(a.Session, s.now), s.now)
		text := fmt.Sprintf("%s asks for %s (sha256 %s)", s.token(a.Session), a.Line(), short(a.Hash))
		s.record(event.AskOpened, a.Session, string(a.ID), text)
		if answered, ok := s.answerAtOnce(a, need); ok {
			a = answered
			return nil
		}
		if refused, ok := s.refuseSecond(a, s.now); ok {
			a = refused
			s.drop() // the question was never there
			return nil
		}
		if !s.answersElsewhere(a.Session, s.now) {
			if handed, err := ask.Hand(a, "asked at the terminal", s.now); err == nil {
				a = handed // a form, whose dialog opens when its hook ends
			}
		}
		a = ask.Tick(s.join(a), s.now)
		s.putAsk(a)
		s.waiting(a.Session)
		return nil
	})
	return a, err
}

// answersElsewhere reports whether the person may answer an ask of a session on a channel.
// A person who is not away answers there only if a channel rings.
func (s *state) answersElsewhere(id session.ID, now time.Time) bool {
	switch s.mode(id, now) {
	case session.On:
		return s.reachable()
	case session.Off:
		return false
	}
	return s.rings()
}

// AwaitAsk waits until the ask is no longer open, at most until ctx ends, and returns
// the ask.
func (c *Core) AwaitAsk(ctx context.Context, id ask.ID) (ask.Ask, error) {
	var a ask.Ask
	var ok bool
	c.until(ctx, func(s *state) bool {
		a, ok = s.asks.Rows[id]
		return !ok || a.State != ask.Open
	}, ofAsk(id))
	if !ok {
		return a, fmt.Errorf("ask %s: %w", id, ErrNotFound)
	}
	return a, nil
}

// ClaimAsk takes the answer for the hook that is about to print it. With a receipt, the
// answer counts as delivered only when the hook has printed it; see AskPrinted.
func (c *Core) ClaimAsk(id ask.ID, receipt bool) (ask.Ask, error) {
	if err := c.checkAnswer(id); err != nil {
		return ask.Ask{}, err
	}
	claim := ask.Claim
	if receipt {
		claim = ask.Claimed
	}
	a, err := c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) {
		next, err := claim(a)
		return next, delivery(next), err
	})
	if err == nil && a.Interrupts() {
		_, err = c.Halted(a.Session, true)
	}
	return a, err
}

// delivery returns the journal's entry for an ask whose answer was claimed or printed.
// There is none while the hook may still be killed.
func delivery(a ask.Ask) event.Kind {
	if a.Arrived() {
		return event.AskDelivered
	}
	return ""
}

// CancelAsk ends an ask whose hook the host has ended.
func (c *Core) CancelAsk(id ask.ID, note string) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, now time.Time) (ask.Ask, event.Kind, error) {
		next, err := ask.Cancel(a, note, now)
		return next, event.AskEnded, err
	})
}

// AttachAsk notes that a hook waits for the ask.
func (c *Core) AttachAsk(id ask.ID) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) { return ask.Attach(a), "", nil })
}

// LoseAsk notes that the connection of the waiting hook broke.
func (c *Core) LoseAsk(id ask.ID) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, now time.Time) (ask.Ask, event.Kind, error) {
		next, err := ask.Lose(a, now)
		return next, "", err
	})
}

// EnterAsk notes that a program of a session is attached to the terminal of the ask's
// dialog, and tells the person.
func (c *Core) EnterAsk(id ask.ID, program string) error {
	return c.do(func(s *draft) (err error) {
		a, ok := s.asks.Rows[id]
		if !ok || a.Entered != "" {
			return nil
		}
		if a, err = ask.Enter(a, program); err != nil {
			return nil //nolint:nilerr // it was answered in the meantime
		}
		s.putAsk(a)
		text := fmt.Sprintf("a program of a session (%s) is attached to the background session that asks “%s”. It can "+
			"answer there in your place.", program, a.Line())
		s.record(event.AskEntered, a.Session, string(id), text)
		s.notify("entered", a.Session, channel.News{Kind: channel.Entered, Of: s.label(a.Session), What: text})
		return nil
	})
}

// changeAsk applies one transition to one ask, even if the ask is no longer in memory.
// It returns the ask afterwards, and the transition's error. A step that no longer fits
// is not an error, because a hook cannot know that its ask has changed; the hook sees
// that in the reply.
func (c *Core) changeAsk(
	id ask.ID, f func(ask.Ask, time.Time) (ask.Ask, event.Kind, error),
) (after ask.Ask, err error) {
	if err := c.recall(id); err != nil {
		return after, err
	}
	err = c.do(func(s *draft) (err error) {
		before := s.asks.Rows[id]
		next, kind, err := f(before, s.now)
		after = next
		if errors.Is(err, ask.ErrState) {
			return nil
		}
		if err != nil || next == before {
			return err
		}
		s.putAsk(next)
		s.b.MayWait = next.Unproven && !before.Unproven // a hook that has printed what it claimed says so
		if changed := next.State != before.State || next.Arrived() != before.Arrived(); changed && kind != "" {
			s.record(kind, next.Session, string(id), s.askLine(next))
		}
		if before.State == ask.Answered && next.State == ask.Delivered {
			s.countAnswer(next)
		}
		return nil
	})
	return after, err
}

// recall loads an old ask into memory, so that a late answer to it gets an accurate
// reply.
func (c *Core) recall(id ask.ID) error {
	known := false
	c.view(func(s *state, _ time.Time) { _, known = s.asks.Rows[id] })
	if known {
		return nil
	}
	a, ok, err := store.Asks.Get(c.cfg.Store, id)
	var bad store.Bad
	if errors.As(err, &bad) {
		return errors.Join(fmt.Errorf("ask %q: %w: its record is damaged", id, ErrNotFound), c.report([]store.Bad{bad}))
	}
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("ask %q: %w", id, ErrNotFound)
	}
	c.lock()
	defer c.unlock()
	if _, known := c.state.asks.Rows[id]; !known { // another call may have changed it meanwhile
		c.state.asks.Hold(a, c.cfg.Now())
		c.bell.Ring(due)
	}
	return nil
}

// Ran notes how a tool call turned out. It counts as progress of a loop and ends the
// ask about the call.
func (c *Core) Ran(o ask.Outcome) error {
	return c.do(func(s *draft) error {
		if v, ok := s.sessions.Rows[o.Session]; ok {
			v.Tools++
			s.sessions.Put(s.b, session.To(v, session.Working, s.now))
		}
		s.touchLoop(o.Session)
		s.ranLate(o)
		s.ranAfterAll(o)
		if a, ok := o.Of(s.asks.of(o.Session), s.now); ok {
			o.Run.At = s.now
			next, err := ask.Ran(a, o.Run, s.now)
			if err != nil {
				return err
			}
			s.putAsk(next)
			s.doubt(next, a.State == ask.Open)
			s.provenByRun(a, next)
			s.record(event.AskRan, a.Session, string(a.ID), s.askLine(next)+", "+next.Outcome())
		}
		s.ranUndo(o)
		return nil
	})
}

// AskOf returns the ask about a call that has run, until Ran is told of it.
func (c *Core) AskOf(o ask.Outcome) (a ask.Ask, ok bool) {
	c.view(func(s *state, now time.Time) { a, ok = o.Of(s.asks.of(o.Session), now) })
	return a, ok
}

// together is the longest time between the openings of the asks of parallel calls. The
// host shows their dialogs in any order.
const together = 2 * time.Second

// doubt marks the asks whose dialogs the host may have shown before one that was settled
// at the terminal. The host shows dialogs one after the other and does not say which of
// them are left. The last one is not in doubt, because the session's file then tells.
func (s *draft) doubt(settled ask.Ask, local bool) {
	var left []ask.Ask
	for _, a := range s.asks.of(settled.Session) {
		if !s.asks.Changes(s.b, a.ID) && a.State == ask.Open && a.Dialog() {
			left = append(left, a)
		}
	}
	var shownBefore time.Time
	if local && settled.Dialog() {
		shownBefore = settled.OpenedAt.Add(together)
	}
	for _, a := range left {
		passed := a.Perhaps || a.OpenedAt.Before(shownBefore)
		if next, _ := ask.Doubt(a, passed && len(left) > 1); next != a {
			s.putAsk(next)
		}
	}
}

// LocallySettled ends the open asks of a session's main agent when the client no longer
// shows a dialog. The person's decision is not known yet; the outcome of the call will
// show it.
func (c *Core) LocallySettled(id session.ID, before time.Time) error {
	return c.do(func(s *draft) error {
		s.settledLocally(id, before)
		return nil
	})
}

func (s *draft) settledLocally(id session.ID, before time.Time) {
	for _, a := range s.asks.of(id) {
		if !a.Dialog() || !a.OpenedAt.Before(before) {
			continue
		}
		if next, err := ask.Overruled(a); err == nil {
			s.putAsk(next)
		}
		next, err := ask.Local(a, a.AtTerminal(), s.now)
		if err != nil || a.State != ask.Open {
			continue // if it has an answer, only the run of its call tells which came first
		}
		s.putAsk(next)
		s.noteEnd(next)
	}
}

// An ending is one of the ways in which an ask ends without an answer.
type ending func(a ask.Ask, note string, now time.Time) (ask.Ask, error)

// endAsks ends all open asks of a session.
func (s *draft) endAsks(id session.ID, end ending, note string) {
	_, runs := s.runOf(id)
	for _, a := range s.asks.of(id) {
		if runs && a.Aside() { // the run goes on in another turn
			continue
		}
		s.endAsk(a, end, note)
	}
}

// endAsk ends an ask without an answer. It reports false if the ask has ended before.
func (s *draft) endAsk(a ask.Ask, end ending, note string) bool {
	next, err := end(a, note, s.now)
	if err != nil {
		return false
	}
	s.putAsk(next)
	s.noteEnd(next)
	return true
}

func (s *draft) noteEnd(a ask.Ask) {
	s.record(event.AskEnded, a.Session, string(a.ID), s.askLine(a))
}

// loseAsks gives the hooks of all open asks time to connect again.
func (s *draft) loseAsks() {
	for _, a := range s.asks.waiting() {
		if next, err := ask.Lose(a, s.now); err == nil {
			s.asks.Put(s.b, next)
		}
	}
}

// askDue returns when an ask changes by itself: when it expires, when an away mode ends,
// or when a reminder is due.
func (s *state) askDue(a ask.Ask, now time.Time) time.Time {
	if a.Mirrored() {
		return time.Time{} // its own machine knows its time
	}
	at := first(a.Next(), s.releaseAt(a, now))
	if s.settings.Paused {
		return at
	}
	return first(at, a.RemindAt(s.cfg.Rules.RemindAfter))
}

// expireAsk applies to an ask what is due at now.
func (s *draft) expireAsk(a ask.Ask) {
	next := a
	if mode := s.mode(a.Session, s.now); a.CardAt.IsZero() && mode != session.Off {
		next, _ = ask.Remode(a, mode, s.now) // one that has left the terminal stays as it is
	}
	next = ask.Tick(next, s.now)
	if next == a {
		s.remind(a)
		return
	}
	s.putTicked(a, next)
	if a.Lease != next.Lease {
		s.markRetries()
	}
}

// releaseAt returns when the away mode ends that keeps a at the terminal, zero for
// never.
func (s *state) releaseAt(a ask.Ask, now time.Time) (at time.Time) {
	if !a.Waiting() || a.Shown || !a.CardAt.IsZero() {
		return at
	}
	for _, away := range []session.Away{s.sessions.Rows[a.Session].Away, s.settings.Away} {
		if now.Before(away.Until) {
			at = first(at, away.Until)
		}
	}
	return at
}

// putTicked records an ask that has changed by itself.
func (s *draft) putTicked(before, after ask.Ask) {
	s.putAsk(after)
	if after.State != before.State {
		s.noteEnd(after)
	}
}

// putAsk records an ask and updates its card, if the ask has left the terminal.
func (s *draft) putAsk(a ask.Ask) {
	a = s.followUndo(a)
	s.asks.Put(s.b, a)
	s.followRun(a.Session)
	if follow := declined[a.Kind]; follow != nil && a.Declined() {
		follow(s, a)
	}
	if a.Shown && !a.Unproven { // a card does not tell of a claim
		s.showCard(a)
	}
}

// askLine returns the journal line about an ask.
func (s *state) askLine(a ask.Ask) string {
	return fmt.Sprintf("%s: %s (sha256 %s): %s", cmp.Or(s.token(a.Session), "Afar"), a.Line(),
		short(a.Hash), a.Ending())
}

// short returns the part of a hash that people see.
func short(hash string) string { return hash[:min(8, len(hash))] }

// Asks returns the asks that are open, parked, or answered and not delivered yet,
// oldest first; with all, the settled ones in memory too.
func (c *Core) Asks(all bool) []ask.Ask {
	var out []ask.Ask
	c.view(func(s *state, _ time.Time) {
		if all {
			out = slices.Collect(maps.Values(s.asks.Rows))
			return
		}
		for _, a := range s.asks.everywhere() {
			if a.Waiting() || a.State == ask.Answered {
				out = append(out, a)
			}
		}
	})
	sort.Slice(out, func(i, j int) bool { return out[i].OpenedAt.Before(out[j].OpenedAt) })
	return out
}

// Ask returns one ask, even if it is no longer in memory.
func (c *Core) Ask(id ask.ID) (a ask.Ask, err error) {
	if err := c.recall(id); err != nil {
		return a, err
	}
	c.view(func(s *state, _ time.Time) { a = s.asks.Rows[id] })
	return a, nil
}

// AskByNonce returns the ask that a button is bound to.
func (c *Core) AskByNonce(nonce string) (found ask.Ask, ok bool) {
	c.view(func(s *state, _ time.Time) { found, ok = s.asks.byNonce.One(nonce) })
	return found, ok
}
