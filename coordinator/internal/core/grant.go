package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
)

// give records the grant that a decision on an ask gives to the session.
func (s *Draft) give(a ask.Ask, d ask.Decision) {
	g := grant.Grant{
		ID:        "grant_" + grant.ID(strings.TrimPrefix(string(a.ID), "ask_")),
		Session:   a.Session,
		Rules:     a.Offer.Rules,
		Ask:       string(a.ID),
		Nonce:     a.Nonce,
		By:        d.By,
		Channel:   d.Channel,
		At:        s.Now,
		ExpiresAt: s.Now.Add(a.Times.GrantFor()),
	}
	until := "for the session until " + g.ExpiresAt.Format("15:04")
	if d.Scope == ask.Always {
		g.Rules, g.Kept, g.ExpiresAt, until = nil, a.Offer.Kept, time.Time{}, "always"
	}
	s.grants.Put(s.Batch, g)
	text := fmt.Sprintf("%s: %s allowed %s: %s", s.Token(a.Session), d.By, until, g.Text())
	s.Record(event.GrantGiven, a.Session, string(g.ID), text+grantProof(g))
}

// answerAtOnce answers an ask that was just opened, if a lease for the exact call or grants
// allow it. The lease is used up. An answer by grants is delivered in the same step,
// unless a snapshot must be taken before the call.
func (s *Draft) answerAtOnce(a ask.Ask, need grant.Need) (ask.Ask, bool) {
	d := ask.Decision{Allow: true, At: s.Now}
	if leased, ok := s.lease(a, s.Now); ok && a.Kind != ask.Denied {
		if d.By = leased.Lease.Decision.By + ", who had allowed it after the refusal"; leased.Lease.Kept() {
			a, d = leased.Reapply(a, s.Now)
		}
		d.Channel = "lease"
		used, err := ask.Use(leased, s.Now)
		if err != nil {
			return a, false // cannot happen: its lease counts now
		}
		s.PutAsk(used)
	} else if used := grant.Find(s.activeGrants(), a.Session, need, s.Now); len(used) > 0 {
		d.By, d.Channel = fmt.Sprintf("the grant of %s (%s)", used[0].By, used[0].ID), "grant"
	} else {
		return a, false
	}
	next, err := ask.Answer(a, d)
	if err != nil {
		return a, false // cannot happen: it was opened this moment
	}
	s.Record(event.AskAnswered, next.Session, string(next.ID), s.askLine(next)+answerProof(next))
	claimed, err := ask.Claim(next)
	if d.Channel == "grant" && !need.Loses && err == nil {
		next = claimed
		s.Record(event.AskDelivered, next.Session, string(next.ID), s.askLine(next))
	}
	s.Asks.Put(s.Batch, next)
	return next, true
}

// A grantTable holds the grants.
type grantTable struct {
	*table.Table[grant.ID, grant.Grant]
	byNonce *table.Index[grant.ID, grant.Grant]
	active  table.Set[grant.ID, grant.Grant] // those that have not ended
}

func newGrantTable(s *State) grantTable {
	t := Register(s, store.Grants, table.Traits[grant.Grant]{Due: grantDue, Expire: Expiry(s, (*Draft).expireGrant)})
	return grantTable{
		Table:   t,
		byNonce: t.IndexBy(func(g grant.Grant) string { return g.Nonce }),
		active:  t.Where(func(g grant.Grant) bool { return g.EndedAt.IsZero() }),
	}
}

// grantDue returns when a grant ends by itself.
func grantDue(g grant.Grant, _ time.Time) time.Time {
	if !g.EndedAt.IsZero() {
		return time.Time{}
	}
	return g.ExpiresAt // zero for what Claude Code keeps
}

func (s *Draft) expireGrant(g grant.Grant) {
	_, _ = s.endGrant(g, "its time is over") // one that has ended is not due
}

// Granted reports whether grants cover now what a call of a session needs.
func (c *Core) Granted(id session.ID, need grant.Need) (covered bool) {
	c.View(func(s *State, now time.Time) { covered = len(grant.Find(s.activeGrants(), id, need, now)) > 0 })
	return covered
}

// lease returns the oldest ask that holds a lease for the call of a. A yes to a refusal
// of auto mode does not answer a question of the guard.
func (s *State) lease(a ask.Ask, now time.Time) (found ask.Ask, ok bool) {
	return ask.Oldest(slices.DeleteFunc(s.Asks.Of(a.Session), func(old ask.Ask) bool {
		return !old.AnswerValid(now) || !old.Same(a) || !serves(old, a)
	}))
}

// serves reports whether the answer to one kind of ask also answers another kind.
func serves(old, a ask.Ask) bool {
	switch {
	case old.Lease.Awaited:
		return old.Fits(a)
	case old.Lease.Lost:
		return old.Kind == a.Kind
	}
	return old.Kind != ask.Denied || a.Kind != ask.Guard
}

// Park registers a call that the hook refuses at once, so that the person can allow its
// next attempt. If there is a lease for the call, the lease answers it. A call that is
// already parked is not parked twice.
func (c *Core) Park(a ask.Ask) (ask.Ask, error) {
	err := c.Do(func(s *Draft) error {
		a = s.timed(a)
		a.Nonce = c.cfg.Secret()
		fresh := ask.Start(a, session.Off, s.Now)
		if answered, ok := s.answerAtOnce(fresh, grant.Need{}); ok {
			a = answered
			return nil
		}
		if refused, ok := s.refuseSecond(a, s.Now); ok {
			a = refused
			return nil
		}
		for _, old := range s.Asks.Of(a.Session) {
			if old.ID == a.ID || old.Parked && old.Same(a) {
				a = old
				return nil
			}
		}
		a = ask.Park(a, s.Mode(a.Session, s.Now), s.Now)
		s.PutAsk(a)
		text := fmt.Sprintf("%s asks for %s (sha256 %s): %s", s.Token(a.Session), a.Line(), Short(a.Hash), a.Note)
		s.Record(event.AskOpened, a.Session, string(a.ID), text)
		return nil
	})
	return a, err
}

// Grants returns the active standing permissions of sessions, oldest first.
func (c *Core) Grants() []grant.Grant {
	return c.grantsWhere(func(g grant.Grant) bool { return len(g.Kept) == 0 })
}

// KeptGrants returns those for which Claude Code keeps rules, oldest first.
func (c *Core) KeptGrants() []grant.Grant {
	return c.grantsWhere(func(g grant.Grant) bool { return len(g.Kept) > 0 })
}

func (c *Core) grantsWhere(wanted func(grant.Grant) bool) (out []grant.Grant) {
	c.View(func(s *State, now time.Time) {
		for _, g := range s.activeGrants() {
			if g.Active(now) && wanted(g) {
				out = append(out, g)
			}
		}
	})
	return out
}

// activeGrants returns the grants that have not ended, oldest first.
func (s *State) activeGrants() []grant.Grant {
	return slices.SortedFunc(slices.Values(s.grants.active.All()), func(a, b grant.Grant) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
}

// Revoke ends a grant for by. It returns ErrNotFound if the grant is unknown or has
// ended.
func (c *Core) Revoke(id grant.ID, by string) (g grant.Grant, err error) {
	err = c.Do(func(s *Draft) (err error) {
		found := s.grants.Rows[id]
		if !found.Active(s.Now) {
			return fmt.Errorf("grant %q: %w", id, ErrNotFound)
		}
		g, err = s.endGrant(found, "revoked by "+by)
		return err
	})
	return g, err
}

func (s *Draft) endGrant(g grant.Grant, how string) (grant.Grant, error) {
	g, err := grant.End(g, how, s.Now)
	if err != nil {
		return g, err
	}
	s.grants.Put(s.Batch, g)
	text := fmt.Sprintf("%s: %s: no longer allowed: %s", s.Token(g.Session), g.How, g.Text())
	s.Record(event.GrantEnded, g.Session, string(g.ID), text)
	return g, nil
}

// endGrants ends what was allowed for a session.
func (s *Draft) endGrants(id session.ID) {
	for _, g := range s.activeGrants() {
		if g.Session == id && len(g.Kept) == 0 {
			_, _ = s.endGrant(g, "the session ended") // all of them are active
		}
	}
}

// ranLate updates the card of a parked ask with the outcome of the call that its lease
// allowed.
func (s *Draft) ranLate(o ask.Outcome) {
	for _, a := range s.Asks.Of(o.Session) {
		switch {
		case !a.Lease.Used(), a.Run != nil, a.Tool != o.Tool, a.Hash != o.Hash:
			continue
		}
		o.Run.At = s.Now
		if next, err := ask.Ran(a, o.Run, s.Now); err == nil {
			s.PutAsk(next)
		}
	}
}

// GrantByNonce returns the grant that a button is bound to, also one that has ended.
func (c *Core) GrantByNonce(nonce string) (g grant.Grant, ok bool) {
	c.View(func(s *State, _ time.Time) { g, ok = s.grants.byNonce.One(nonce) })
	return g, ok
}
