package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// What a person decides counts only with its entry in the journal's chain: a row that somebody wrote
// into the database by hand decides nothing. The entry ends with a proof, a digest of what was decided.

// Proof returns the end of the text of an entry about a decision.
func Proof(decided any) string {
	raw, err := json.Marshal(decided)
	if err != nil {
		return "" // cannot happen: a value of the state can be stored. Then the decision counts for nothing later
	}
	sum := sha256.Sum256(raw)
	return " (kept as " + hex.EncodeToString(sum[:8]) + ")"
}

// aProof is the end of an entry that has a proof. Entries of older programs have none.
var aProof = regexp.MustCompile(` \(kept as [0-9a-f]{16}\)$`)

// A decision is a value of the state that a person has decided, with the entry that must be there.
type decision struct {
	kind    event.Kind
	subject string
	proof   string
}

// provenBy reports whether an entry is the one of a decision. The entry of an older program proves
// every decision about its subject.
func (d decision) provenBy(e event.Event) bool {
	return e.Kind == d.kind && e.Subject == d.subject && (strings.HasSuffix(e.Text, d.proof) || !aProof.MatchString(e.Text))
}

func askDecision(a ask.Ask) (d decision, ok bool) {
	said, ok := a.Given()
	return decision{event.AskAnswered, string(a.ID), Proof(said)}, ok
}

func grantDecision(g grant.Grant) (d decision, ok bool) {
	decided := struct {
		Session     string
		Rules       []grant.Rule
		At, Expires int64
	}{string(g.Session), g.Rules, g.At.UnixMilli(), g.ExpiresAt.UnixMilli()}
	return decision{event.GrantGiven, string(g.ID), Proof(decided)}, g.EndedAt.IsZero()
}

// answerProof returns the proof of an answer.
func answerProof(a ask.Ask) string {
	d, _ := askDecision(a)
	return d.proof
}

// proven reports whether the journal has the entry of a decision, in its place in the chain.
func (c *Core) proven(d decision) (bool, error) {
	entries, err := c.cfg.Store.EntriesOf(d.kind, d.subject)
	for _, e := range entries {
		if !d.provenBy(e) {
			continue
		}
		if chained, err := c.cfg.Store.Chained(e); chained || err != nil {
			return chained, err
		}
	}
	return false, err
}

// An unproven value claims a decision that the journal does not know.
type unproven struct {
	name string // of the row
	undo func(s *Draft)
}

const unprovenText = "it claims a decision of the person that the journal has no entry of; it does not count"

// unproven returns the values that would still have an effect, and are not proven.
func (c *Core) unproven() (all []unproven, err error) {
	check := func(d decision, claims bool, name string, undo func(*Draft)) {
		if !claims || err != nil {
			return
		}
		ok, failed := c.proven(d)
		if err = failed; !ok && err == nil {
			all = append(all, unproven{name, undo})
		}
	}
	s := c.state
	for _, a := range s.Asks.Waiting() {
		d, claims := askDecision(a)
		if a.Overlong() {
			d.proof = "none"
		}
		check(d, claims, store.Asks.Table+" "+string(a.ID), func(s *Draft) {
			s.PutAsk(a.Unanswered(unprovenText))
		})
	}
	for _, g := range s.activeGrants() {
		d, claims := grantDecision(g)
		check(d, claims, store.Grants.Table+" "+string(g.ID), func(s *Draft) {
			_, _ = s.endGrant(g, "nobody gave it") // it is active
		})
	}
	for _, m := range s.modules.Rows {
		d := decision{event.ModuleEnabled, string(m.Name), Proof(m.Hash)}
		check(d, m.On, store.Modules.Table+" "+string(m.Name), func(s *Draft) {
			m.File = approved.File{Held: unprovenText}
			s.modules.Put(s.Batch, m)
		})
	}
	for _, t := range s.triggers.Rows {
		d := decision{event.TriggerOn, string(t.Name), Proof(t.Text + t.Runs)}
		check(d, t.On && !t.Removed, store.Triggers.Table+" "+string(t.Name), func(s *Draft) {
			t.File, t.Next = approved.File{Held: unprovenText}, time.Time{}
			s.triggers.Put(s.Batch, t)
		})
	}
	return all, err
}

// undone takes back what is not proven, and tells the person.
func undone(all []unproven) func(*Draft) error {
	return func(s *Draft) error {
		for _, u := range all {
			u.undo(s)
			s.Record(event.Damaged, "", u.name, unprovenText)
			s.Notify("unproven:"+u.name, "", channel.News{Kind: channel.Unproven, Of: u.name})
		}
		return nil
	}
}

// checkAnswer takes back the answer of an ask that is not proven. A hook is about to print it.
func (c *Core) checkAnswer(id ask.ID) error {
	a, err := c.Ask(id)
	if err != nil {
		return err
	}
	d, claims := askDecision(a)
	if !claims {
		return nil
	}
	if ok, err := c.proven(d); ok || err != nil {
		return err
	}
	return c.Do(undone([]unproven{{store.Asks.Table + " " + string(id), func(s *Draft) {
		s.PutAsk(s.Asks.Rows[id].Unanswered(unprovenText))
	}}}))
}

// tellsFor is how long Unproven returns a row that was taken back.
const tellsFor = 30 * 24 * time.Hour

// Unproven returns the rows of the database that claim a decision of the person without an entry in
// the journal: answers of long ago included, and what was taken back within tellsFor.
func (c *Core) Unproven() (rows []string, err error) {
	entries, err := c.cfg.Store.Newest([]event.Kind{event.AskAnswered, event.Damaged}, 0, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	since := c.cfg.Now().Add(-tellsFor)
	bySubject := map[string][]event.Event{}
	for _, e := range entries {
		if e.Kind == event.AskAnswered {
			bySubject[e.Subject] = append(bySubject[e.Subject], e)
		} else if e.Text == unprovenText && e.At.After(since) {
			rows = append(rows, e.Subject)
		}
	}
	asks, _, err := c.cfg.Store.AsksEnded("", math.MaxInt32)
	for _, a := range asks {
		d, claims := askDecision(a)
		known := !claims
		for _, e := range bySubject[d.subject] {
			known = known || d.provenBy(e)
		}
		if !known {
			rows = append(rows, store.Asks.Table+" "+string(a.ID))
		}
	}
	return rows, err
}
